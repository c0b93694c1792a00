/// Where a store departs from the suite, and why.
///
/// A case that is listed must fail: one that has come to pass is to be struck off.
public struct Divergence: Sendable, Hashable {
    /// The name of the store's harness.
    public let store: String
    /// The name of the case.
    public let caseName: String
    /// Why the store cannot do it.
    public let reason: String

    /// A divergence.
    public init(store: String, case caseName: String, reason: String) {
        self.store = store
        self.caseName = caseName
        self.reason = reason
    }

    /// The divergences of the five stores that come with Strata.
    public static let known: [Divergence] = []
}
