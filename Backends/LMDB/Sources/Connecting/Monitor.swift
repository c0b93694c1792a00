import Glibc

/// A mutual exclusion with a condition to wait for, as threads that are no tasks need it.
// Unchecked: the system's mutex and condition are made for use by several threads, and their memory never moves.
final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` alone.
    func exclusively<T>(_ body: () throws -> T) rethrows -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Waits, within ``exclusively(_:)``, for ``wake()``; false once the deadline has passed.
    func wait(until deadline: Deadline) -> Bool {
        var time = deadline.time
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    /// Wakes all who wait.
    func wake() { pthread_cond_broadcast(condition) }
}

/// A point in time to wait until.
struct Deadline {
    fileprivate var time = timespec()

    /// So many seconds from now; what is no sensible number counts as none, or as a year.
    init(after seconds: Double) {
        clock_gettime(CLOCK_MONOTONIC, &time)
        let seconds = seconds.isNaN ? 0 : min(max(seconds, 0), 31_536_000)
        let whole = Int(seconds)
        time.tv_sec += whole
        time.tv_nsec += Int((seconds - Double(whole)) * 1e9)
        if time.tv_nsec >= 1_000_000_000 {
            time.tv_sec += 1
            time.tv_nsec -= 1_000_000_000
        }
    }

    /// The seconds that are left.
    var remaining: Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return max(0, Double(time.tv_sec - now.tv_sec) + Double(time.tv_nsec - now.tv_nsec) / 1e9)
    }
}
