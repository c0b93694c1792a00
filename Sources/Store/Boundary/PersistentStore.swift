/// A store of a coordinator, as an application sees it: what it is, and where.
///
/// Objects are read and saved through contexts; the coordinator closes, refreshes, verifies and converts its stores. A
/// store implements ``StoreBackend``. All members are used on any thread, possibly on several at once.
public protocol PersistentStore: AnyObject, Sendable {
    /// The kind of store.
    var type: StoreType { get }
    /// The ID that the store got on creation, the authority of its objects' URIs.
    var id: StoreID { get }
    /// The location of the store.
    var location: StoreLocation { get }
    /// Whether the store is read-only.
    var isReadOnly: Bool { get }
    /// The capabilities of the store.
    var capabilities: StoreCapabilities { get }

    /// What was malformed in the store when it was opened and is read as the messages say, as a link that the file of
    /// another program has at one end alone; none by default.
    ///
    /// The coordinator logs them as warnings. They are in the file until its next save.
    var openingProblems: [StoreProblem] { get }

    /// The state of the store at this moment, as far as it is known without any access to its file or server.
    var condition: StoreCondition { get }

    /// Returns the metadata as of the last save.
    ///
    /// - Throws: ``StoreError`` with `closed`, `corrupt` or `io`.
    func metadata() throws -> StoreMetadata
}

extension PersistentStore {
    public var openingProblems: [StoreProblem] { [] }
    public var condition: StoreCondition { StoreCondition() }

    /// The path of the store's file; `nil` for a store that has none.
    public var path: String? { location.path }
}
