import StrataFiles

/// The system's files, with everything that changes them reported first.
struct WatchedFileSystem: FileSystem {
    let killSwitch: KillSwitch
    private let base = PosixFileSystem.shared

    init(_ killSwitch: KillSwitch) { self.killSwitch = killSwitch }

    func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile {
        if case .createExclusive = mode { killSwitch.step("create \(path)") }
        return WatchedFile(try base.open(path, mode), killSwitch)
    }

    func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus {
        try base.status(of: path, followingLinks: followingLinks)
    }

    func linkDestination(of path: String) throws(FileError) -> String? { try base.linkDestination(of: path) }

    func rename(_ path: String, to destination: String) throws(FileError) {
        killSwitch.step("rename to \(destination)")
        try base.rename(path, to: destination)
    }

    func link(_ path: String, to name: String) throws(FileError) {
        killSwitch.step("link \(name)")
        try base.link(path, to: name)
    }

    func unlink(_ path: String) throws(FileError) {
        killSwitch.step("unlink \(path)")
        try base.unlink(path)
    }

    func names(inDirectory path: String) throws(FileError) -> [String] { try base.names(inDirectory: path) }

    func makeDirectory(_ path: String, permissions: UInt32) throws(FileError) {
        killSwitch.step("make directory \(path)")
        try base.makeDirectory(path, permissions: permissions)
    }

    func removeDirectory(_ path: String) throws(FileError) {
        killSwitch.step("remove directory \(path)")
        try base.removeDirectory(path)
    }

    func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock? { try base.tryLock(path, mode) }

    func map(_ path: String) throws(FileError) -> MappedFile { try base.map(path) }
}

private final class WatchedFile: OpenFile {
    private let base: any OpenFile
    private let killSwitch: KillSwitch

    init(_ base: any OpenFile, _ killSwitch: KillSwitch) {
        self.base = base
        self.killSwitch = killSwitch
    }

    var path: String { base.path }

    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        try base.readOnce(into: buffer, at: offset)
    }

    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        killSwitch.step("write \(path)")
        return try base.writeOnce(bytes, at: offset)
    }

    func status() throws(FileError) -> FileStatus { try base.status() }

    func truncate(to size: Int) throws(FileError) {
        killSwitch.step("truncate \(path)")
        try base.truncate(to: size)
    }

    func synchronize() throws(FileError) {
        killSwitch.step("synchronize \(path)")
        try base.synchronize()
    }

    func setPermissions(_ permissions: UInt32) throws(FileError) { try base.setPermissions(permissions) }
    func setOwner(user: UInt32, group: UInt32) throws(FileError) { try base.setOwner(user: user, group: group) }
    func close() throws(FileError) { try base.close() }
}
