/// Callers that wait for something, in the order of their requests; each may give up.
///
/// Not synchronized: its owner has a lock.
public struct WaitingQueue<Waiter> {
    private var waiters: [Int: Waiter] = [:]
    private var first = 0
    private var next = 0

    /// Creates a queue without callers.
    public init() {}

    /// The number of callers.
    public var count: Int { waiters.count }

    /// Appends a caller, and returns the number by which it can give up.
    public mutating func append(_ waiter: Waiter) -> Int {
        defer { next += 1 }
        waiters[next] = waiter
        return next
    }

    /// Removes and returns a caller; `nil` where it was removed before.
    public mutating func remove(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Removes and returns the caller that has waited longest.
    ///
    /// - Complexity: O(1) on average.
    public mutating func popFirst() -> Waiter? {
        while first < next {
            defer { first += 1 }
            if let waiter = waiters.removeValue(forKey: first) { return waiter }
        }
        return nil
    }
}
