package import StrataFiles
import StrataPlatform
import Synchronization

/// Detects prepared saves of other processes beside a store, mostly by the modification time of its directory alone.
final class PreparedSaveWatch: Sendable {
    private let location: AbsolutePath
    private let files = RecoveryFiles.fileSystem
    /// The modification time of the directory without such a file; `nil` where it has to be listed.
    private let cleanTime = Mutex<Int64?>(nil)
    /// The parent of the location, where it can be opened from any working directory.
    private let directory: String?

    init(_ location: AbsolutePath) {
        self.location = location
        directory = String(validating: location.bytes, as: UTF8.self).map { PathName.parent(of: $0) }
    }

    /// Returns whether there may be files; called with the store's write lock held, which protects them.
    func findsFiles() throws(FileError) -> Bool {
        let directory = if let directory { directory } else { PathName.parent(of: try location.path()) }
        let time = try files.status(of: directory).modified
        if time != 0, cleanTime.withLock({ $0 == time }) { return false }
        let isSettled = RecoveryFiles.isSettled(time)
        let found = try PreparedSaveFileName.all(forStoreAt: location.usable ?? "", files).contains { $0.kind.isUnfinished }
        cleanTime.withLock { $0 = !found && isSettled ? time : nil }
        return found
    }
}

/// The file system of the files of prepared saves; tests replace it.
package enum RecoveryFiles {
    @TaskLocal package static var fileSystem: any FileSystem = PosixFileSystem.shared

    /// The age of a time from which on the next change has another: clocks of file systems tick up to 10 ms, and every
    /// two seconds where times are whole seconds.
    private static let (tick, coarseTick): (Int64, Int64) = (50_000_000, 2_100_000_000)

    /// Returns whether the next change of a file that was changed at a time has a later time; false for one in the
    /// future, as after the clock was set back.
    static func isSettled(_ time: Int64) -> Bool {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let age = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec) &- time
        return age > (time % 1_000_000_000 == 0 ? coarseTick : tick)
    }
}
