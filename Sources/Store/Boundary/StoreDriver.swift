import StrataModel

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
    func metadata(at path: String) throws -> StoreMetadata

    /// Changes the metadata of a store that no coordinator has open, all but what the framework keeps there, see
    /// ``StoreMetadata/keepingMarks(of:)``.
    func setMetadata(_ metadata: StoreMetadata, at path: String) throws

    /// Removes a store with all its files; does nothing where there is none.
    ///
    /// - Throws: ``StoreError`` with `locked` while another coordinator or process uses the store.
    func destroy(at path: String) throws

    /// Puts a copy of a store, with all its files, where another one is or none.
    ///
    /// The replaced store is whole until the copy is: a crash leaves one or the other.
    func replace(at path: String, withStoreAt source: String) throws
}

/// Says which store to open, and how.
public struct StoreDescription: Sendable {
    /// The kind of store.
    public var driver: any StoreDriver
    /// The path of the file; `nil` for a store in memory, and `/dev/null` for one that keeps nothing.
    public var path: String?
    /// The configuration whose entities the store holds; `nil` for all entities.
    public var configuration: String?
    /// Whether the store is opened for reading only.
    public var isReadOnly = false
    /// How the store works.
    public var options = StoreOptions()

    /// A description of a store.
    public init(_ driver: some StoreDriver, path: String? = nil, configuration: String? = nil, isReadOnly: Bool = false) {
        self.driver = driver
        self.path = path
        self.configuration = configuration
        self.isReadOnly = isReadOnly
    }
}

/// How a store works, whatever its kind. What one kind alone knows is an option of its driver.
public struct StoreOptions: Sendable, Hashable {
    /// What a finished save survives.
    public enum Durability: Sendable, Hashable {
        /// A crash of the system or a loss of power.
        case full
        /// A crash of the process. After a loss of power the last saves may be missing; the store is never damaged.
        case relaxed
    }

    /// What a finished save survives; ``Durability/full`` unless said otherwise.
    public var durability = Durability.full
    /// The length in bytes from which a value of an attribute with external storage gets a file of its own; 1 MiB.
    public var externalStorageThreshold = 1 << 20
    /// How many seconds to wait for another writer before the store counts as locked.
    public var timeout = 10.0
    /// Whether a store opens although it was made with another version of the model. The reader's risk: for looking into foreign stores.
    public var ignoresModelVersion = false

    /// The defaults.
    public init() {}
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

    /// The abilities of a store.
    public init(isPersistent: Bool, isAtomic: Bool, referenceScope: ReferenceScope = .tree, allowsSeveralProcesses: Bool) {
        self.isPersistent = isPersistent
        self.isAtomic = isAtomic
        self.referenceScope = referenceScope
        self.allowsSeveralProcesses = allowsSeveralProcesses
    }
}
