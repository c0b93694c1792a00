public import StrataFiles
import StrataPlatform
import Synchronization

/// A file system in memory that can lose power, for tests.
///
/// It tracks what was synchronized: a file's content is durable once the file was synchronized, a name in a directory
/// once the directory was. ``crashClone(keepingUnsynced:seed:)`` returns a possible state after a power loss.
/// Permissions are stored but not enforced, and relative paths start at the root.
public final class MemoryFileSystem: FileSystem {
    private let disk: Mutex<MemoryDisk>

    /// Makes an empty file system holding `directories`, on disk, with their parents.
    public init(directories: [String] = []) {
        var disk = MemoryDisk()
        for path in directories { disk.makeTree(path) }
        self.disk = Mutex(disk)
    }

    private init(_ disk: MemoryDisk) {
        self.disk = Mutex(disk)
    }

    /// Returns a possible state after a power loss; this file system is not changed.
    ///
    /// Of unsynchronized content and names each 512-byte sector and each change of a name survives with probability
    /// `fraction`: 0 keeps only what was synchronized, 1 everything, and between them files may be torn. A rename
    /// survives as one change. Equal seeds have equal results.
    public func crashClone(keepingUnsynced fraction: Double = 0, seed: UInt64 = 0) -> MemoryFileSystem {
        MemoryFileSystem(disk.withLock { disk in disk.afterCrash(keeping: fraction, seed: seed) })
    }

    /// The paths of all files, directories left out, sorted.
    public var files: [String] {
        disk.withLock { disk in disk.files(under: MemoryDisk.root, path: "") }.sorted()
    }

    public func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile {
        let node = try onDisk(.open, path) { (disk) throws(MemoryError) in try disk.open(path, mode) }
        return MemoryFile(fileSystem: self, node: node, path: path, isDirectory: mode == .directory, isWritable: mode != .read)
    }

    public func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus {
        try onDisk(.status, path) { (disk) throws(MemoryError) in
            disk.status(of: try disk.node(at: path, followingLinks: followingLinks))
        }
    }

    public func linkDestination(of path: String) throws(FileError) -> String? {
        do {
            return try onDisk(.readLink, path) { (disk) throws(MemoryError) in
                disk.nodes[try disk.node(at: path, followingLinks: false)].link
            }
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Creates a symbolic link at `path` to `destination`.
    ///
    /// - Throws: `FileError` with `EEXIST` if the path exists, `ENOENT` if its directory does not.
    public func makeLink(_ path: String, to destination: String) throws(FileError) {
        try onDisk(.open, path) { (disk) throws(MemoryError) in _ = try disk.make(path, MemoryNode(link: destination)) }
    }

    public func rename(_ path: String, to destination: String) throws(FileError) {
        try onDisk(.rename, path) { (disk) throws(MemoryError) in try disk.rename(path, to: destination) }
    }

    public func unlink(_ path: String) throws(FileError) {
        try onDisk(.unlink, path) { (disk) throws(MemoryError) in try disk.unlink(path) }
    }

    public func names(inDirectory path: String) throws(FileError) -> [String] {
        try onDisk(.list, path) { (disk) throws(MemoryError) in
            let node = disk.nodes[try disk.node(at: path)]
            guard node.kind == .directory else { throw MemoryError(ENOTDIR) }
            return node.entries.keys.sorted()
        }
    }

    public func makeDirectory(_ path: String, permissions: UInt32) throws(FileError) {
        try onDisk(.makeDirectory, path) { (disk) throws(MemoryError) in
            _ = try disk.make(path, MemoryNode(kind: .directory, permissions: permissions))
        }
    }

    public func removeDirectory(_ path: String) throws(FileError) {
        try onDisk(.removeDirectory, path) { (disk) throws(MemoryError) in try disk.removeDirectory(path) }
    }

    public func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock? {
        let node: Int? = try onDisk(.lock, path) { (disk) throws(MemoryError) in
            let node = try disk.open(path, .create(permissions: 0o666))
            return disk.lock(node, mode) ? node : nil
        }
        guard let node else { return nil }
        return FileLock(path: path, mode: mode) { [self] in
            disk.withLock { disk in disk.unlock(node) }
        }
    }

    public func map(_ path: String) throws(FileError) -> MappedFile {
        MappedFile(path: path, copying: try contents(of: path))
    }

    /// Runs `body` on the disk and adds the operation and the path to its error.
    func onDisk<Result: Sendable>(
        _ operation: FileOperation, _ path: String, _ body: (inout MemoryDisk) throws(MemoryError) -> Result
    ) throws(FileError) -> Result {
        do {
            return try disk.withLock { (disk) throws(MemoryError) in try body(&disk) }
        } catch {
            throw FileError(operation, path: path, code: error.code)
        }
    }
}

final class MemoryFile: OpenFile {
    let path: String
    private let fileSystem: MemoryFileSystem
    private let node: Int
    private let isDirectory: Bool
    private let isWritable: Bool
    private let isClosed = Atomic(false)

    init(fileSystem: MemoryFileSystem, node: Int, path: String, isDirectory: Bool, isWritable: Bool) {
        self.fileSystem = fileSystem
        self.node = node
        self.path = path
        self.isDirectory = isDirectory
        self.isWritable = isWritable && !isDirectory
    }

    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        // The lock's closure must not access the caller's buffer; a copy of the array is a reference.
        let content = try onNode(.read) { (node) throws(MemoryError) in
            guard offset >= 0 else { throw MemoryError(EINVAL) }
            guard node.kind != .directory else { throw MemoryError(EISDIR) }
            return node.content
        }
        guard offset < content.count else { return 0 }
        let count = min(buffer.count, content.count - offset)
        unsafe buffer.copyBytes(from: content[offset..<offset + count])
        return count
    }

    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        let copy = unsafe Array(bytes)
        let isWritable = isWritable
        return try onNode(.write) { (node) throws(MemoryError) in
            guard isWritable else { throw MemoryError(EBADF) }
            try node.write(copy, at: offset)
            return copy.count
        }
    }

    func status() throws(FileError) -> FileStatus {
        let node = node
        return try onDisk(.status) { (disk) throws(MemoryError) in disk.status(of: node) }
    }

    func truncate(to size: Int) throws(FileError) {
        let isWritable = isWritable
        try onNode(.truncate) { (node) throws(MemoryError) in
            guard isWritable else { throw MemoryError(EINVAL) }
            try node.resize(to: size)
        }
    }

    func synchronize() throws(FileError) {
        let node = node
        try onDisk(isDirectory ? .synchronizeDirectory : .synchronize) { (disk) throws(MemoryError) in disk.synchronize(node) }
    }

    func setPermissions(_ permissions: UInt32) throws(FileError) {
        try onNode(.setPermissions) { (node) throws(MemoryError) in node.permissions = permissions }
    }

    func setOwner(user: UInt32, group: UInt32) throws(FileError) {
        try onNode(.setOwner) { (node) throws(MemoryError) in
            node.user = user
            node.group = group
        }
    }

    func close() throws(FileError) {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { throw FileError(.close, path: path, code: EBADF) }
    }

    private func onNode<Result: Sendable>(
        _ operation: FileOperation, _ body: (inout MemoryNode) throws(MemoryError) -> Result
    ) throws(FileError) -> Result {
        let node = node
        return try onDisk(operation) { (disk) throws(MemoryError) in try body(&disk.nodes[node]) }
    }

    private func onDisk<Result: Sendable>(
        _ operation: FileOperation, _ body: (inout MemoryDisk) throws(MemoryError) -> Result
    ) throws(FileError) -> Result {
        if isClosed.load(ordering: .acquiring) { throw FileError(operation, path: path, code: EBADF) }
        return try fileSystem.onDisk(operation, path, body)
    }
}
