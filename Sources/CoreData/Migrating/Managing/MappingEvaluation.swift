import StrataEvaluation
import StrataGraph
import StrataModel
import StrataQuery

/// Computes the expressions of an entity mapping for one object of the source.
struct MappingEvaluation {
    private let manager: NSMigrationManager
    private let mapping: NSEntityMapping
    private let policy: NSEntityMigrationPolicy
    private let source: NSManagedObject?
    private let destination: NSManagedObject?
    private var property: NSPropertyMapping?
    /// The destination entity of the relationship.
    private var target: NSEntityDescription?

    init(
        _ manager: NSMigrationManager, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy, from source: NSManagedObject? = nil,
        to destination: NSManagedObject? = nil
    ) {
        self.manager = manager
        self.mapping = mapping
        self.policy = policy
        self.source = source
        self.destination = destination
    }

    /// Returns the value of a property's expression: a value as of `value(forKey:)`, an object, or an array of objects.
    ///
    /// - Throws: An `NSError` for a malformed expression; the errors of the policy.
    func value(of expression: NSExpression, for property: NSPropertyMapping, leadingTo target: NSEntityDescription? = nil) throws -> Any? {
        var evaluation = self
        (evaluation.property, evaluation.target) = (property, target)
        return try evaluation.value(of: expression)
    }

    /// Returns the objects to migrate.
    func sources() throws -> [NSManagedObject] {
        guard let expression = mapping.sourceExpression else {
            guard let name = mapping.sourceEntityName else { return [] }
            return try manager.sourceContext.fetch(request(name, "TRUEPREDICATE"))
        }
        return MappingEvaluation.objects(in: try value(of: expression))
    }

    /// Returns the objects in an expression's value, each once; those of a set sorted by reference.
    static func objects(in value: Any?) -> [NSManagedObject] {
        let found: [NSManagedObject]
        switch value {
        case let object as NSManagedObject: found = [object]
        case let set as NSSet:
            found = set.flatMap { objects(in: $0) }.sorted { $0.objectID.id.reference < $1.objectID.id.reference }
        case let set as NSOrderedSet: found = set.array.flatMap { objects(in: $0) }
        case let array as [Any]: found = array.flatMap { objects(in: $0) }
        default: found = []
        }
        var seen: Set<NSManagedObject> = []
        return found.filter { seen.insert($0).inserted }
    }

    // MARK: - Expressions

    private func value(of expression: NSExpression) throws -> Any? {
        switch expression.content {
        case .request(let request, let context, let countOnly): return try result(of: request, in: context, countOnly: countOnly)
        case .constant(let constant, _): return constant
        case .variable(let name): return try variable(name)
        case .keyPath(let base?, let path): return try value(at: path, of: try value(of: base))
        case .call(let target, let selector, let arguments): return try call(target, selector, arguments)
        default: return try plain(expression).expressionValue(with: source, context: variables)
        }
    }

    private func value(at path: String, of base: Any?) throws -> Any? {
        if base as? NSMigrationManager === manager, path == MappingExpressions.sourceContext { return manager.sourceContext }
        guard let object = base as? NSManagedObject else {
            return NSExpression(forKeyPath: path).expressionValue(with: base, context: nil)
        }
        let first = path.split(separator: ".").first.map(String.init) ?? path
        guard object.hasProperty(first) else { throw meaningless("the entity \(object.entity.name ?? "") has no property \(first)") }
        // Nested sets are flattened where their objects are looked up.
        let parts = path.split(separator: ".").map(String.init).filter { !MappingEvaluation.nestedUnions.contains($0) }
        return object.value(forKeyPath: parts.joined(separator: "."))
    }

    private static let nestedUnions: Set<String> = ["@distinctUnionOfSets", "@unionOfSets", "@distinctUnionOfArrays", "@unionOfArrays"]

    private var variables: NSMutableDictionary {
        let variables = NSMutableDictionary()
        for name in MappingEvaluation.names { if let value = try? variable(name) { variables[name] = value } }
        return variables
    }

    private static let names = [
        NSMigrationManagerKey, NSMigrationSourceObjectKey, NSMigrationDestinationObjectKey, NSMigrationEntityMappingKey,
        NSMigrationPropertyMappingKey, NSMigrationEntityPolicyKey,
    ]

    private func variable(_ name: String) throws -> Any? {
        switch name {
        case NSMigrationManagerKey: manager
        case NSMigrationSourceObjectKey: source
        case NSMigrationDestinationObjectKey: destination
        case NSMigrationEntityMappingKey: mapping
        case NSMigrationPropertyMappingKey: property
        case NSMigrationEntityPolicyKey: policy
        default: throw meaningless("there is no variable $\(name)")
        }
    }

    /// Returns the expression with the migration's own variables and functions replaced by their values.
    private func plain(_ expression: NSExpression) throws -> NSExpression {
        switch expression.content {
        case .call, .keyPath(.some, _): return NSExpression(forConstantValue: try value(of: expression))
        case .variable(let name) where MappingEvaluation.names.contains(name):
            return NSExpression(forConstantValue: try variable(name))
        case .function(let name, _) where !ExpressionFunction.exists(name): throw meaningless("there is no function \(name)")
        case .element(let base, let index): return NSExpression(.element(try plain(base), index))
        case .block, .request: return expression
        default: return try expression.replacingParts(plain)
        }
    }

    private func meaningless(_ reason: String) -> NSError {
        let property = property?.name.map { " for \($0)" } ?? ""
        return MigrationErrors.meaningless(mapping, reason + property)
    }

    // MARK: - Functions

    private func call(_ target: NSExpression, _ selector: String, _ arguments: [NSExpression]) throws -> Any? {
        let values = try arguments.map { try value(of: $0) }
        switch try value(of: target) {
        case let found as NSMigrationManager where found === manager: return try answer(selector, values)
        case let found as NSEntityMigrationPolicy where found === policy:
            return try policy.value(forSelector: selector, arguments: values, manager: manager)
        case let object where ExpressionFunction.pathSelectors.contains(selector):
            guard let path = values.first as? String else { throw meaningless("\(selector) takes a path") }
            return try value(at: path, of: object)
        case let object:
            guard ExpressionFunction.exists(selector) else { throw meaningless("there is no function \(selector)") }
            let operands = [object] + values
            return NSExpression(.function(selector, operands.map { NSExpression(forConstantValue: $0) }))
                .expressionValue(with: source, context: nil)
        }
    }

    /// Returns the results of the manager's selectors.
    private func answer(_ selector: String, _ arguments: [Any?]) throws -> Any? {
        if selector == MappingExpressions.sourceContext { return manager.sourceContext }
        if let function = ManagedFunction.named(selector, of: manager) { return try function.call(manager, arguments) }
        guard arguments.count == 2, let name = arguments[0] as? String else {
            throw meaningless("$manager does not answer \(selector) with \(arguments.count) arguments")
        }
        switch selector {
        case MappingExpressions.fetchRequest: return try request(name, arguments[1] as? String ?? "TRUEPREDICATE")
        case MappingExpressions.destinations, MappingExpressions.sources:
            if manager.mappingModel.entityMappingsByName[name] == nil { throw meaningless("there is no entity mapping \(name)") }
            let objects = MappingEvaluation.objects(in: arguments[1])
            return selector == MappingExpressions.destinations
                ? manager.destinationInstances(forEntityMappingName: name, sourceInstances: objects)
                : manager.sourceInstances(forEntityMappingName: name, destinationInstances: objects)
        case MappingExpressions.relatedDestinations:
            return MappingEvaluation.objects(in: arguments[1]).flatMap { destinations(of: $0) }
        default: throw meaningless("$manager does not answer \(selector)")
        }
    }

    /// Returns the objects that an object was migrated to, by the first mapping with a destination entity.
    private func destinations(of object: NSManagedObject) -> [NSManagedObject] {
        let entity = object.entity.name
        for mapping in manager.mappingModel.entityMappings ?? [] where mapping.sourceEntityName == entity {
            let made = manager.destinationInstances(forEntityMappingName: mapping.name ?? "", sourceInstances: [object])
            let fitting = made.filter { made in target.map { made.entity.isKindOf(entity: $0) } ?? true }
            if !fitting.isEmpty { return fitting }
        }
        return []
    }

    // MARK: - Fetches

    private func request(_ entity: String, _ condition: String) throws -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        do { request.predicate = NSPredicate.make(try QueryPredicate(format: condition)) } catch {
            throw meaningless("the condition \(condition) cannot be read: \(error)")
        }
        return request
    }

    private func result(of request: NSExpression, in context: NSExpression, countOnly: Bool) throws -> Any? {
        let request = try value(of: request)
        if let request = request as? NSFetchRequest<NSManagedObject>, !countOnly { return try manager.sourceContext.fetch(request) }
        return NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: try value(of: context)),
            countOnly: countOnly
        ).expressionValue(with: source, context: variables)
    }
}

/// An object of the destination, with its entity mapping.
struct MappedObject {
    private let object: NSManagedObject
    private let mapping: NSEntityMapping
    private let manager: NSMigrationManager
    private let evaluation: MappingEvaluation

    init(
        _ object: NSManagedObject, of source: NSManagedObject, _ mapping: NSEntityMapping, _ manager: NSMigrationManager,
        _ policy: NSEntityMigrationPolicy
    ) {
        self.object = object
        self.mapping = mapping
        self.manager = manager
        evaluation = MappingEvaluation(manager, mapping, policy, from: source, to: object)
    }

    /// Inserts a new object of a mapping's entity; throws if the entity does not exist, or is abstract.
    static func insert(_ mapping: NSEntityMapping, _ manager: NSMigrationManager) throws -> NSManagedObject {
        guard let entity = manager.destinationEntity(for: mapping), !entity.isAbstract else {
            throw MigrationErrors.meaningless(mapping, "no object can be made of the entity \(mapping.destinationEntityName ?? "")")
        }
        return NSManagedObject(entity: entity, insertInto: manager.destinationContext)
    }

    // MARK: - Attributes

    func fillAttributes() throws {
        let entity = (object as ManagedObject).entity
        for property in mapping.attributeMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression else { continue }
            let attribute = entity.attribute(named: name)
            if attribute?.isDerived == true { continue }
            let value = try evaluation.value(of: expression, for: property)
            if value == nil || value is NSNull, let attribute, !attribute.isOptional && !attribute.defaultValue.isNull { continue }
            let type = attribute?.type
            let converted = value.flatMap { Operand.scalar($0) }.flatMap { type?.converted($0) }
            try set(Boxing.unboxed(converted.map { Boxing.boxed($0, type) } ?? value, type), name)
        }
    }

    private func set(_ value: Any?, _ name: String) throws {
        do { try (object as ManagedObject).setValue(value, forKey: name) } catch {
            throw MigrationErrors.meaningless(mapping, "\(mapping.destinationEntityName ?? "").\(name) cannot be set: \(error)")
        }
    }

    // MARK: - Relationships

    func fillRelationships() throws {
        let entity = object.entity
        for property in mapping.relationshipMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression,
                let relationship = entity.relationshipsByName[name], let destination = relationship.destinationEntity
            else { continue }
            let value = try evaluation.value(of: expression, for: property, leadingTo: destination)
            let related = MappingEvaluation.objects(in: value)
            if let foreign = related.first(where: { $0.managedObjectContext !== manager.destinationContext }) {
                throw MigrationErrors.meaningless(
                    mapping, "\(expression) gives for \(name) an object of another context than the destination's: \(foreign.objectID)")
            }
            try relate(related, name, isToMany: relationship.isToMany)
        }
    }

    /// Relates the object to others, and keeps the destinations that the other end, or a policy, has set already.
    private func relate(_ related: [NSManagedObject], _ name: String, isToMany: Bool) throws {
        guard !related.isEmpty else { return }
        if !isToMany { return try set(related.first, name) }
        let known = MappingEvaluation.objects(in: object.value(forKey: name))
        let isRelated = Set(related)
        try set(related + known.filter { !isRelated.contains($0) } as [ManagedObject], name)
    }
}
