public import Strata

/// Tells the suite how to make a store of the kind under test.
///
/// ```swift
/// let harness = StoreHarness("my store", isPersistent: true, isFileBased: true) { directory, name in
///     StoreDescription(.mine, path: "\(directory)/\(name).mine")
/// }
/// ```
public struct StoreHarness: Sendable {
    /// A name for people, unique among the harnesses that are run together.
    public let name: String
    /// Whether a store is still there after it was closed.
    public let isPersistent: Bool
    /// Whether a store is a file, at the path of its description, that can be damaged, copied and protected.
    public let isFileBased: Bool
    /// Whether several coordinators, in one process or several, may have a store open and write in turn.
    public let allowsSeveralCoordinators: Bool
    /// Whether a store can keep a history of its transactions.
    public let keepsHistory: Bool
    /// The cases in which the store diverges from the suite, with reasons.
    public let divergences: [Divergence]

    private let describe: @Sendable (_ directory: String, _ name: String) -> StoreDescription

    /// A harness for a kind of store.
    ///
    /// - Parameters:
    ///   - name: A name for people, unique among the harnesses that are run together.
    ///   - isPersistent: Whether a store is still there after it was closed.
    ///   - isFileBased: Whether a store is a file, which cases may damage, copy and protect.
    ///   - allowsSeveralCoordinators: Whether several coordinators may have a store open at once.
    ///   - keepsHistory: Whether a store can keep a history, as its capabilities say.
    ///   - divergences: The cases in which the store diverges from the suite. A case that is listed and passes all the same fails.
    ///   - describe: Makes the description of a store with a name in a directory, which exists. Equal arguments name the same store.
    public init(
        _ name: String,
        isPersistent: Bool,
        isFileBased: Bool,
        allowsSeveralCoordinators: Bool = false,
        keepsHistory: Bool = false,
        divergences: [Divergence] = [],
        describe: @escaping @Sendable (_ directory: String, _ name: String) -> StoreDescription
    ) {
        self.name = name
        self.isPersistent = isPersistent
        self.isFileBased = isFileBased
        self.allowsSeveralCoordinators = allowsSeveralCoordinators
        self.keepsHistory = keepsHistory
        self.divergences = divergences
        self.describe = describe
    }

    /// The description of a store with a name in a directory.
    public func description(in directory: String, name: String) -> StoreDescription { describe(directory, name) }
}

extension StoreHarness: CustomStringConvertible {
    /// The name, which is how reports tell harnesses apart.
    public var description: String { name }
}
