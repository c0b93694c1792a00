import StrataModel
import StrataStore

/// Brings one store to another version of its model.
struct StoreMigrator {
    let description: StoreDescription
    let model: ManagedObjectModel

    /// The model that the store was made with, as the store keeps it or as one of those that were given.
    ///
    /// - Throws: `StoreError` with `missingSourceModel` where neither is there.
    func sourceModel(_ metadata: StoreMetadata) throws -> ManagedObjectModel {
        if let kept = try metadata.model() { return kept }
        for model in description.earlierModels where metadata.isCompatible(with: model) { return model }
        throw StoreError(
            .missingSourceModel, .migrate,
            "the store does not keep the model that it was made with, and none of the earlier models that were given fits it",
            path: description.path)
    }

    /// The mapping from the store's model.
    ///
    /// - Throws: `StoreError` with `missingMapping` where none can be inferred, `incompatibleModel` where no entity would be left.
    func inferredMapping(from source: ManagedObjectModel) throws -> MappingModel {
        let mapping: MappingModel
        do { mapping = try MappingModel.inferred(from: source, to: model) } catch {
            throw StoreError(
                .missingMapping, .migrate, "nothing says how the store's objects become those of the new version of the model",
                path: description.path, entity: error.entity, key: error.property, underlying: error)
        }
        // More likely another application's store than a version that gave up everything.
        guard source.entities.isEmpty || mapping.entityMappings.contains(where: { $0.source != nil && $0.destination != nil }) else {
            throw StoreError(
                .incompatibleModel, .migrate,
                "the model has none of the store's entities: \(source.entities.map(\.name).joined(separator: ", "))",
                path: description.path)
        }
        return mapping
    }

    /// Migrates the store, unless it is at the model's version already.
    ///
    /// - Parameter given: How objects change; `nil` to infer it.
    func run(_ given: MappingModel? = nil) throws {
        guard let entities = model.entities(inConfiguration: description.configuration) else {
            throw StoreError(
                .unknownEntity, .migrate, "the model has no configuration \(description.configuration ?? "")", path: description.path)
        }
        // Another process may be faster, with this version or one in between.
        for attempt in 0..<4 {
            let metadata = try description.driver.metadata(at: description.location)
            if metadata.isCompatible(with: model, configuration: description.configuration) { return }
            do { return try migrate(metadata, given, Set(entities)) } catch let error as StoreError
                where error.code == .incompatibleModel && attempt < 3
            { continue }
        }
    }

    private func migrate(_ metadata: StoreMetadata, _ given: MappingModel?, _ entities: Set<EntityIndex>) throws {
        let held = try HeldEntities(of: metadata, try given?.source ?? sourceModel(metadata))
        let mapping = try (given ?? inferredMapping(from: held.model)).from(held.model)
        var old = description
        old.shouldMigrateStoreAutomatically = false
        old.configuration = held.configuration
        // Saves over several stores that were interrupted are finished here, as in any store that is opened.
        let coordinator = PersistentStoreCoordinator(model: held.model)
        let entry = try coordinator.open(checking: old)
        defer { try? entry.store.close() }
        let transaction = try entry.beginWrite(held.model, TransactionOrigin())
        do {
            let current = try transaction.metadata()
            guard current.versionHashes == metadata.versionHashes else {
                throw StoreError(.incompatibleModel, .migrate, "another process migrates the store", path: description.path)
            }
            var lastReferences: [EntityIndex: Int64] = [:]
            for root in Set(entry.entities.map { held.model.entities[$0].root }).sorted() {
                lastReferences[root] = try transaction.reserveReferences(1, root: root) - 1
            }
            let routes = try MigrationRoutes(mapping, lastReferences: lastReferences, scope: entry.store.capabilities.referenceScope)
            let contents = MigratedContents(routes, sourceEntities: entry.entities, entities: entities)
            try transaction.migrate(
                StoreMigration(
                    routes: routes, model: model, configuration: description.configuration,
                    metadata: try current.migrated(to: model, configuration: description.configuration),
                    lastReferences: routes.lastReferences, batches: { try contents.forEachBatch(of: $0, $1) }))
            try transaction.prepare()
            try transaction.commit()
        } catch {
            transaction.rollback()
            throw (error as? StoreError)?.during(.migrate).at(description.path) ?? error
        }
    }
}

/// The model that a store was made with, and the configuration of it that the store holds.
private struct HeldEntities {
    let model: ManagedObjectModel
    let configuration: String?

    init(of metadata: StoreMetadata, _ model: ManagedObjectModel) throws {
        let names = model.entities.map(\.name).filter { metadata.versionHashes[$0] != nil }
        if names.count == model.entities.count || names.isEmpty {
            self.model = model
            configuration = nil
            return
        }
        // The store tells which entities it holds, not what that configuration was called.
        var name = "of the store"
        while model.configurations.contains(name) { name += " itself" }
        let declarations = model.declarations
        self.model = try ManagedObjectModel(
            entities: declarations.entities, configurations: declarations.configurations + [EntityConfiguration(name, entities: names)],
            fetchTemplates: declarations.fetchTemplates, versionIdentifiers: model.versionIdentifiers)
        configuration = name
    }
}
