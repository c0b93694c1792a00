import StrataModel

/// Executes the entity mappings of a migration in Core Data's three passes: create, relate, validate.
struct MigrationPasses {
    private struct Task {
        let mapping: NSEntityMapping
        let policy: NSEntityMigrationPolicy
        let sources: [NSManagedObject]
    }

    private let manager: NSMigrationManager
    private let tasks: [Task]
    private let total: Float

    /// - Throws: An `NSError` for a malformed mapping.
    init(_ manager: NSMigrationManager, _ mappings: NSMappingModel) throws {
        self.manager = manager
        var tasks: [Task] = []
        for mapping in mappings.entityMappings ?? [] {
            // A removed entity has no destination objects, except those of a policy.
            guard mapping.destinationEntityName != nil || mapping.entityMigrationPolicyClassName != nil else { continue }
            try MigrationPasses.check(mapping, manager)
            let policy = try MigrationPasses.policy(of: mapping)
            tasks.append(Task(mapping: mapping, policy: policy, sources: try MappingEvaluation(manager, mapping, policy).sources()))
        }
        self.tasks = tasks
        total = Float(2 * tasks.reduce(0) { $0 + $1.sources.count } + 1)
    }

    private static func check(_ mapping: NSEntityMapping, _ manager: NSMigrationManager) throws {
        if let name = mapping.sourceEntityName, manager.sourceEntity(for: mapping) == nil {
            throw MigrationErrors.meaningless(mapping, "the source has no entity \(name)")
        }
        guard let name = mapping.destinationEntityName else { return }
        guard let entity = manager.destinationEntity(for: mapping) else {
            throw MigrationErrors.meaningless(mapping, "the destination has no entity \(name)")
        }
        let (attributes, relationships) = (entity.attributesByName, entity.relationshipsByName)
        // A property without an expression is not set, whether there is one or not.
        for property in mapping.attributeMappings ?? [] where property.valueExpression != nil && attributes[property.name ?? ""] == nil {
            guard (property.name ?? "").contains(".") else {
                throw MigrationErrors.meaningless(mapping, "\(name) has no attribute \(property.name ?? "")")
            }
        }
        for property in mapping.relationshipMappings ?? []
        where property.valueExpression != nil && relationships[property.name ?? ""] == nil {
            throw MigrationErrors.meaningless(mapping, "\(name) has no relationship \(property.name ?? "")")
        }
    }

    func run() throws {
        var done: Float = 0
        func step(_ task: Task, isObject: Bool = false, _ body: () throws -> Void) throws {
            if isObject { done += 1 }
            try manager.step(task.mapping, done / total) { try asPolicyError(task.mapping, body) }
        }
        for task in tasks {
            let (mapping, policy) = (task.mapping, task.policy)
            try step(task) { try policy.begin(mapping, with: manager) }
            for source in task.sources {
                try step(task, isObject: true) { try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager) }
            }
            try step(task) { try policy.endInstanceCreation(forMapping: mapping, manager: manager) }
        }
        for task in tasks {
            let (mapping, policy) = (task.mapping, task.policy)
            for object in manager.destinationInstances(forEntityMappingName: mapping.name ?? "", sourceInstances: nil) {
                try step(task, isObject: true) { try policy.createRelationships(forDestination: object, in: mapping, manager: manager) }
            }
            try step(task) { try policy.endRelationshipCreation(forMapping: mapping, manager: manager) }
        }
        for task in tasks {
            try step(task) { try task.policy.performCustomValidation(forMapping: task.mapping, manager: manager) }
            try step(task) { try task.policy.end(task.mapping, manager: manager) }
        }
    }

    /// Wraps an error of a policy with the mapping's name, except errors of migrations.
    private func asPolicyError(_ mapping: NSEntityMapping, _ body: () throws -> Void) throws {
        do { try body() } catch {
            let found = cocoaError(error)
            if found.domain == NSCocoaErrorDomain, found.code == NSMigrationError { throw found }
            let reason = "the entity mapping \(mapping.name ?? "") failed: \(found.localizedDescription)"
            throw cocoaError(NSEntityMigrationPolicyError, found, ["reason": reason])
        }
    }

    /// Creates the policy of an entity mapping; throws if no class, or more than one, has the name.
    private static func policy(of mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy() }
        let ownName = name.split(separator: ".").last.map(String.init) ?? name
        let named = TypeMetadata.classes().filter { $0.name == ownName }.compactMap { $0.type as? NSEntityMigrationPolicy.Type }
        // Xcode writes the module of the application, which may be another one here.
        let exact = named.filter { String(reflecting: $0) == name }
        let found = exact.isEmpty ? named : exact
        guard let policy = found.first else {
            throw MigrationErrors.meaningless(mapping, "there is no subclass of NSEntityMigrationPolicy with the name \(name)")
        }
        guard found.count == 1 else {
            let names = found.map { String(reflecting: $0) }.sorted().joined(separator: ", ")
            throw MigrationErrors.meaningless(mapping, "the policy \(name) may be each of \(names): say its module")
        }
        return policy.init()
    }
}
