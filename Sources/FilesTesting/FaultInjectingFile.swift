import StrataFiles

/// An open file whose calls pass through a ``FaultInjectingFileSystem``.
final class FaultInjectingFile: OpenFile {
    private let base: any OpenFile
    private let fileSystem: FaultInjectingFileSystem
    private let isDirectory: Bool

    init(base: any OpenFile, fileSystem: FaultInjectingFileSystem, isDirectory: Bool) {
        self.base = base
        self.fileSystem = fileSystem
        self.isDirectory = isDirectory
    }

    var path: String { base.path }

    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        try fileSystem.pass(.read, path) { () throws(FileError) in try unsafe base.readOnce(into: buffer, at: offset) }
    }

    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        try fileSystem.passLimited(.write, path) { (limit) throws(FileError) in
            try unsafe base.writeOnce(UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)), at: offset)
        }
    }

    func status() throws(FileError) -> FileStatus {
        try fileSystem.pass(.status, path) { () throws(FileError) in try base.status() }
    }

    func truncate(to size: Int) throws(FileError) {
        try fileSystem.pass(.truncate, path) { () throws(FileError) in try base.truncate(to: size) }
    }

    func synchronize() throws(FileError) {
        try fileSystem.pass(isDirectory ? .synchronizeDirectory : .synchronize, path) { () throws(FileError) in
            try base.synchronize()
        }
    }

    func setPermissions(_ permissions: UInt32) throws(FileError) {
        try fileSystem.pass(.setPermissions, path) { () throws(FileError) in try base.setPermissions(permissions) }
    }

    func setOwner(user: UInt32, group: UInt32) throws(FileError) {
        try fileSystem.pass(.setOwner, path) { () throws(FileError) in try base.setOwner(user: user, group: group) }
    }

    func markModified() throws(FileError) { try base.markModified() }

    func close() throws(FileError) {
        try fileSystem.pass(.close, path) { () throws(FileError) in try base.close() }
    }
}
