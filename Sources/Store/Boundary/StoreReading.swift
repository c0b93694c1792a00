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
}
