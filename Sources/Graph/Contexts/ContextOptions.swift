import StrataCoordinator
import StrataStore

/// The names, policies and flags that the application chose for a context.
///
/// Options that only one part of a context reads are properties of that part.
struct ContextOptions {
    var name: String?
    var transactionAuthor: String?
    var userInfo: [String: Any] = [:]
    var mergePolicy = MergePolicy.error
    var propagatesDeletesAtEndOfEvent = true
    var automaticallyMergesChangesFromParent = false
    var refreshesFromRows = false
    /// Whether replicas may answer reads; a child reads as its parent does.
    var readsFromReplicas = false
    var isReadOnly = false
    /// Whether objects record which code reads their properties.
    var isObservable = false
    var semantics = ContextSemantics.strata
}

extension StoreError {
    init(readOnlyContext operation: Operation) { self.init(.readOnly, operation, "the context is read-only") }
}
