import StrataFiles
import StrataPlatform

/// A mutex with a condition variable, for threads that are no tasks.
// Unchecked: the system's mutex and condition are thread-safe, and their memory never moves.
@safe final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func exclusively<T>(_ body: () throws -> T) rethrows -> T {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Waits, within ``exclusively(_:)``, for ``wake()``; false once the deadline has passed.
    func wait(until deadline: Deadline) -> Bool {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(deadline.remaining * 1e9)
        time.tv_sec += nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    func wake() { unsafe pthread_cond_broadcast(condition) }
}
