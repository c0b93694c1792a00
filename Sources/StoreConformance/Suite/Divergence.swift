/// A case in which a store diverges from the suite, and the reason.
///
/// A listed case must fail: remove a case that passes.
public struct Divergence: Sendable, Hashable {
    /// The name of the store's harness.
    public let store: String
    /// The name of the case.
    public let caseName: String
    /// Why the store cannot do it.
    public let reason: String

    /// A divergence of a store in one case.
    public init(store: String, case caseName: String, reason: String) {
        self.store = store
        self.caseName = caseName
        self.reason = reason
    }
}
