/// How to open a file.
public enum OpenMode: Sendable, Hashable {
    /// An existing file, for reading.
    case read
    /// An existing file, for reading and writing.
    case readWrite
    /// A file for reading and writing, created with these permissions (less the process's mask) if missing.
    case create(permissions: UInt32)
    /// A new file for reading and writing; fails if anything, a symbolic link included, is at the path.
    case createExclusive(permissions: UInt32)
    /// A directory, to be synchronized.
    case directory
}

/// What the file system knows about a file.
public struct FileStatus: Sendable, Hashable {
    /// The kinds of file that stores meet.
    public enum Kind: Sendable, Hashable {
        /// A file with content of its own.
        case regular
        /// A directory, which holds names of others.
        case directory
        /// A link to another path; met only where links are not followed.
        case symbolicLink
        /// A device, a pipe or a socket.
        case other
    }

    /// The kind of file.
    public var kind: Kind
    /// The length in bytes.
    public var size: Int
    /// The permission bits, set-id and sticky bits included.
    public var permissions: UInt32
    /// The device that holds the file; with ``inode`` it identifies the file.
    public var device: UInt64
    /// The file's number on its device.
    public var inode: UInt64
    /// The number of the owning user.
    public var user: UInt32
    /// The number of the owning group.
    public var group: UInt32
    /// When the content was last changed, in nanoseconds since 1970; 0 where the file system does not keep it.
    public var modified: Int64

    /// A status, as a file system of one's own answers it.
    public init(
        kind: Kind, size: Int, permissions: UInt32, device: UInt64, inode: UInt64, user: UInt32 = 0, group: UInt32 = 0,
        modified: Int64 = 0
    ) {
        self.kind = kind
        self.size = size
        self.permissions = permissions
        self.device = device
        self.inode = inode
        self.user = user
        self.group = group
        self.modified = modified
    }

    /// Whether another status is of the same file with the same content, as far as identity, length and time tell.
    package func isOfSameContent(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
    }

    /// Whether this is a directory.
    public var isDirectory: Bool { kind == .directory }
}

/// An open file.
///
/// Closed by ``close()`` or when released.
///
/// Calls may come from any thread; `close` must not race with another call.
public protocol OpenFile: AnyObject, Sendable {
    /// The path the file was opened at.
    var path: String { get }
    /// Reads up to `buffer.count` bytes from `offset` in one system call; 0 at the end of the file.
    ///
    /// - Throws: ``FileError`` with the system's code, `EINTR` included.
    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Writes some of `bytes` at `offset` in one system call and answers how many.
    ///
    /// - Throws: ``FileError`` with the system's code, `EINTR` included.
    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// The status of the open file, wherever its name leads by now.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func status() throws(FileError) -> FileStatus
    /// Sets the length, cutting the end off or filling with zeros.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func truncate(to size: Int) throws(FileError)
    /// Forces the content, or a directory's entries, to disk. Never repeat it after an error: the data may be gone.
    ///
    /// - Throws: ``FileError``: what was written since the last success may be lost.
    func synchronize() throws(FileError)
    /// Sets the permission bits.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func setPermissions(_ permissions: UInt32) throws(FileError)
    /// Sets the owning user and group.
    ///
    /// - Throws: ``FileError``, as a rule with `EPERM`: only a privileged process gives files away.
    func setOwner(user: UInt32, group: UInt32) throws(FileError)
    /// Sets the time of the last change to now, as exactly as the clock tells; does nothing where the file system keeps no times.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func markModified() throws(FileError)
    /// Closes the file; later calls fail with `EBADF`.
    ///
    /// - Throws: ``FileError`` with the system's code; the file is closed all the same.
    func close() throws(FileError)
}

extension OpenFile {
    public func markModified() throws(FileError) {}
}

/// The seam between stores and the disk.
///
/// Everything that a store does to a file system goes through one of these, so that tests can crash it, fill it or watch it.
public protocol FileSystem: Sendable {
    /// Opens a file or directory.
    ///
    /// - Throws: ``FileError``, with `ENOENT` where nothing is there and none is made, `EEXIST` where something is there that must not be.
    func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile
    /// The status of what is at `path`; of the link itself if it is one and `followingLinks` is false.
    ///
    /// - Throws: ``FileError``, with `ENOENT` where nothing is there.
    func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus
    /// What the symbolic link at `path` says; `nil` if something else or nothing is there.
    ///
    /// - Throws: ``FileError`` where it cannot be told.
    func linkDestination(of path: String) throws(FileError) -> String?
    /// Renames a file or directory, atomically replacing a file at `destination`.
    ///
    /// - Throws: ``FileError``; both files are as they were.
    func rename(_ path: String, to destination: String) throws(FileError)
    /// Removes a file or a symbolic link.
    ///
    /// - Throws: ``FileError``, with `ENOENT` where nothing is there.
    func unlink(_ path: String) throws(FileError)
    /// The names in a directory, sorted, without `.` and `..`.
    ///
    /// - Throws: ``FileError`` where there is no directory, or it may not be read.
    func names(inDirectory path: String) throws(FileError) -> [String]
    /// Makes one directory; its parent must exist.
    ///
    /// - Throws: ``FileError``, with `EEXIST` where something is there.
    func makeDirectory(_ path: String, permissions: UInt32) throws(FileError)
    /// Removes an empty directory.
    ///
    /// - Throws: ``FileError``, with `ENOTEMPTY` where something is in it.
    func removeDirectory(_ path: String) throws(FileError)
    /// Locks the file at `path`, creating it if missing; `nil` if another holder is in the way.
    ///
    /// - Throws: ``FileError`` where the file can be neither opened nor made, or the file system knows no locks.
    func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock?
    /// The whole file, mapped if the file system can, else read.
    ///
    /// - Throws: ``FileError`` where it cannot be opened or read.
    func map(_ path: String) throws(FileError) -> MappedFile
}
