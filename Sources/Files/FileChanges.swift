import StrataPlatform
import Synchronization

/// Waits for writes to some files, as the system reports them, for one thread.
///
/// Its reports are hints: it may miss writes through mapped memory, or by another machine, and without notifications of
/// the system it just waits. So call it with a timeout, and check the files after that.
public final class FileChanges: Sendable {
    /// Why a wait is over.
    public enum Cause: Sendable, Hashable {
        /// One of the files was written, created, moved or removed, or ``wake()`` was called.
        case changed
        /// The timeout expired.
        case time
        /// ``end()`` was called.
        case ended
    }

    private let paths: [String]
    /// The system's queue of changes; -1 for none.
    private let queue: Int32
    /// The ends of a pipe: a byte in it wakes the waiting thread; -1 for none.
    private let (alarm, alarmed): (Int32, Int32)
    private let isEnded = Atomic(false)
    /// The watched paths, by the number of their watch.
    private let watched = Mutex<[Int32: String]>([:])

    /// Watches files, which need not be there yet, in directories that are.
    public init(_ paths: [String]) {
        self.paths = paths
        queue = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        var ends: [Int32] = [-1, -1]
        if unsafe pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (alarmed, alarm) = (ends[0], ends[1])
        guard queue >= 0 else { return }
        for directory in Set(paths.map(PathName.parent(of:))) { watch(directory, IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) }
        watchFiles()
    }

    deinit {
        if queue >= 0 { close(queue) }
        if alarm >= 0 {
            close(alarm)
            close(alarmed)
        }
    }

    /// Whether the system reports changes at all.
    public var isNotified: Bool { queue >= 0 && !watched.withLock { $0.isEmpty } }

    /// Waits for a change since the last wait.
    ///
    /// - Parameters:
    ///   - seconds: How long at most; an hour is the longest.
    ///   - signal: A descriptor that is readable after a change.
    public func wait(seconds: Double, or signal: Int32? = nil) -> Cause {
        let limit = max(0, min(seconds, 3600))
        if isEnded.load(ordering: .acquiring) { return .ended }
        // Without a pipe the wait cannot be interrupted.
        let isDeaf = alarm < 0
        var descriptors = [alarmed, queue, signal ?? -1].filter { $0 >= 0 }.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = Int32((isDeaf ? min(limit, 0.05) : limit) * 1000 + 0.999)
        let count = unsafe descriptors.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds) }
        let isWoken = alarm >= 0 && takeAlarm()
        if isEnded.load(ordering: .acquiring) { return .ended }
        if count <= 0 { return .time }
        let isSignalled = descriptors.contains { $0.fd == signal && $0.revents != 0 }
        return takeChanges() || isWoken || isSignalled ? .changed : .time
    }

    /// Ends a wait as a change does: the one that is under way, or else the next.
    public func wake() {
        guard alarm >= 0 else { return }
        // A full pipe wakes the thread already.
        var one: UInt8 = 1
        _ = unsafe write(alarm, &one, 1)
    }

    /// Ends all waits, from any thread.
    public func end() {
        isEnded.store(true, ordering: .releasing)
        wake()
    }

    // MARK: -

    private func takeAlarm() -> Bool {
        var isWoken = false
        var bytes: (UInt64, UInt64) = (0, 0)
        while unsafe read(alarmed, &bytes, 16) > 0 { isWoken = true }
        return isWoken
    }

    private func watch(_ path: String, _ mask: Int32) {
        let number = unsafe inotify_add_watch(queue, path, UInt32(mask))
        if number >= 0 { watched.withLock { $0[number] = path } }
    }

    /// Watches the existing files; watches are idempotent.
    private func watchFiles() { for path in paths { watch(path, IN_MODIFY) } }

    /// Empties the queue; returns whether one of the changes is about the files.
    private func takeChanges() -> Bool {
        guard queue >= 0 else { return false }
        var isChanged = false
        var mayBeOthers = false
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(queue, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            var offset = 0
            while offset + FileChanges.headSize <= count {
                let (number, mask, length) = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe (
                        bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
                        bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
                        Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    )
                }
                let start = offset + FileChanges.headSize
                offset = start + length
                guard offset <= count else { break }
                if mask & UInt32(IN_IGNORED) != 0 { watched.withLock { _ = $0.removeValue(forKey: number) } }
                if mask & UInt32(IN_Q_OVERFLOW) != 0 { (isChanged, mayBeOthers) = (true, true) }
                guard let path = watched.withLock({ $0[number] }) else { continue }
                let name = buffer[start..<offset].prefix { $0 != 0 }
                if name.isEmpty {
                    isChanged = isChanged || mask & UInt32(IN_MODIFY) != 0
                } else if paths.contains(PathName.joining(path, String(decoding: name, as: UTF8.self))) {
                    (isChanged, mayBeOthers) = (true, true)
                }
            }
        }
        // Other files may have replaced the watched ones.
        if mayBeOthers { watchFiles() }
        return isChanged
    }

    /// The length of the part before the name.
    private static let headSize = 16
}
