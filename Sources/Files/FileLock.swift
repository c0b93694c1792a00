import StrataPlatform
import Synchronization

/// An advisory lock on a file, held until ``unlock()`` or until this is released.
///
/// Locks exclude each other between processes and within one. Lock a separate file beside the data (`<name>.lock`), not
/// the data: a replaced file loses its lock. The file is created if missing. Only an exclusive holder may remove it.
public final class FileLock: Sendable {
    /// Who may hold the lock together.
    public enum Mode: Sendable, Hashable {
        /// Shared with other holders.
        case shared
        /// Exclusive to one holder.
        case exclusive
    }

    /// The path of the locked file.
    public let path: String
    /// How it is locked.
    public let mode: Mode
    private let release: Mutex<(@Sendable () -> Void)?>

    /// Represents a lock that a file system has granted; `release` is called once.
    public init(path: String, mode: Mode, release: @escaping @Sendable () -> Void) {
        self.path = path
        self.mode = mode
        self.release = Mutex(release)
    }

    deinit { unlock() }

    /// Gives the lock back; a second call does nothing.
    public func unlock() { release.withLock { $0.take() }?() }

    /// Locks `path` at once, or answers `nil` if another holder is in the way.
    ///
    /// - Throws: ``FileError`` if it cannot be opened.
    public static func tryLock(
        _ path: String, _ mode: Mode = .exclusive, fileSystem: any FileSystem = PosixFileSystem.shared
    ) throws(FileError) -> FileLock? {
        try fileSystem.tryLock(path, mode)
    }

    /// Locks `path`, blocking the thread for up to `timeout`.
    ///
    /// - Throws: ``FileError`` with ``FileError/isTimeout`` after that, or if it cannot be opened.
    public static func lock(
        _ path: String, _ mode: Mode = .exclusive, timeout: Duration, fileSystem: any FileSystem = PosixFileSystem.shared
    ) throws(FileError) -> FileLock {
        let deadline = ContinuousClock.now + timeout
        var pause: useconds_t = 500
        while true {
            if let lock = try fileSystem.tryLock(path, mode) { return lock }
            if ContinuousClock.now >= deadline { throw FileError(.lock, path: path, code: ETIMEDOUT) }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
    }
}

extension FileSystem {
    /// Removes the lock files of a file that could not be created, unless it exists or a lock has another holder.
    public func removeUnusedLocks(_ locks: [String], ofMissing path: String) {
        func isMissing() -> Bool { do { return try statusIfPresent(of: path) == nil } catch { return false } }
        guard isMissing() else { return }
        var held: [FileLock] = []
        for lock in locks {
            guard let lock = try? tryLock(lock, .exclusive) else { return }
            held.append(lock)
        }
        // Another process may have created the file before the locks were held.
        if isMissing() { for lock in locks { try? removeIfPresent(lock) } }
        for lock in held { lock.unlock() }
    }
}

extension PosixFileSystem {
    public func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock? {
        try tryLock(path, mode) { () throws(FileError) in try openToLock(path, mode) }
    }

    /// Locks the file that `open` opens, again if another holder removed it before it was locked.
    ///
    /// The lock of a removed file would not exclude a process that locks its replacement.
    func tryLock(
        _ path: String, _ mode: FileLock.Mode, open: () throws(FileError) -> PosixFile
    ) throws(FileError) -> FileLock? {
        while true {
            let file = try open()
            guard try file.tryLock(mode) else { return nil }
            if try statusIfPresent(of: path)?.identity == file.status().identity {
                return FileLock(path: path, mode: mode) {
                    // Closing releases the lock, whatever its result.
                    try? file.close()
                }
            }
            try? file.close()
        }
    }

    private func openToLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> PosixFile {
        do { return try openPosix(path, .create(permissions: 0o666)) } catch {
            // A reader of a read-only directory can still share an existing lock file.
            guard mode == .shared, error.isDenied else { throw error }
            let denial = error
            // For a missing lock file the error is that it could not be created.
            do { return try openPosix(path, .read) } catch { throw error.isMissing ? denial : error }
        }
    }
}
