public import StrataModel

/// The name of a kind of store, as its metadata spells it.
public struct StoreType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
}

/// A kind of store: what a backend gives an application to choose, and the coordinator to open stores with.
///
/// Backends offer theirs as a static member, `.sqlite`, `.xml`, `.binary`, `.inMemory`, `.lmdb`. All methods are called on any thread,
/// block while they work, and throw ``StoreError``.
public protocol StoreDriver: Sendable {
    /// The kind of store.
    var type: StoreType { get }

    /// Opens a store, or makes a new one where there is none (a file of no length counts as none).
    ///
    /// - Throws: ``StoreError`` with `missing`, `denied`, `foreign`, `wrongType`, `corrupt`, `incompatibleModel`, `locked` or `io`. A file
    ///   that cannot be opened is left as it was.
    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore

    /// Reads the metadata of a store without opening it.
    ///
    /// - Throws: ``StoreError`` with `missing`, `denied`, `foreign`, `wrongType`, `corrupt`, `io`; `unsupported` for a
    ///   kind of location that the driver does not support, as do all of these methods.
    func metadata(at location: StoreLocation) throws -> StoreMetadata

    /// Returns the model that another program left in a store, where it can be read: Core Data keeps a compiled one in
    /// SQLite.
    ///
    /// A store of Strata's tells its model by its metadata, see ``StoreMetadata/model()``. By default there is none.
    ///
    /// - Returns: `nil` where there is none, or none that can be read; its objects are plain managed objects.
    func foreignModel(at location: StoreLocation) throws -> ManagedObjectModel?

    /// Changes the metadata of a store that no coordinator has open, all but what the framework keeps there, see
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
    /// The replaced store is whole until the copy is: a crash leaves one or the other. The copy has the ID of the
    /// original, so that IDs and their URIs reference the same objects in it; therefore one coordinator cannot have
    /// both open.
    ///
    /// - Throws: ``StoreError`` with `locked` while another coordinator or process uses the store that is to be replaced, `missing` where
    ///   there is no original.
    func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws
}

extension StoreDriver {
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

/// What a kind of store can do, for the coordinator and the conformance suite; what a store cannot, the core does.
public struct StoreCapabilities: Sendable, Hashable {
    /// Which rows a reference is unique among.
    public enum ReferenceScope: Sendable, Hashable {
        /// Those of an entity's tree.
        case tree
        /// All rows of the store.
        case store
    }

    /// Whether the store is still there after it was closed.
    public var isPersistent: Bool
    /// Whether a save rewrites the whole store.
    public var isAtomic: Bool
    /// Which rows a reference is unique among.
    public var referenceScope: ReferenceScope
    /// Whether several processes may have the store open and write in turn.
    ///
    /// Others may have an XML or binary store open too. It refuses to save over what it has not loaded, with `conflict`; what others saved
    /// is loaded when a context merges their changes or refreshes objects.
    public var allowsSeveralProcesses: Bool

    /// Creates the abilities of a store.
    public init(isPersistent: Bool, isAtomic: Bool, referenceScope: ReferenceScope = .tree, allowsSeveralProcesses: Bool) {
        self.isPersistent = isPersistent
        self.isAtomic = isAtomic
        self.referenceScope = referenceScope
        self.allowsSeveralProcesses = allowsSeveralProcesses
    }
}
