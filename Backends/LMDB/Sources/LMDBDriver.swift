import CStrataLMDB
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore

/// Stores in LMDB: incremental, with snapshots that readers see while others write, and rows that are read in place.
///
/// See `README.md` for when to choose it, and `FORMAT.md` for what is in the file.
public struct LMDBDriver: StoreDriver {
    /// The smallest map that a file is opened with, in bytes; 64 MiB. It grows by itself; tests make it small.
    var initialMapSize = 64 << 20

    /// The driver; the static member `.lmdb` is the same.
    public init() {}

    init(initialMapSize: Int) { self.initialMapSize = initialMapSize }

    static let capabilities = StoreCapabilities(isPersistent: true, isAtomic: false, allowsSeveralProcesses: true)

    /// `LMDB`, as the metadata of its stores spell it.
    public var type: StoreType { StoreType(rawValue: "LMDB") }

    /// Opens a store, or makes a new one; builds the fetch indexes that the model gained.
    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        guard let path = description.path, !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.missing, "open", "an LMDB store needs a path", path: description.path)
        }
        guard model.entities(inConfiguration: description.configuration) != nil else {
            throw StoreError(
                .unknownEntity,
                "open",
                "the model has no configuration \(description.configuration ?? "")",
                path: path
            )
        }
        return try storeErrors("open", path: path) {
            let plan = SchemaPlan(model: model, configuration: description.configuration)
            func opener(_ environment: LMDBEnvironment) -> SchemaOpener {
                SchemaOpener(environment: environment, plan: plan, description: description, type: type)
            }
            let environment = try EnvironmentRegistry.acquire(path, options(description, databases: plan.databases.count)) { new in
                try opener(new).fill()
            }
            do {
                let store = try LMDBStore(environment, try opener(environment).open(), description, type: type, path: environment.path)
                // What cannot be removed does no harm.
                try? store.removeUnnamed()
                return store
            } catch {
                EnvironmentRegistry.release(environment)
                throw error
            }
        }
    }

    /// Reads the metadata of a store, which may be open.
    public func metadata(at path: String) throws -> StoreMetadata {
        try withEnvironment(path, "metadata", isReadOnly: true) { environment in
            try LMDBStore.metadata(environment, try storeDatabase(environment))
        }
    }

    /// Changes the metadata of a store that no coordinator has open.
    public func setMetadata(_ metadata: StoreMetadata, at path: String) throws {
        try metadata.checkNesting("metadata", path: path)
        try withEnvironment(path, "metadata", isReadOnly: false) { environment in
            let store = try storeDatabase(environment)
            let deadline = Deadline(after: 10)
            let turn = try WriteTurn(environment, "metadata", until: deadline)
            defer { withExtendedLifetime(turn) {} }
            let marked = metadata.keepingMarks(of: try LMDBStore.metadata(environment, store))
            try environment.writeAlone("metadata", until: deadline) {
                try Records.put($0, store, Names.metadata, MetadataCodec.encode(marked))
            }
        }
    }

    /// Removes a store with all its files.
    ///
    /// - Throws: ``StoreError`` with `locked` while this or another process has it open, and with `foreign` or `wrongType`, nothing being
    ///   touched, where the file is no store of this kind. A damaged store is removed.
    public func destroy(at path: String) throws {
        try storeErrors("destroy", path: path) {
            guard try PosixFileSystem.shared.statusIfPresent(of: PathName.parent(of: path)) != nil else { return }
            guard try PosixFileSystem.shared.statusIfPresent(of: path) != nil else { return }
            try StoreOwnership(path: path, operation: "destroy").check()
            let values = externalValues(at: path, "destroy")
            try EnvironmentRegistry.whileClosed(path, "destroy") { resolved in
                // The file first: without it the others are nobody's.
                try PosixFileSystem.shared.removeIfPresent(resolved)
                try PosixFileSystem.shared.removeIfPresent(resolved + "-lock")
                try PosixFileSystem.shared.removeIfPresent(StoreCopy.path(beside: resolved))
                if let values { try values.directory.removeStore(naming: values.names) }
                for lock in LockFile.allCases { try PosixFileSystem.shared.removeIfPresent(lock.path(beside: resolved)) }
                try PosixFileSystem.shared.synchronizeDirectory(PathName.parent(of: resolved))
            }
        }
    }

    /// Puts a compact copy of a store where another one is, or none.
    ///
    /// - Throws: ``StoreError`` with `locked` while that one is open, and with `foreign` or `wrongType`, nothing being touched, where the
    ///   file is no store of this kind.
    public func replace(at path: String, withStoreAt source: String) throws {
        try withEnvironment(source, "replace", isReadOnly: true) { environment in
            if try environment.identity == EnvironmentRegistry.identity(of: path) { return }
            try StoreOwnership(path: path, operation: "replace").check()
            _ = try LMDBStore.metadata(environment, try storeDatabase(environment))
            let replaced = externalValues(at: path, "replace")
            try EnvironmentRegistry.whileClosed(path, "replace") { resolved in
                try StoreCopy(environment: environment, destination: resolved, replaced: replaced).run()
            }
        }
    }

    // MARK: -

    /// The external values of a store that is going to go; `nil` where there is none, or it does not tell any more. Then none is removed:
    /// another store may keep its own in the directory.
    private func externalValues(at path: String, _ operation: String) -> ExternalValuesOfStore? {
        try? withEnvironment(path, operation, isReadOnly: true) { try ExternalValuesOfStore($0, operation) }
    }

    private func options(_ description: StoreDescription, databases: Int) -> EnvironmentRegistry.Options {
        EnvironmentRegistry.Options(
            isReadOnly: description.isReadOnly,
            isDurable: description.options.durability == .full,
            databases: databases,
            initialMapSize: initialMapSize,
            timeout: description.options.timeout
        )
    }

    private func withEnvironment<T>(
        _ path: String,
        _ operation: String,
        isReadOnly: Bool,
        _ body: (LMDBEnvironment) throws -> T
    ) throws -> T {
        try storeErrors(operation, path: path) {
            try StoreError.naming(operation, path: path) {
                let options = EnvironmentRegistry.Options(isReadOnly: isReadOnly, initialMapSize: initialMapSize)
                let environment = try EnvironmentRegistry.acquire(path, options)
                defer { EnvironmentRegistry.release(environment) }
                return try body(environment)
            }
        }
    }

    private func storeDatabase(_ environment: LMDBEnvironment) throws -> MDB_dbi {
        if environment.knownDatabase(Names.store) == nil {
            try SchemaOpener.findDatabases([(Names.store, .records)], in: environment, until: Deadline(after: 10))
        }
        guard let store = environment.knownDatabase(Names.store) else {
            throw StoreError(.foreign, "metadata", "the LMDB file is no store of Strata's", path: environment.path)
        }
        return store
    }
}

extension StoreDriver where Self == LMDBDriver {
    /// Stores in LMDB.
    public static var lmdb: LMDBDriver { LMDBDriver() }
}
