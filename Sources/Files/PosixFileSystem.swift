import StrataPlatform

/// The operating system's files.
///
/// Calls interrupted by a signal are repeated, except `fsync` and `close`. A path with a NUL fails with `EINVAL`.
/// Descriptors of files that are registered with ``OpenDatabases`` stay open.
public struct PosixFileSystem: FileSystem {
    /// The shared instance.
    public static let shared = PosixFileSystem()

    /// Makes a view of the operating system's files; all are alike.
    public init() {}

    public func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile {
        try openPosix(path, mode)
    }

    func openPosix(_ path: String, _ mode: OpenMode) throws(FileError) -> PosixFile {
        let (flags, permissions): (Int32, UInt32) =
            switch mode {
            // Without O_NONBLOCK, opening a pipe would wait for a writer.
            case .read: (O_RDONLY | O_NONBLOCK, 0)
            case .readWrite: (O_RDWR, 0)
            case .create(let permissions): (O_RDWR | O_CREAT, permissions)
            case .createExclusive(let permissions): (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions)
            case .directory: (O_RDONLY | O_DIRECTORY, 0)
            }
        if mode == .read || mode == .readWrite, let kept = OpenDatabases.reuse(path, mode) {
            return PosixFile(descriptor: kept, path: path, mode: mode)
        }
        let descriptor = try unsafe Self.call(.open, path) { unsafe StrataPlatform.open($0, flags | O_CLOEXEC, permissions) }
        return PosixFile(descriptor: descriptor, path: path, mode: mode)
    }

    public func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus {
        var answer = stat()
        try unsafe Self.call(.status, path) { unsafe followingLinks ? stat($0, &answer) : lstat($0, &answer) }
        return FileStatus(answer)
    }

    public func linkDestination(of path: String) throws(FileError) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        do throws(FileError) {
            let count = try unsafe Self.call(.readLink, path) { unsafe Int32(truncatingIfNeeded: readlink($0, &text, text.count)) }
            return String(decoding: text[..<Int(count)].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        } catch {
            if error.isMissing || error.code == EINVAL && !path.utf8.contains(0) { return nil }
            throw error
        }
    }

    public func rename(_ path: String, to destination: String) throws(FileError) {
        if destination.utf8.contains(0) { throw FileError(.rename, path: destination, code: EINVAL) }
        try unsafe Self.call(.rename, path) { source in unsafe destination.withCString { unsafe StrataPlatform.rename(source, $0) } }
    }

    public func link(_ path: String, to name: String) throws(FileError) {
        if name.utf8.contains(0) { throw FileError(.rename, path: name, code: EINVAL) }
        try unsafe Self.call(.rename, path) { source in unsafe name.withCString { unsafe StrataPlatform.link(source, $0) } }
    }

    public func unlink(_ path: String) throws(FileError) {
        try unsafe Self.call(.unlink, path) { unsafe StrataPlatform.unlink($0) }
    }

    public func names(inDirectory path: String) throws(FileError) -> [String] {
        if path.utf8.contains(0) { throw FileError(.list, path: path, code: EINVAL) }
        guard let directory = unsafe opendir(path) else { throw FileError(.list, path: path, code: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
        let code = errno
        if code != 0 { throw FileError(.list, path: path, code: code) }
        return names.sorted()
    }

    public func makeDirectory(_ path: String, permissions: UInt32) throws(FileError) {
        try unsafe Self.call(.makeDirectory, path) { unsafe mkdir($0, permissions) }
    }

    public func removeDirectory(_ path: String) throws(FileError) {
        try unsafe Self.call(.removeDirectory, path) { unsafe rmdir($0) }
    }

    /// Returns the available and the total bytes of the disk with the file or directory at `path`.
    ///
    /// - Throws: ``FileError`` if `path` does not exist, or they are unavailable.
    public func space(at path: String) throws(FileError) -> (available: Int, total: Int) {
        var answer = statvfs()
        try unsafe Self.call(.status, path) { unsafe statvfs($0, &answer) }
        func bytes(_ blocks: fsblkcnt_t) -> Int {
            Int(clamping: UInt64(blocks).multipliedReportingOverflow(by: UInt64(answer.f_frsize)).partialValue)
        }
        return (bytes(answer.f_bavail), bytes(answer.f_blocks))
    }

    /// How many bytes the files of the process may have, where that is limited (`RLIMIT_FSIZE`).
    public static var longestFile: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur != .max else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    public func map(_ path: String) throws(FileError) -> MappedFile {
        try openPosix(path, .read).map()
    }

    /// Runs a call that returns -1 and sets `errno`, again while signals interrupt it.
    @discardableResult
    static func call(
        _ operation: FileOperation, _ path: String, _ body: (UnsafePointer<CChar>) -> Int32
    ) throws(FileError) -> Int32 {
        let length = path.utf8.count
        while true {
            let (result, code) = unsafe path.withCString { name in
                // The system would see the part before a NUL.
                if unsafe strlen(name) != length { return (Int32(-1), EINVAL) }
                let result = unsafe body(name)
                return (result, errno)
            }
            if result != -1 { return result }
            if code != EINTR { throw FileError(operation, path: path, code: code) }
        }
    }
}

extension FileStatus {
    init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        self.init(
            kind: kind, size: Int(status.st_size), permissions: UInt32(status.st_mode & 0o7777),
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
        user = UInt32(status.st_uid)
        group = UInt32(status.st_gid)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }
}
