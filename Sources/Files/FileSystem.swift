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

/// The extent to which a call that writes waits for the disk.
public enum Forcing: Sendable, Hashable {
    /// Content and names: writes survive a loss of power.
    case everything
    /// Content, before it gets its name: a loss of power may lose the last writes, but tears none.
    case content
    /// Nothing: writes survive the end of the process only, and a loss of power may lose or tear them.
    case nothing
}

/// The status of a file.
public struct FileStatus: Sendable, Hashable {
    /// The kinds of file that stores meet.
    public enum Kind: Sendable, Hashable {
        /// A file with content.
        case regular
        /// A directory.
        case directory
        /// A symbolic link; returned only if links are not followed.
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
    public var user: UInt32 = 0
    /// The number of the owning group.
    public var group: UInt32 = 0
    /// When the content was last changed, in nanoseconds since 1970; 0 where the file system does not keep it.
    public var modified: Int64 = 0
    /// When the content, the name or the permissions were last changed, which no program can set, in nanoseconds since
    /// 1970; 0 where the file system does not keep it.
    public var changed: Int64 = 0

    /// Creates a status, as a custom file system returns it; set the properties with a default afterwards.
    public init(kind: Kind, size: Int, permissions: UInt32, device: UInt64, inode: UInt64) {
        self.kind = kind
        self.size = size
        self.permissions = permissions
        self.device = device
        self.inode = inode
    }

    /// Which file it is.
    public var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

    /// Returns whether another status is of the same file with the same content, by identity, length and time.
    public func isOfSameContent(as other: FileStatus) -> Bool {
        identity == other.identity && size == other.size && modified == other.modified
    }

    /// Whether this is a directory.
    public var isDirectory: Bool { kind == .directory }
}

/// The identity of a file, whatever path references it: its device and its inode.
public struct FileIdentity: Hashable, Sendable {
    /// The device that holds the file.
    public let device: UInt64
    /// The file's number on its device.
    public let inode: UInt64

    /// Creates the file with a number on a device.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// An open file.
///
/// Closed by ``close()`` or when released.
///
/// Calls may come from any thread; `close` must not race with another call.
public protocol OpenFile: AnyObject, Sendable {
    /// The path of the opened file.
    var path: String { get }
    /// Reads up to `buffer.count` bytes from `offset` in one system call; 0 at the end of the file.
    ///
    /// - Throws: ``FileError`` with the system's code, `EINTR` included.
    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Writes some of `bytes` at `offset` in one system call and returns their number.
    ///
    /// - Throws: ``FileError`` with the system's code, `EINTR` included.
    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Returns the status of the open file, whatever its path is by now.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func status() throws(FileError) -> FileStatus
    /// Sets the length, by truncation or with zeros.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func truncate(to size: Int) throws(FileError)
    /// Synchronizes the content, or a directory's entries. Never repeat it after an error: the data may be lost.
    ///
    /// - Throws: ``FileError``: writes since the last success may be lost.
    func synchronize() throws(FileError)
    /// Sets the permission bits.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func setPermissions(_ permissions: UInt32) throws(FileError)
    /// Sets the owning user and group.
    ///
    /// - Throws: ``FileError``, mostly with `EPERM`: only a privileged process may change owners.
    func setOwner(user: UInt32, group: UInt32) throws(FileError)
    /// Sets the time of the last change to now, as exactly as the clock, if the file system stores times.
    ///
    /// - Throws: ``FileError`` with the system's code.
    func markModified() throws(FileError)
    /// Closes the file; later calls fail with `EBADF`.
    ///
    /// - Throws: ``FileError`` with the system's code; the file is closed nevertheless.
    func close() throws(FileError)
}

extension OpenFile {
    public func markModified() throws(FileError) {}
}

/// The file operations of stores.
///
/// All of a store's accesses to files are these calls, so that tests can inject crashes, full disks and failures.
public protocol FileSystem: Sendable {
    /// Opens a file or directory.
    ///
    /// - Throws: ``FileError``, with `ENOENT` for a missing file that is not created, `EEXIST` for an existing one.
    func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile
    /// Returns the status of the file at `path`; of the link itself if it is one and `followingLinks` is false.
    ///
    /// - Throws: ``FileError``, with `ENOENT` if it does not exist.
    func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus
    /// Returns the destination of the symbolic link at `path`; `nil` for anything else.
    ///
    /// - Throws: ``FileError`` if it is unavailable.
    func linkDestination(of path: String) throws(FileError) -> String?
    /// Renames a file or directory, atomically replacing a file at `destination`.
    ///
    /// - Throws: ``FileError``; both files are unchanged.
    func rename(_ path: String, to destination: String) throws(FileError)
    /// Creates a hard link to a file; by default not supported.
    ///
    /// - Throws: ``FileError``, with `EEXIST` if something is at the new path.
    func link(_ path: String, to name: String) throws(FileError)
    /// Removes a file or a symbolic link.
    ///
    /// - Throws: ``FileError``, with `ENOENT` if it does not exist.
    func unlink(_ path: String) throws(FileError)
    /// Returns the names in a directory, sorted, without `.` and `..`.
    ///
    /// - Throws: ``FileError`` if there is no directory, or it may not be read.
    func names(inDirectory path: String) throws(FileError) -> [String]
    /// Creates one directory; its parent must exist.
    ///
    /// - Throws: ``FileError``, with `EEXIST` if the path exists.
    func makeDirectory(_ path: String, permissions: UInt32) throws(FileError)
    /// Removes an empty directory.
    ///
    /// - Throws: ``FileError``, with `ENOTEMPTY` if it is not empty.
    func removeDirectory(_ path: String) throws(FileError)
    /// Locks the file at `path`, creating it if missing; `nil` if another holder has the lock.
    ///
    /// - Throws: ``FileError`` if the file can be neither opened nor created, or the file system has no locks.
    func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock?
    /// Returns the whole file, mapped if the file system can, else read.
    ///
    /// - Throws: ``FileError`` if it cannot be opened or read.
    func map(_ path: String) throws(FileError) -> MappedFile
}
