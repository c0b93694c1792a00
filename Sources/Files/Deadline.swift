public import Dispatch
import StrataPlatform

/// The clock of durations, which a change of the system's clock does not move.
public enum Uptime {
    /// The nanoseconds since some moment.
    // Dispatch's clock calls the same function, and takes three times as many instructions.
    public static var nanoseconds: UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(truncatingIfNeeded: now.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: now.tv_nsec)
    }
}

/// A point in time to wait until, which a change of the system's clock does not move.
public struct Deadline: Sendable {
    /// In nanoseconds, on the clock that stops while the machine sleeps.
    private let time: UInt64

    /// The maximum number of seconds of this task's deadlines; `nil` for any.
    ///
    /// With 0 the write lock of a store is tried once.
    @TaskLocal public static var limit: Double?

    /// Creates a deadline after some seconds: NaN and negative numbers count as 0, more than a year as a year.
    public init(after seconds: Double) {
        let seconds = seconds.isNaN ? 0 : min(max(seconds, 0), Deadline.limit ?? 31_536_000, 31_536_000)
        time = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    }

    /// The seconds that are left.
    public var remaining: Double {
        let now = DispatchTime.now().uptimeNanoseconds
        return now < time ? Double(time - now) / 1e9 : 0
    }

    /// The same for Dispatch.
    public var dispatchTime: DispatchTime { DispatchTime(uptimeNanoseconds: time) }
}
