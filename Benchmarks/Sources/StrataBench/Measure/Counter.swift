import BenchReports
import Foundation

/// What the preloaded library counted in this process.
enum Counter {
    private typealias Function = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void

    // The default search order has the null handle, for which C has a macro only.
    private static let read = dlsym(nil, "strata_counts").map { unsafeBitCast($0, to: Function.self) }

    /// The counts since the process began; `nil` where the library is not preloaded.
    static var counts: Counts? {
        guard let read else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5) { numbers in
            guard let base = numbers.baseAddress else { return nil }
            read(base)
            return Counts(retains: Int(numbers[0]), releases: Int(numbers[1]), allocations: Int(numbers[2]), bytes: Int(numbers[4]))
        }
    }
}
