import StrataCoordinator
import StrataStore

/// A migration by a mapping through two contexts, in the three passes of Core Data's migration manager.
struct PolicyMigration: MappingEngine {
    let policies: [String: EntityMigrationPolicy.Type]

    func check(_ mapping: MappingModel) throws {
        for entityMapping in mapping.entityMappings {
            _ = try policy(of: entityMapping)
            let source = entityMapping.source.flatMap { mapping.source.entity(named: $0) }
            if let source, let condition = try condition(of: entityMapping) {
                do { _ = try condition.resolved(for: source, in: mapping.source) } catch {
                    throw unusable(entityMapping, error)
                }
            }
            for property in entityMapping.properties {
                guard let text = property.expression else { continue }
                let expression = try MappingExpression(text, property, entityMapping)
                if let source { try expression.check(for: source, in: mapping.source, property, entityMapping) }
            }
        }
    }

    func contents(_ migration: MappedMigration) throws -> (changes: ChangeSet, lastReferences: [EntityIndex: Int64]) {
        let coordinator = NewObjectsCoordinator(
            try migration.mapping.destination.withoutClasses(), storeID: migration.storeID, entities: migration.entities,
            references: MigrationReferences(migration))
        let (source, destination) = (ManagedObjectContext(migration.source), ManagedObjectContext(coordinator))
        let manager = try MigrationManager(
            migration.mapping.from(source.model, to: destination.model), source: source, destination: destination)
        try carryOut(manager, migration)
        do {
            try destination.processPendingChanges()
            try keepReferences(manager, coordinator)
            var validator = Validator(destination)
            try validator.validate(destination.tracker.changed)
            var changes = try destination.saveChangesRequest().parts.first { $0.storeID == migration.storeID }?.changes ?? ChangeSet()
            let entities = destination.model.entities
            changes.inserted.sort { (entities[$0.entityIndex].root, $0.reference) < (entities[$1.entityIndex].root, $1.reference) }
            return (changes, coordinator.lastReferences)
        } catch let error as ValidationError {
            throw StoreError(
                .migration, .migrate, "an object breaks the new model's rules: \(error)", entity: error.failures.first?.entity,
                key: error.failures.first?.key, underlying: error)
        }
    }

    private func carryOut(_ manager: MigrationManager, _ migration: MappedMigration) throws {
        // Of a removed entity nothing is made, unless by a policy.
        let mappings = manager.mapping.entityMappings.filter { $0.destination != nil || $0.policy != nil }
        let policies = try mappings.map { try policy(of: $0) }
        let held = Set(migration.sourceEntities.map { manager.sourceModel.entities[$0].name })
        let ids = try mappings.map { mapping in
            guard let entity = mapping.source, held.contains(entity) else { return [ObjectID]() }
            var request = ObjectFetchRequest<ManagedObject>(entityName: entity, try condition(of: mapping))
            request.includesSubentities = false
            return try manager.sourceContext.fetchObjectIDs(request)
        }
        var work = Work(manager: manager, report: migration.report, total: 2 * ids.reduce(0) { $0 + $1.count } + 1)
        for ((mapping, policy), ids) in zip(zip(mappings, policies), ids) {
            try work.step(mapping) { try policy.begin(mapping, manager: manager) }
            for start in stride(from: 0, to: ids.count, by: PolicyMigration.batchSize) {
                let batch = Array(ids[start..<min(start + PolicyMigration.batchSize, ids.count)])
                for source in try manager.sourceContext.existingObjects(with: batch) {
                    try work.step(mapping, isObject: true) {
                        try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager)
                    }
                }
            }
            try work.step(mapping) { try policy.endInstanceCreation(forMapping: mapping, manager: manager) }
        }
        for (mapping, policy) in zip(mappings, policies) {
            for object in manager.destinationInstances(forEntityMappingName: mapping.name) {
                try work.step(mapping, isObject: true) {
                    try policy.createRelationships(forDestination: object, in: mapping, manager: manager)
                }
            }
            try work.step(mapping) { try policy.endRelationshipCreation(forMapping: mapping, manager: manager) }
        }
        for (mapping, policy) in zip(mappings, policies) {
            try work.step(mapping) {
                try policy.performCustomValidation(forMapping: mapping, manager: manager)
                try policy.end(mapping, manager: manager)
            }
        }
        manager.currentEntityMapping = nil
    }

    private static let batchSize = 1000

    private func policy(of mapping: EntityMapping) throws -> EntityMigrationPolicy {
        guard let name = mapping.policy else { return EntityMigrationPolicy() }
        // Xcode names the class with its module.
        guard let type = policies[name] ?? name.split(separator: ".").last.flatMap({ policies[String($0)] }) else {
            throw MappingError(
                .unknownPolicy, entity: mapping.destination ?? mapping.source ?? "",
                "the mapping \(mapping.name) names the policy \(name), which was not given")
        }
        return type.init()
    }

    private func condition(of mapping: EntityMapping) throws -> QueryPredicate? {
        do { return try mapping.condition.map { try QueryPredicate(format: $0) } } catch { throw unusable(mapping, error) }
    }

    private func unusable(_ mapping: EntityMapping, _ error: any Error) -> MappingError {
        MappingError(
            .invalidExpression, entity: mapping.source ?? "", "the condition of the mapping \(mapping.name) means nothing: \(error)")
    }

    /// Gives all objects their references: the former ones, where possible.
    private func keepReferences(_ manager: MigrationManager, _ coordinator: NewObjectsCoordinator) throws {
        let context = manager.destinationContext
        let new = context.tracker.changed.filter { $0.isNew && $0.objectID.isTemporary && !$0.isDeleted }
        var others: [ManagedObject] = []
        func rename(_ object: ManagedObject, keeping wanted: Int64?) throws {
            let storeID = try coordinator.storeForNewObjects(of: object.entity)
            let reference = try coordinator.reference(keeping: wanted, root: object.entity.root)
            let scope = try coordinator.scopes(ofStore: storeID)[object.entityIndex]
            context.identity.rename(object, to: ObjectID(scope: scope, reference: reference), remembering: true)
        }
        for object in new {
            if let wanted = manager.originalReference(of: object) { try rename(object, keeping: wanted) } else { others.append(object) }
        }
        for object in others { try rename(object, keeping: nil) }
        context.tracker.rename(context.identity.permanent)
    }
}

/// The steps of the migration, with its progress.
private struct Work {
    let manager: MigrationManager
    let report: MigrationReport
    let total: Int
    var done = 0

    mutating func step(_ mapping: EntityMapping, isObject: Bool = false, _ body: () throws -> Void) throws {
        manager.currentEntityMapping = mapping
        do { try body() } catch let error as StoreError { throw error } catch let error as MappingError {
            throw StoreError(
                .missingMapping, .migrate, "the mapping \(mapping.name) means nothing", entity: error.entity, key: error.property,
                underlying: error)
        } catch {
            throw StoreError(
                .entityMigrationPolicy, .migrate, "the mapping \(mapping.name) failed: \(error)", entity: mapping.destination,
                underlying: error)
        }
        if let error = manager.sourceContext.lastFaultError ?? manager.destinationContext.lastFaultError { throw error }
        guard manager.destinationContext.saveState.discards == 0 else {
            throw StoreError(
                .entityMigrationPolicy, .migrate,
                "the mapping \(mapping.name) failed: its policy rolled back or reset the context that holds all new objects",
                entity: mapping.destination)
        }
        if let error = manager.cancellation { throw report.cancelled(because: error) }
        if isObject { done += 1 }
        manager.migrationProgress = Double(done) / Double(total)
        if !isObject || done % 500 == 0 { try report.update(done, of: total, entity: mapping.destination) }
    }
}

extension ManagedObjectModel {
    /// Returns the model without classes: a class belongs to one version.
    fileprivate func withoutClasses() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: declarations.entities.map { $0.with { $0.objectClass = nil } }, configurations: declarations.configurations,
            fetchTemplates: declarations.fetchTemplates, versionIdentifiers: versionIdentifiers)
    }
}
