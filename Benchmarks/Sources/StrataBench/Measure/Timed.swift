import Foundation

/// Returns the result of a body and the seconds that it took.
func timed<Result>(_ body: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    return (result, (clock.now - start) / .seconds(1))
}

/// The processor time of this process.
enum ProcessTime {
    /// The seconds of all threads until now, in user and system mode.
    static var seconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
