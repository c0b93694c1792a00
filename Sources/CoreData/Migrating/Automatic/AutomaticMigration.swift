import StrataCoordinator
import StrataFiles
import StrataGraph
import StrataModel
import StrataStore

/// The migration of a store that is opened with another version of its model.
struct AutomaticMigration {
    private var description: StoreDescription
    private let options: [AnyHashable: Any]
    private let model: NSManagedObjectModel
    let isRequested: Bool
    private let infers: Bool

    init(_ description: StoreDescription, _ options: [AnyHashable: Any], to model: NSManagedObjectModel) {
        func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? options[key] as? Bool ?? false }
        self.description = description
        self.options = options
        self.model = model
        let isBuiltIn = MigratedLocation.builtInTypes.contains(description.driver.type.rawValue)
        isRequested = isBuiltIn && flag(NSMigratePersistentStoresAutomaticallyOption) && !description.isReadOnly
        infers = flag(NSInferMappingModelAutomaticallyOption)
    }

    /// Migrates the store: by the mapping model among the program's resources between the two versions, else by an
    /// inferred one where the options allow it.
    ///
    /// - Throws: `missingSourceModel` or `missingMapping`; an `NSError` with `NSMigrationError` and the cause.
    func run() throws {
        let metadata = try description.driver.metadata(at: description.location)
        let compiled = try model.compiled()
        let hasMappings = !MappingModelLocator.files(in: nil).isEmpty
        let versions = infers && !hasMappings && (try? metadata.model()) != nil ? [] : ModelLocator.versions(in: nil).map(\.model)
        if hasMappings || !infers {
            let source = try sourceModel(metadata, versions)
            if let mapping = MappingModelLocator.mapping(from: source, to: compiled, in: nil) {
                return try carryOut(mapping, metadata, versions)
            }
        }
        guard infers else {
            throw StoreError(.missingMapping, .migrate, "Can't find mapping model for migration", path: description.path)
        }
        var description = description
        description.earlierModels = candidates(metadata, versions).compactMap { try? $0.declared() }
        do { try PersistentStoreCoordinator.migrateStore(description, to: compiled) } catch let error as StoreError
            where error.code == .missingMapping
        {
            guard let source = try? sourceModel(metadata, versions),
                let mapping = try? MappingModel.inferredWithNumbers(from: source, to: compiled)
            else { throw error }
            description.earlierModels = [source]
            try PersistentStoreCoordinator.migrateStore(description, to: compiled, mapping: mapping)
        }
    }

    /// Returns the model that the store was made with.
    private func sourceModel(_ metadata: StoreMetadata, _ versions: [NSManagedObjectModel]) throws -> ManagedObjectModel {
        if let kept = try metadata.model() { return kept }
        for version in candidates(metadata, versions).compactMap({ try? $0.declared() })
        where try description.isMade(with: version, metadata) {
            return version
        }
        if let left = try description.driver.foreignModel(at: description.location) { return left }
        throw StoreError(.missingSourceModel, .migrate, "Can't find model for source store", path: description.path)
    }

    /// Returns the versions with the entities of a store's version hashes; all of them if there are none, as of an earlier version of Strata.
    private func candidates(_ metadata: StoreMetadata, _ versions: [NSManagedObjectModel]) -> [NSManagedObjectModel] {
        let fitting = versions.filter { version in
            let hashes = version.entityVersionHashesByName
            return metadata.versionHashes.allSatisfy { hashes[$0].map { Array($0) } == $1 }
        }
        return fitting.isEmpty ? versions : fitting
    }

    private func carryOut(_ mapping: MappingModel, _ metadata: StoreMetadata, _ versions: [NSManagedObjectModel]) throws {
        do {
            guard mapping.entityMappings.contains(where: { $0.policy != nil }) else {
                var description = description
                description.earlierModels = [mapping.source]
                return try PersistentStoreCoordinator.migrateStore(description, to: try model.compiled(), mapping: mapping)
            }
            let source = try versions.first { version in
                try version.entityVersionHashesByName.mapValues { Array($0) } == mapping.source.entityVersionHashesByName
                    || description.isMade(with: version.declared(), metadata)
            }
            guard let source else {
                throw StoreError(.missingSourceModel, .migrate, "Can't find model for source store", path: description.path)
            }
            try replaceStore(from: source, by: try NSMappingModel(mapping))
        } catch let error as StoreError where error.code == .missingSourceModel { throw error } catch {
            throw MigrationErrors.failed(description.path.map { URL(fileURLWithPath: $0) }, cocoaError(error))
        }
    }

    /// Migrates by policies into a store beside the original, and replaces it.
    private func replaceStore(from source: NSManagedObjectModel, by mapping: NSMappingModel) throws {
        guard let path = description.path else { throw StoreError(.unsupported, .migrate, "a store in memory has no file") }
        let url = URL(fileURLWithPath: path)
        let name = ".\(url.lastPathComponent).migration"
        let (type, temporary) = (description.driver.type.rawValue, url.deletingLastPathComponent().appendingPathComponent(name))
        // The second of two processes waits, and finds the store migrated.
        let lock = try FileLock.lock(temporary.path + ".lock", timeout: .seconds(max(0, description.options.timeout)))
        defer { lock.unlock() }
        if try description.isMade(with: model.compiled(), description.driver.metadata(at: path)) { return }
        // Left by a process that ended before it was done.
        try? description.driver.destroy(at: temporary.path)
        defer { try? description.driver.destroy(at: temporary.path) }
        try NSMigrationManager(sourceModel: source, destinationModel: model).migrateStore(
            from: url, sourceType: type, options: options, with: mapping, toDestinationURL: temporary, destinationType: type,
            destinationOptions: options)
        try description.driver.replace(at: path, withStoreAt: temporary.path)
    }
}

extension StoreDescription {
    /// Returns whether the store was made with a model, by its hashes, or its columns where it has none.
    func isMade(with model: ManagedObjectModel, _ metadata: StoreMetadata) throws -> Bool {
        guard metadata.isCompatible(with: model, configuration: configuration) else { return false }
        guard metadata.isUnversioned else { return true }
        var reading = self
        reading.isReadOnly = true
        do { try openStore(reading, model: model).close() } catch let error as StoreError where error.code == .incompatibleModel {
            return false
        }
        return true
    }
}

extension NSPersistentStoreCoordinator {
    /// Opens a store in the graph's coordinator, after migrating it to the coordinator's model where the options say
    /// so: through the stages of a staged migration, by a mapping model among the program's resources, or by an
    /// inferred one.
    ///
    /// - Throws: The error of opening or migrating; the store is unchanged then.
    final func openMigrated(_ description: StoreDescription, options: [AnyHashable: Any]) throws -> any PersistentStore {
        var description = description
        if options[StagedContainer.option] != nil {
            // The handler of a stage opens it.
            description.shouldMigrateStoreAutomatically = false
            description.continuesStage = true
            return try coordinator.addStore(description)
        }
        if let stages = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager, !description.isReadOnly {
            try stages.migrate(description, options: options, to: managedObjectModel)
        }
        let migration = AutomaticMigration(description, options, to: managedObjectModel)
        description.shouldMigrateStoreAutomatically = false
        do { return try coordinator.addStore(description) } catch let error as StoreError where error.code == .incompatibleModel {
            guard migration.isRequested else { throw error }
        }
        try migration.run()
        return try coordinator.addStore(description)
    }

    /// Finishes a lightweight migration that began with `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    ///
    /// Stores are migrated as a whole when they are opened, with the option too: there is nothing to finish.
    ///
    /// - Throws: Nothing.
    public final func finishDeferredLightweightMigration() throws {}

    /// Executes one step of ``finishDeferredLightweightMigration()``.
    ///
    /// - Throws: Nothing.
    public final func finishDeferredLightweightMigrationTask() throws {}
}
