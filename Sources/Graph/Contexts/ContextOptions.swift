import StrataCoordinator

/// What the application chose for a context: names, policies and flags.
///
/// No option has state of its own, and none changes by itself. Options that only one part of a context reads are
/// properties of that part.
struct ContextOptions {
    var name: String?
    var transactionAuthor: String?
    var userInfo: [String: Any] = [:]
    var mergePolicy = MergePolicy.error
    var propagatesDeletesAtEndOfEvent = true
    var automaticallyMergesChangesFromParent = false
    /// Whether reads may go to replicas; a child reads as its parent does.
    var readsFromReplicas = false
    /// Whether objects record who reads their properties.
    var isObservable = false
    var semantics = ContextSemantics.strata
}
