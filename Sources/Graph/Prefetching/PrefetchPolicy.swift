/// The limits of a ``Prefetcher``.
enum PrefetchPolicy {
    /// The number of objects whose rows, or destinations, are read in one round trip.
    static let batchSize = 2000
    /// The number of faults of one group that are fired together.
    static let groupBatchSize = 500
    /// The number of recorded groups of faults; the oldest are forgotten.
    static let maximumGroups = 16
    /// The number of rows that are read ahead for their faults.
    static let maximumRows = 20_000
    /// The number of fetches whose prefetched rows are kept; the oldest are forgotten.
    static let maximumFetches = 8
    /// The number of consecutive objects that follow a relationship before the destinations of others are read ahead.
    static let traversalLength = 2
    /// The least number of objects worth reading ahead; with fewer, the next attempt is delayed: a search costs time.
    static let minimumYield = 8
    /// The number of consecutive owners whose members fire before members are read with their rows.
    static let readersBeforeRows = 2
    /// The number of destinations of to-one relationships that a context retains.
    static let retainedDestinations = 4096
}
