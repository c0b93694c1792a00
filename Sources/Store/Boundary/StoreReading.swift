/// The requirements of a thread's work on the stores that it reads.
public enum StoreReading {
    /// Whether reads may lag behind, so that a store with replicas may read from one of these.
    ///
    /// Writes through the store itself are visible all the same. Transactions read from no replica.
    @TaskLocal public static var allowsReplicas = false
}
