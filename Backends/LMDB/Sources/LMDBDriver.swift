public import StrataEngine

/// Stores in LMDB: incremental, with snapshots that readers see while others write, and rows that are read in place.
///
/// See `README.md` for when to choose it, and `FORMAT.md` for what is in the file.
public struct LMDBDriver: FileStoreDriver {
    /// The initial size of a file's map in bytes, which grows automatically; tests make it small.
    var initialMapSize = 64 << 20

    /// Creates the driver; the static member `.lmdb` is the same.
    public init() {}

    init(initialMapSize: Int) { self.initialMapSize = initialMapSize }

    static let capabilities = StoreCapabilities(
        isPersistent: true, isAtomic: false, allowsSeveralProcesses: true, keepsHistory: true)

    public var type: StoreType { .lmdb }

    /// Opens a store, or makes a new one; builds the fetch indexes that the model gained.
    ///
    /// - Throws: As `OpeningStoreDriver.open(_:model:)`.
    public func openFile(at path: String, _ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try description.requireEntities(of: model)
        return try storeErrors(.open, path: path) {
            let plan = SchemaPlan(model: model, configuration: description.configuration)
            func opener(_ environment: LMDBEnvironment) -> SchemaOpener {
                SchemaOpener(environment: environment, plan: plan, description: description, type: type)
            }
            let options = EnvironmentRegistry.Options(
                isReadOnly: description.isReadOnly, isDurable: description.options.durability == .full, databases: plan.databases.count,
                initialMapSize: initialMapSize, timeout: description.options.timeout)
            let environment = try EnvironmentRegistry.acquire(path, options) { new in try opener(new).fill() }
            do {
                let (schema, storeID) = try opener(environment).open()
                let store = try LMDBStore(environment, schema, id: storeID, description, type: type)
                // Leftover files are harmless.
                try? store.removeUnnamed()
                return store
            } catch {
                EnvironmentRegistry.release(environment)
                throw error
            }
        }
    }
}

extension StoreDriver where Self == LMDBDriver {
    /// Stores in LMDB: a file and its lock file, for a process or several.
    public static var lmdb: LMDBDriver { LMDBDriver() }
}

extension StoreType {
    /// "LMDB", as the metadata of its stores spell it.
    public static let lmdb = StoreType(rawValue: "LMDB")
}
