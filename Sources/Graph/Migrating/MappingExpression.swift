import StrataStore

/// An expression of a mapping, which computes a destination property from a source object.
struct MappingExpression {
    private let expression: QueryExpression

    /// - Throws: `MappingError` where the text is malformed, or names a variable that mappings do not have.
    init(_ text: String, _ property: PropertyMapping, _ mapping: EntityMapping) throws {
        do { expression = try QueryExpression(format: text) } catch { throw MappingExpression.refused("\(error)", property, mapping) }
        for variable in expression.variables where !MappingExpression.variables.contains(variable) {
            throw MappingExpression.refused(
                "there is no variable $\(variable); there are $source, $manager and $entityPolicy", property, mapping)
        }
    }

    private static func refused(_ message: String, _ property: PropertyMapping, _ mapping: EntityMapping) -> MappingError {
        MappingError(.invalidExpression, entity: mapping.destination ?? "", property: property.name, "\(message) (mapping \(mapping.name))")
    }

    /// Checks that the keys of the expression exist; throws `MappingError`.
    func check(
        for entity: EntityDescription, in model: ManagedObjectModel, _ property: PropertyMapping, _ mapping: EntityMapping
    ) throws {
        if case .variable = expression { return }
        if case .path(.variable("source"), let path) = expression,
            MappingExpression.relationships(of: path, from: entity, in: model) != nil
        {
            return
        }
        do {
            // Results of the program's functions are known at the call only; their arguments are checked.
            let plain = try expression.replacingExpressions { part in
                switch part {
                case .variable("source"): .evaluatedObject
                case .path(.variable("source"), let path): .keyPath(path)
                case .custom: .constant(.null)
                default: nil
                }
            }
            if case .constant = plain { return }
            _ = try plain.resolved(for: entity, in: model)
        } catch { throw MappingExpression.refused("\(error)", property, mapping) }
    }

    /// Returns a path's relationships, and whether it may reference several objects; `nil` for an attribute's path.
    fileprivate static func relationships(
        of path: String, from entity: EntityDescription, in model: ManagedObjectModel
    ) -> (names: [String], isToMany: Bool)? {
        var entity = entity
        var isToMany = false
        var names: [String] = []
        for name in path.split(separator: ".").map(String.init) {
            if unions.contains(name) {
                isToMany = true
                continue
            }
            guard let relationship = entity.property(named: name)?.relationship else { return nil }
            isToMany = isToMany || relationship.isToMany
            entity = model.destination(of: relationship)
            names.append(name)
        }
        return (names, isToMany)
    }

    private static let variables: Set<String> = ["source", "manager", "entityPolicy"]

    /// Returns the value for an object as `value(forKey:)` does: values, objects, and arrays of them.
    func value(_ source: ManagedObject, _ manager: MigrationManager, _ policy: EntityMigrationPolicy) throws -> Any? {
        try value(of: expression, source, manager, policy)
    }

    private func value(
        of expression: QueryExpression, _ source: ManagedObject, _ manager: MigrationManager, _ policy: EntityMigrationPolicy
    ) throws -> Any? {
        switch expression {
        case .variable("source"): return source
        case .constant(let value): return value.asAny
        case .path(.variable("source"), let path), .keyPath(let path):
            if let end = try source.end(ofPath: path) { return end.isToMany ? end.objects : end.objects.first }
        case .custom(let target, let selector, let arguments) where target == .variable("manager"):
            return try manager.value(selector, try arguments.map { try value(of: $0, source, manager, policy) })
        case .custom(let target, let selector, let arguments) where target == .variable("entityPolicy"):
            let arguments = try arguments.map { try value(of: $0, source, manager, policy) }
            return try policy.value(forSelector: selector, arguments: arguments, manager: manager)
        default: break
        }
        return try plainValue(of: expression, source, manager, policy)
    }

    private func plainValue(
        of expression: QueryExpression, _ source: ManagedObject, _ manager: MigrationManager, _ policy: EntityMigrationPolicy
    ) throws -> Any? {
        let plain: QueryExpression = try expression.replacingExpressions { part in
            switch part {
            case .variable("source"): .evaluatedObject
            case .path(.variable("source"), let path): .keyPath(path)
            case .custom(let target, _, _) where target == .variable("manager") || target == .variable("entityPolicy"):
                .constant(try Value(of: try value(of: part, source, manager, policy)))
            default: nil
            }
        }
        let result = try plain.value(with: source)
        if case .objectID(let id) = result { return manager.sourceContext.object(with: id) }
        return result.asAny
    }

    /// Returns the objects in an expression's value; those of a set in the order of their references.
    static func objects(in value: Any?) -> [ManagedObject] {
        switch value {
        case let object as ManagedObject: [object]
        case let list as [ManagedObject]: list
        case let set as Set<ManagedObject>: set.sorted { $0.objectID.reference < $1.objectID.reference }
        default: []
        }
    }
}

extension MigrationManager {
    /// Returns the value of a function of `$manager`, by Core Data's selectors.
    fileprivate func value(_ selector: String, _ arguments: [Any?]) throws -> Any? {
        let name = arguments.first.flatMap { $0 as? String }
        let objects = MappingExpression.objects(in: arguments.last ?? nil)
        guard let name, arguments.count == 2
        else { throw StoreError(.unsupported, .migrate, "$manager's \(selector) takes a name and objects") }
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            guard mapping.entityMappings.contains(where: { $0.name == name }) else { throw noMapping(name) }
            return destinationInstances(forEntityMappingName: name, sourceInstances: objects).uniqued()
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return objects.flatMap { source in
                mapping.entityMappings.lazy.filter { $0.source == source.entity.name }
                    .map { self.destinationInstances(forEntityMappingName: $0.name, sourceInstances: [source]) }
                    .first { !$0.isEmpty } ?? []
            }.uniqued()
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            guard mapping.entityMappings.contains(where: { $0.name == name }) else { throw noMapping(name) }
            return sourceInstances(forEntityMappingName: name, destinationInstances: objects).uniqued()
        default: throw StoreError(.unsupported, .migrate, "$manager does not answer \(selector)")
        }
    }

    private func noMapping(_ name: String) -> MappingError {
        MappingError(.unknownEntity, entity: currentEntityMapping?.destination ?? "", "there is no mapping \(name)")
    }
}

extension ManagedObject {
    /// Returns the objects of a relationship path, and whether it may be several; `nil` for an attribute's path.
    fileprivate func end(ofPath path: String) throws -> (objects: [ManagedObject], isToMany: Bool)? {
        guard let model = managedObjectContext?.model,
            let (names, isToMany) = MappingExpression.relationships(of: path, from: entity, in: model)
        else { return nil }
        var objects = [self]
        for name in names { objects = try objects.flatMap { MappingExpression.objects(in: try $0.value(forKey: name)) } }
        return (objects.uniqued(), isToMany)
    }
}

extension MappingExpression {
    /// The operators that unite sets of objects; paths of objects do so by themselves.
    fileprivate static let unions: Set<String> = [
        "@distinctUnionOfSets", "@unionOfSets", "@distinctUnionOfArrays", "@unionOfArrays", "@distinctUnionOfObjects", "@unionOfObjects",
    ]
}

extension Value {
    /// Creates a part of an expression from a policy's result.
    fileprivate init(of value: Any?) throws {
        switch value {
        case nil: self = .null
        case let value as Value: self = value
        case let value as any ValueConvertible: self = value.value
        case let object as ManagedObject: self = .objectID(object.objectID)
        case let other?: throw StoreError(.wrongValue, .migrate, "a value of the type \(type(of: other)) cannot be a part of an expression")
        }
    }
}
