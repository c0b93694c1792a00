import Synchronization

/// The requirements of a thread's work on the stores that it reads.
public enum StoreReading {
    /// Whether reads may lag behind, so that a store with replicas may read from one of these.
    ///
    /// Writes through the store itself are visible all the same. Transactions read from no replica.
    @TaskLocal public static var allowsReplicas = false

    /// Whether a reader is used after a read that failed with `corrupt`, as a verification does, which lists all damaged rows.
    ///
    /// A store whose transactions end with the first failure has to protect them, for each read.
    @TaskLocal public static var continuesAfterDamage = false

    /// Counts the rows that are read; `nil` where no listener needs their number.
    @TaskLocal public static var tally: RowTally?

    /// Adds rows to the current tally, if any: a store calls it with the rows that it read for a plan.
    public static func note(rowsRead: Int) { tally?.add(rowsRead) }
}

/// The number of rows that stores read.
public final class RowTally: Sendable {
    private let rows = Atomic(0)

    /// Creates a tally of no rows.
    public init() {}

    /// The number of rows so far.
    public var count: Int { rows.load(ordering: .relaxed) }

    func add(_ count: Int) { rows.add(count, ordering: .relaxed) }
}
