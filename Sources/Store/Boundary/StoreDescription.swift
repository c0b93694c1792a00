/// A description of a store to open.
public struct StoreDescription: Sendable {
    /// The kind of store.
    public var driver: any StoreDriver
    /// The location of the store.
    public var location: StoreLocation
    /// The configuration whose entities the store holds; `nil` for all entities.
    public var configuration: String?
    /// Whether the store is opened for reading only.
    public var isReadOnly = false
    /// Whether a store that was made with another version of the model is migrated when it is opened; true by default.
    ///
    /// The mapping is inferred. A store that is opened read-only is never changed.
    public var shouldMigrateStoreAutomatically = true
    /// Earlier versions of the model, for stores without a copy of their own model, as some of Core Data's.
    public var earlierModels: [ManagedObjectModel] = []
    /// Receives the progress of a migration, on the migrating thread; an error cancels it, and leaves the store as it
    /// was.
    ///
    /// Cancelling the task does the same. Either is an error with the code `cancelled`.
    public var migrationProgress: (@Sendable (MigrationProgress) throws -> Void)?
    /// The ID for a new store; `nil` for a new ID.
    ///
    /// A store that is converted from another one keeps its ID, so that object IDs and their URIs stay valid. A driver
    /// passes it to ``StoreMetadata/init(newStoreOf:model:configuration:storeID:holdsWholeModel:)``. An existing store keeps its own.
    public var newStoreID: StoreID?
    /// The options that all stores have.
    public var options = StoreOptions()
    /// Whether this description continues a stage of a migration, before whose end no other one opens the store.
    package var continuesStage = false
    /// Returns the version that a store was made with, where it is opened for a migration.
    ///
    /// A driver that supports it opens the store, a ``ReopeningStore``, with that; otherwise, or for `nil`, it throws
    /// `incompatibleModel`.
    public var sourceVersion: (@Sendable (StoreMetadata) -> SourceVersion?)?

    /// The model that a store was made with, and the configuration of it that the store holds.
    public struct SourceVersion: Sendable {
        /// The model.
        public let model: ManagedObjectModel
        /// The configuration that the store holds; `nil` for all entities.
        public let configuration: String?

        /// Creates a version.
        public init(model: ManagedObjectModel, configuration: String?) {
            self.model = model
            self.configuration = configuration
        }
    }

    /// Creates a description of a store at a location of any kind.
    public init(_ driver: some StoreDriver, at location: StoreLocation, configuration: String? = nil, isReadOnly: Bool = false) {
        self.driver = driver
        self.location = location
        self.configuration = configuration
        self.isReadOnly = isReadOnly
    }

    /// Creates a description of a store in a file, or in memory without a path.
    public init(_ driver: some StoreDriver, path: String? = nil, configuration: String? = nil, isReadOnly: Bool = false) {
        self.init(
            driver, at: path.map { .file($0) } ?? .memory, configuration: configuration, isReadOnly: isReadOnly)
    }

    /// Returns the entities of the configuration in a model, by index.
    ///
    /// - Throws: ``StoreError`` with `unknownEntity` where the model has no such configuration.
    @discardableResult
    public func requireEntities(
        of model: ManagedObjectModel, _ operation: StoreError.Operation = .open
    ) throws(StoreError) -> [EntityIndex] {
        if let entities = model.entities(inConfiguration: configuration) { return entities }
        throw StoreError(.unknownEntity, operation, "the model has no configuration \(configuration ?? "")", path: path)
    }

    /// The path of the store's file; `nil` for a store that has none.
    public var path: String? {
        get { location.path }
        set { location = newValue.map { .file($0) } ?? .memory }
    }
}

/// The options of a store of any kind.
///
/// Options of one kind alone belong to its driver.
public struct StoreOptions: Sendable, Hashable {
    /// The failures that a finished save survives.
    public enum Durability: Sendable, Hashable {
        /// A crash of the system or a loss of power.
        case full
        /// A crash of the process. After a loss of power the last saves may be missing; the store is never damaged.
        case relaxed
    }

    /// The failures that a finished save survives; ``Durability/full`` by default.
    public var durability = Durability.full
    /// The length in bytes from which a value of an attribute with external storage gets a file of its own; 1 MiB.
    public var externalStorageThreshold = 1 << 20
    /// The seconds to wait for another writer before the store counts as locked.
    public var timeout = 10.0
    /// The maximum number of reads of the store at once, where each needs a connection (SQLite); 16.
    ///
    /// Further reads wait in the order of their requests, for ``connectionTimeout``. A thread that reads already does not wait for itself. A
    /// PostgreSQL store's driver has the number of its connections, for reads and saves.
    public var maximumReaders = 16
    /// The seconds to wait for a connection while all are in use, before the read or save fails with `busy`; `nil`, the default, for as long as
    /// ``timeout``.
    public var connectionTimeout: Double?
    /// Whether a store opens although it was made with another version of the model.
    ///
    /// At the reader's risk, for inspecting foreign stores.
    public var ignoresModelVersion = false
    /// How long the store keeps a history of its transactions; `nil`, the default, leaves the store as it is.
    ///
    /// A store gets a history when it is opened with a policy, and keeps it from then on, also where it is opened
    /// without one: no save may be missing. Coordinators that have it open at that moment add to the history once they
    /// open it again. A store kind without histories is refused with `unsupported`. See
    /// `PersistentStoreCoordinator.history`; Core Data's `NSPersistentHistoryTrackingKey`.
    public var history: HistoryPolicy?
    /// Whether the coordinator reports saves of others to the store, as its own; false by default.
    ///
    /// Others are other processes, other programs, and other coordinators of this process. Their changes are save
    /// events that are `isRemote`, and are merged into contexts that merge automatically: Core Data's
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. For that the coordinator reads the whole store once
    /// when it is opened, keeps a digest of each value in memory (20 bytes for each object, and 4 for each value), and
    /// reads the versions of all objects when others saved. A store kind without detection of others' commits is
    /// refused with `unsupported`; a store that is not persistent has no others.
    public var postsRemoteChanges = false

    /// Creates the default options.
    public init() {}
}
