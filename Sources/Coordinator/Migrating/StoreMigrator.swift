import StrataStore
import Synchronization

/// The migration of one store to another version of its model.
struct StoreMigrator {
    let description: StoreDescription
    let model: ManagedObjectModel

    /// Returns the configuration whose entities the migrated store holds.
    private func configuration(_ metadata: StoreMetadata) -> String? { metadata.holdsWholeModel ? nil : description.configuration }

    /// Returns the model that the store was made with: the store's own, a given one, or one of another program; throws
    /// `StoreError` with `missingSourceModel` where neither exists.
    func sourceModel(_ metadata: StoreMetadata) throws -> ManagedObjectModel {
        if let kept = try metadata.model() { return kept }
        for model in description.earlierModels where try isMade(with: model, metadata) { return model }
        if let left = try description.driver.foreignModel(at: description.location), try isMade(with: left, metadata) { return left }
        throw StoreError(
            .missingSourceModel, .migrate,
            "the store does not keep the model that it was made with, and none of the earlier models that were given fits it",
            path: description.path)
    }

    /// Returns whether the store has the target version.
    ///
    /// - Parameter given: The given mapping, if any.
    func isDone(_ metadata: StoreMetadata, _ given: MappingModel? = nil) throws -> Bool {
        guard metadata.isCompatible(with: model, configuration: description.configuration) else { return false }
        guard metadata.isUnversioned else { return true }
        // What a version removed leaves no trace in a store without hashes: a mapping shows it.
        if let given, try isMade(with: given.source, metadata) { return false }
        return try isMade(with: model, metadata, configuration: description.configuration)
    }

    /// Returns whether the store was made with a model; where it has no hashes the columns decide.
    private func isMade(with model: ManagedObjectModel, _ metadata: StoreMetadata, configuration: String? = nil) throws -> Bool {
        guard metadata.isCompatible(with: model, configuration: configuration) else { return false }
        guard metadata.isUnversioned else { return true }
        var reading = description
        reading.isReadOnly = true
        reading.configuration = configuration
        do { try openStore(reading, model: model).close() } catch let error as StoreError where error.code == .incompatibleModel {
            return false
        }
        return true
    }

    /// Returns the mapping from the store's model.
    ///
    /// - Throws: `StoreError` with `missingMapping` where none can be inferred, `incompatibleModel` where no entity
    ///   would be left.
    /// - Parameter isConverted: Whether a handler converts attributes whose type changes with a loss.
    func inferredMapping(from source: ManagedObjectModel, isConverted: Bool = false) throws -> MappingModel {
        let mapping: MappingModel
        do { mapping = try MappingModel.inferred(from: source, to: model, droppingLossyTypes: isConverted) } catch {
            throw StoreError(
                .missingMapping, .migrate, "there is no mapping from the store's version of the model to the new one",
                path: description.path, entity: error.entity, key: error.property, underlying: error)
        }
        // More likely another application's store than a version without any of the entities.
        guard source.entities.isEmpty || mapping.entityMappings.contains(where: { $0.source != nil && $0.destination != nil }) else {
            throw StoreError(
                .incompatibleModel, .migrate,
                "the model has none of the store's entities: \(source.entities.map(\.name).joined(separator: ", "))",
                path: description.path)
        }
        return mapping
    }

    /// A store that is open with the version that it was made with.
    typealias OpenSource = (store: any StoreBackend, version: StoreDescription.SourceVersion, metadata: StoreMetadata)

    /// Opens the store, with its own version where that differs and the driver supports it.
    ///
    /// - Returns: The store, and the source of its migration.
    /// - Throws: `StoreError` with `incompatibleModel` where the version differs, and the driver does not support it.
    func open() throws -> (any StoreBackend, OpenSource?) {
        let found = Mutex<(StoreDescription.SourceVersion, StoreMetadata)?>(nil)
        var opening = description
        opening.sourceVersion = { metadata in
            guard let version = try? StoreDescription.SourceVersion(of: metadata, sourceModel(metadata)) else { return nil }
            found.withLock { $0 = (version, metadata) }
            return version
        }
        let store = try openStore(opening, model: model)
        return (store, found.withLock { $0 }.map { (store, $0, $1) })
    }

    /// How a store is migrated.
    struct Method {
        /// The mapping; `nil` to infer it.
        var mapping: MappingModel?
        /// Executes a mapping that cannot be inferred.
        var engine: (any MappingEngine)?
        /// Values that are added to the metadata.
        var note: [String: PropertyListValue] = [:]
    }

    /// Migrates the store, unless it has the target version.
    ///
    /// - Parameters:
    ///   - metadata: Those of the store, where they were just read.
    ///   - source: The store, where it is open.
    func run(_ method: Method = Method(), metadata known: StoreMetadata? = nil, from source: OpenSource? = nil) throws {
        try description.requireEntities(of: model, .migrate)
        // Another process may be faster, with this version or one in between.
        for attempt in 0..<4 {
            let source = attempt == 0 ? source : nil
            let metadata = try source?.metadata ?? (attempt == 0 ? known : nil) ?? description.driver.metadata(at: description.location)
            if try isDone(metadata, method.mapping) {
                // A progress listener is notified of the end, when cancelling is too late.
                if attempt > 0 { try? MigrationReport(description).update(1, of: 1) }
                return
            }
            try metadata.checkStages(.migrate, path: description.path)
            do {
                return try migrate(metadata, source, by: method)
            } catch let error as StoreError
                where attempt < 3 && (error.code == .incompatibleModel || error.code == .replaced)
            { continue }
        }
    }

    /// Checks that a given mapping is from the version of the store to the requested one.
    private func check(_ mapping: MappingModel, from held: StoreDescription.SourceVersion, _ metadata: StoreMetadata) throws {
        if mapping.destination.entityVersionHashesByName != model.entityVersionHashesByName {
            throw StoreError(
                .missingMapping, .migrate, "the destination of the mapping is another version of the model than the requested one",
                path: description.path)
        }
        if !metadata.isCompatible(with: held.model, configuration: held.configuration) {
            throw StoreError(
                .missingMapping, .migrate, "the source of the mapping is another version of the model than that of the store",
                path: description.path)
        }
    }

    /// Refuses a mapping that makes objects of an entity outside of the store's configuration from those of others: a store that holds
    /// the whole model would have them where no fetch finds them.
    ///
    /// - Throws: `StoreError` with `noStore`.
    private func requireDestinations(of mapping: MappingModel, _ held: StoreDescription.SourceVersion) throws {
        let kept = Set((model.entities(inConfiguration: description.configuration) ?? []).map { model.entities[$0].name })
        let configuration = held.configuration ?? description.configuration
        let sources = held.model.entities(inConfiguration: configuration).map { Set($0.map { held.model.entities[$0].name }) }
        for mapping in mapping.entityMappings {
            guard let source = mapping.source, let destination = mapping.destination, !kept.contains(destination),
                sources?.contains(source) != false
            else { continue }
            // An entity that leaves the configuration keeps its objects.
            if source == destination || model.entity(named: destination)?.renamingIdentifier == source { continue }
            throw StoreError(
                .noStore, .migrate, "the store's configuration has no such entity", path: description.path, entity: destination)
        }
    }

    private func migrate(_ metadata: StoreMetadata, _ source: OpenSource?, by method: Method) throws {
        guard let log = WorkLog.migrating else { return try migrateUnlogged(metadata, source, by: method) }
        let path = description.path ?? "\(description.location)"
        log.noteMigration(of: path, "from version \(metadata.versionIdentifiers) to \(model.versionIdentifiers)")
        try log.tracing(StoreOperation(.migrate, nil), { source.map { [$0.store] } ?? [] }, { _ in nil }) {
            try migrateUnlogged(metadata, source, by: method)
        }
    }

    private func migrateUnlogged(_ metadata: StoreMetadata, _ source: OpenSource?, by method: Method) throws {
        let (given, engine) = (method.mapping, method.engine)
        let configuration = self.configuration(metadata)
        // Those that the store holds afterwards.
        let entities = Set(model.entities(inConfiguration: configuration) ?? [])
        let held = try source?.version ?? StoreDescription.SourceVersion(of: metadata, try given?.source ?? sourceModel(metadata))
        if let given {
            try check(given, from: held, metadata)
            try requireDestinations(of: given, held)
        }
        let mapping = try (given ?? inferredMapping(from: held.model)).from(held.model)
        try engine?.check(mapping)
        let report = MigrationReport(description)
        try report.update(0, of: 1)
        var old = description
        old.shouldMigrateStoreAutomatically = false
        old.configuration = held.configuration
        // Interrupted two-phase commits are finished here, as in any store that is opened.
        let coordinator = PersistentStoreCoordinator(model: held.model)
        let entry = try source.map { try coordinator.entry(for: $0.store, old) } ?? coordinator.open(checking: old)
        defer { if source == nil { try? entry.store.close() } }
        let transaction = try entry.beginWrite(held.model, TransactionOrigin(), isMigration: true)
        do {
            let current = try transaction.metadata()
            guard current.versionHashes == metadata.versionHashes else {
                throw StoreError(.incompatibleModel, .migrate, "another process migrates the store", path: description.path)
            }
            let roots = Set(entry.entities.map { held.model.entities[$0].root }).sorted()
            let lastReferences = try roots.reduce(into: [EntityIndex: Int64]()) { references, root in
                references[root] = try transaction.reserveReferences(1, root: root) - 1
            }
            var migrated = try current.migrated(to: model, configuration: configuration)
            migrated.userInfo.merge(method.note) { $1 }
            let scope = entry.store.capabilities.referenceScope
            func noteRenaming(_ routes: MigrationRoutes?) throws {
                if migrated.keepsHistory { migrated.historyRenamings.append(.init(number: try entry.lastHistoryNumber(), routes)) }
            }
            if let engine {
                try noteRenaming(nil)
                coordinator.entries.withLock { $0.append(StoreEntry(beingMigrated: entry)) }
                let contents = try engine.contents(
                    MappedMigration(
                        mapping: mapping, source: coordinator, storeID: entry.store.id, sourceEntities: entry.entities, entities: entities,
                        lastReferences: lastReferences, scope: scope, report: report))
                try transaction.migrate(
                    StoreMigration(
                        routes: nil, model: model, configuration: configuration, metadata: migrated,
                        lastReferences: contents.lastReferences, batches: { try $1(contents.changes) }))
            } else {
                let routes = try MigrationRoutes(mapping, lastReferences: lastReferences, scope: scope)
                try noteRenaming(routes)
                let contents = MigratedContents(routes, sourceEntities: entry.entities, entities: entities, report)
                try transaction.migrate(
                    StoreMigration(
                        routes: routes, model: model, configuration: configuration, metadata: migrated,
                        lastReferences: routes.lastReferences, batches: { try contents.forEachBatch(of: $0, $1) }))
            }
            try report.update(1, of: 1)
            try transaction.prepare()
            try transaction.commit()
        } catch {
            transaction.rollback()
            throw (error as? StoreError)?.during(.migrate).at(description.path) ?? error
        }
    }
}
