import StrataPlatform

/// What the preloaded library counted since the process began.
struct Counter {
    private typealias Function = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void

    private let read: Function

    /// - Returns: `nil` where the library is not preloaded.
    init?() {
        // The default search order has the null handle, for which C has a macro only.
        guard let function = dlsym(nil, "strata_counts") else { return nil }
        read = unsafeBitCast(function, to: Function.self)
    }

    /// Returns the retains, releases, allocations, frees and bytes of a body.
    func counts(_ body: () throws -> Void) rethrows -> [UInt64] {
        var before: [UInt64] = [0, 0, 0, 0, 0]
        var after = before
        read(&before)
        try body()
        read(&after)
        return zip(after, before).map { $0 - $1 }
    }
}
