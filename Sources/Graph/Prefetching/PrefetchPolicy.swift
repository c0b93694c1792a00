/// How much is prefetched, and when: the limits of all that a ``Prefetcher`` reads ahead and keeps.
enum PrefetchPolicy {
    /// How many objects' rows, or destinations, are read in one round trip.
    static let batchSize = 2000
    /// How many faults of one group are fired together.
    static let groupBatchSize = 500
    /// How many groups of faults are known; the oldest are forgotten.
    static let maximumGroups = 16
    /// How many rows that were read ahead wait for their faults.
    static let maximumRows = 20_000
    /// How many fetches' prefetched rows are kept; the oldest are forgotten.
    static let maximumFetches = 8
    /// How many objects must follow a relationship, one after the other, before the destinations of others are read
    /// ahead.
    static let traversalLength = 2
    /// How many objects must be found worth reading ahead; with fewer, the next attempt is delayed, as a search costs
    /// time.
    static let minimumYield = 8
    /// How many owners' members must fire, one owner after the other, before members are read with their rows.
    static let readersBeforeRows = 2
}
