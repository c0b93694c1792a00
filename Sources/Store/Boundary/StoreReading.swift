/// What the work of a thread allows the stores that it reads.
public enum StoreReading {
    /// Whether what is read may be what the store held a moment ago, so that a store with replicas may ask one of these.
    ///
    /// Whatever was written through the store itself has to be there all the same. Transactions ask no replica.
    @TaskLocal public static var allowsReplicas = false
}
