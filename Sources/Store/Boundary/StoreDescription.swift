public import StrataModel

/// Says which store to open, and how.
public struct StoreDescription: Sendable {
    /// The kind of store.
    public var driver: any StoreDriver
    /// Where the store is.
    public var location: StoreLocation
    /// The configuration whose entities the store holds; `nil` for all entities.
    public var configuration: String?
    /// Whether the store is opened for reading only.
    public var isReadOnly = false
    /// Whether a store that was made with another version of the model is brought to this one when it is opened; true
    /// by default.
    ///
    /// The mapping is inferred. A store that is opened for reading only is never changed.
    public var shouldMigrateStoreAutomatically = true
    /// Earlier versions of the model, for stores that do not keep the one that they were made with: those of Core Data's that have no copy of
    /// it which could be read.
    public var earlierModels: [ManagedObjectModel] = []
    /// Gets the progress of a migration of the store, on the thread that migrates; what it throws cancels the migration, and leaves the
    /// store as it was.
    ///
    /// The task that migrates may be cancelled as well. Either is an error with the code `cancelled`.
    public var migrationProgress: (@Sendable (MigrationProgress) throws -> Void)?
    /// The ID that the store gets where it is made; `nil` for a new one.
    ///
    /// A store that is made of another one by a conversion keeps its ID, so that object IDs and their URIs stay valid. A driver hands it to
    /// ``StoreMetadata/init(newStoreOf:model:configuration:storeID:)``. A store that is there already keeps its own.
    public var newStoreID: StoreID?
    /// How the store works.
    public var options = StoreOptions()
    /// Whether a stage of a migration that has not ended is going on with this description: nobody else opens the store before its end.
    package var goesOnWithStage = false
    /// The version that a store of another one was made with, where it is opened to be migrated.
    ///
    /// A driver that asks opens the store, a ``ReopeningStore``, with that; one that does not, or gets no answer, throws `incompatibleModel`.
    package var sourceVersion: (@Sendable (StoreMetadata) -> SourceVersion?)?

    /// The model that a store was made with, and the configuration of it that the store holds.
    package struct SourceVersion: Sendable {
        package let model: ManagedObjectModel
        package let configuration: String?

        package init(model: ManagedObjectModel, configuration: String?) {
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

    /// Creates a description of a store in a file, or in memory where there is no path.
    public init(_ driver: some StoreDriver, path: String? = nil, configuration: String? = nil, isReadOnly: Bool = false) {
        self.init(
            driver, at: path.map { .file($0) } ?? .memory, configuration: configuration, isReadOnly: isReadOnly)
    }

    /// The path of the store's file; `nil` for a store that has none.
    public var path: String? {
        get { location.path }
        set { location = newValue.map { .file($0) } ?? .memory }
    }
}

/// How a store works, whatever its kind.
///
/// What one kind alone knows is an option of its driver.
public struct StoreOptions: Sendable, Hashable {
    /// What a finished save survives.
    public enum Durability: Sendable, Hashable {
        /// A crash of the system or a loss of power.
        case full
        /// A crash of the process. After a loss of power the last saves may be missing; the store is never damaged.
        case relaxed
    }

    /// What a finished save survives; ``Durability/full`` by default.
    public var durability = Durability.full
    /// The length in bytes from which a value of an attribute with external storage gets a file of its own; 1 MiB.
    public var externalStorageThreshold = 1 << 20
    /// How many seconds to wait for another writer before the store counts as locked.
    public var timeout = 10.0
    /// Whether a store opens although it was made with another version of the model.
    ///
    /// The reader's risk: for looking into foreign stores.
    public var ignoresModelVersion = false
    /// Whether the coordinator reports what others save to the store, as it reports its own saves; false by default.
    ///
    /// Others are other processes, other programs, and other coordinators of this process. What they change comes as save events that are
    /// `isRemote`, and into contexts that merge automatically: Core Data's `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. For
    /// that the coordinator reads the whole store once when it is opened, keeps a digest of each value in memory (20 bytes for each object,
    /// and 4 for each value), and looks through the versions of all objects when others saved. A store whose kind cannot tell others' commits
    /// is refused with `unsupported`; of one that keeps nothing there are no others.
    public var postsRemoteChanges = false

    /// Creates the defaults, as each property states its own.
    public init() {}
}
