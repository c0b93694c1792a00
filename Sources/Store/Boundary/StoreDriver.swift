/// The name of a kind of store, as its metadata spells it.
public struct StoreType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
}

/// The driver of a kind of store, which an application names in a ``StoreDescription``.
///
/// Backends provide theirs as a static member, `.sqlite`, `.xml`, `.binary`, `.inMemory`, `.lmdb`. All methods are
/// called on any thread, block while they work, and throw ``StoreError``. A driver implements ``OpeningStoreDriver``.
public protocol StoreDriver: Sendable {
    var type: StoreType { get }

    /// Reads the metadata of a store without opening it.
    ///
    /// - Throws: ``StoreError`` with `missing`, `denied`, `foreign`, `wrongType`, `corrupt`, `io`; `unsupported` for a
    ///   kind of location that the driver does not support, as do all of these methods.
    func metadata(at location: StoreLocation) throws -> StoreMetadata

    /// Returns the model that another program left in a store, where it can be read: Core Data keeps a compiled one in
    /// SQLite.
    ///
    /// For Strata's own stores see ``StoreMetadata/model()``. By default there is none.
    ///
    /// - Returns: `nil` where there is none, or none that can be read; its objects are plain managed objects.
    /// - Throws: ``StoreError`` where the store cannot be read.
    func foreignModel(at location: StoreLocation) throws -> ManagedObjectModel?

    /// Changes the metadata of a store that no coordinator has open, except the framework's own, see
    /// ``StoreMetadata/replacing(_:_:path:)``.
    ///
    /// - Throws: ``StoreError`` as for reading them, and as that one; `locked`.
    func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws

    /// Removes a store with all that belongs to it; does nothing where there is none.
    ///
    /// - Throws: ``StoreError`` with `locked` while another coordinator or process uses the store.
    func destroy(at location: StoreLocation) throws

    /// Replaces a store, if there is one, by a copy of another store with all its files.
    ///
    /// The replacement is atomic: a crash leaves one or the other. The copy has the ID of the original, so that IDs and
    /// their URIs reference the same objects in it; therefore one coordinator cannot have both open.
    ///
    /// - Throws: ``StoreError`` with `locked` while another coordinator or process uses the store to replace, `missing`
    ///   where there is no original.
    func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws

    /// Replaces a store as ``replace(at:withStoreAt:)``, in two phases: the stores of a federation are all copied and locked
    /// before the first of them is replaced.
    ///
    /// By default the first phase is empty.
    ///
    /// - Throws: As that one; what ``StoreReplacement/beforeCommit`` throws, and then nothing is replaced.
    func replace(at location: StoreLocation, withStoreAt source: StoreLocation, _ replacement: StoreReplacement) throws
}

extension StoreDriver {
    public func replace(at location: StoreLocation, withStoreAt source: StoreLocation, _ replacement: StoreReplacement) throws {
        try replacement.beforeCommit()
        try replace(at: location, withStoreAt: source)
    }

    public func foreignModel(at location: StoreLocation) throws -> ManagedObjectModel? { nil }

    /// Reads the metadata of the store in a file, see ``metadata(at:)-(StoreLocation)``.
    ///
    /// - Throws: As that one.
    public func metadata(at path: String) throws -> StoreMetadata { try metadata(at: .file(path)) }

    /// Changes the metadata of the store in a file, see ``setMetadata(_:at:)-(_,StoreLocation)``.
    ///
    /// - Throws: As that one.
    public func setMetadata(_ metadata: StoreMetadata, at path: String) throws { try setMetadata(metadata, at: .file(path)) }

    /// Removes the store in a file, see ``destroy(at:)-(StoreLocation)``.
    ///
    /// - Throws: As that one.
    public func destroy(at path: String) throws { try destroy(at: .file(path)) }

    /// Copies the store in a file to another, see ``replace(at:withStoreAt:)-(StoreLocation,_)``.
    ///
    /// - Throws: As that one.
    public func replace(at path: String, withStoreAt source: String) throws {
        try replace(at: .file(path), withStoreAt: .file(source))
    }
}

/// The capabilities of a kind of store, for the coordinator and the conformance suite; the core does the rest.
public struct StoreCapabilities: Sendable, Hashable {
    /// The scope in which references are unique.
    public enum ReferenceScope: Sendable, Hashable {
        /// The rows of an entity hierarchy.
        case hierarchy
        /// All rows of the store.
        case store
    }

    /// Whether the store outlives its closing.
    public var isPersistent: Bool
    /// Whether a save rewrites the whole store.
    public var isAtomic: Bool
    /// The scope in which references are unique.
    public var referenceScope: ReferenceScope
    /// Whether several processes may have the store open and write.
    ///
    /// Other processes may have an XML or binary store open too. It refuses to save over what it has not loaded, with
    /// `conflict`; saves of others are loaded when a context merges them or refreshes objects.
    public var allowsSeveralProcesses: Bool
    /// Whether the store can keep a history, see ``StoreTransaction/append(_:)``; false by default.
    public var keepsHistory: Bool
    /// Whether the history keeps the bodies of transactions as they are, with before-images; by default where it keeps a history.
    public var keepsHistoryValues: Bool
    /// Whether transactions write at once; otherwise they wait for one another, which is the default.
    public var allowsConcurrentWriters: Bool
    /// Whether members of ordered relationships have the same order keys when the store is opened again; true by default.
    public var keepsOrderKeys = true

    /// Creates the capabilities of a store.
    public init(
        isPersistent: Bool, isAtomic: Bool, referenceScope: ReferenceScope = .hierarchy, allowsSeveralProcesses: Bool,
        keepsHistory: Bool = false, keepsHistoryValues: Bool? = nil, allowsConcurrentWriters: Bool = false
    ) {
        self.isPersistent = isPersistent
        self.isAtomic = isAtomic
        self.referenceScope = referenceScope
        self.allowsSeveralProcesses = allowsSeveralProcesses
        self.keepsHistory = keepsHistory
        self.keepsHistoryValues = keepsHistoryValues ?? keepsHistory
        self.allowsConcurrentWriters = allowsConcurrentWriters
    }
}
