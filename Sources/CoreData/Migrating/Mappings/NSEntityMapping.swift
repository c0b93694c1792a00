import StrataModel
import StrataQuery
import StrataText

/// The mapping of an entity of the source to an entity of the destination.
open class NSEntityMapping: NSObject {
    /// The name that expressions and policies refer to it by, unique in its mapping model.
    open var name: String!
    /// The kind of mapping; undefined by default.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
    /// The name of the entity in the source; `nil` for an entity that is new.
    open var sourceEntityName: String?
    /// The version hash of the entity in the source, where it is known.
    open var sourceEntityVersionHash: Data?
    /// The name of the entity in the destination; `nil` for an entity that was removed.
    open var destinationEntityName: String?
    /// The version hash of the entity in the destination, where it is known.
    open var destinationEntityVersionHash: Data?
    /// The mappings of attributes, in the order in which they are carried out.
    open var attributeMappings: [NSPropertyMapping]?
    /// The mappings of relationships, in the order in which they are carried out.
    open var relationshipMappings: [NSPropertyMapping]?
    /// The expression of the objects to migrate: a fetch, or an array of objects of the source.
    ///
    /// Without one it is all objects of the entity itself; those of sub-entities have mappings of their own.
    open var sourceExpression: NSExpression?
    /// Custom data of the application, for its policies.
    open var userInfo: [AnyHashable: Any]?
    /// The name of the subclass of `NSEntityMigrationPolicy` , with or without its module; `nil` for the standard one.
    open var entityMigrationPolicyClassName: String?

    /// The name and the entities, for a person to read.
    open override var description: String {
        "<NSEntityMapping name \(name ?? ""), \(sourceEntityName ?? "(null)") to \(destinationEntityName ?? "(null)")>"
    }

    /// Returns whether another mapping maps the same versions of the entities in the same way.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return other.wording == wording && other.sourceEntityVersionHash == sourceEntityVersionHash
            && other.destinationEntityVersionHash == destinationEntityVersionHash
    }
    /// The hash value of the name and the entities.
    open override var hash: Int { [name, sourceEntityName, destinationEntityName].hashValue }

    /// Creates a mapping with Core Data's expressions for one of the graph's; throws for a malformed expression.
    convenience init(_ mapping: EntityMapping, in model: MappingModel) throws {
        self.init()
        let source = mapping.source.flatMap { model.source.entity(named: $0) }
        let destination = mapping.destination.flatMap { model.destination.entity(named: $0) }
        name = mapping.name
        mappingType = NSEntityMappingType(mapping.kind)
        sourceEntityName = mapping.source
        sourceEntityVersionHash = source.map { Data($0.versionHash) }
        destinationEntityName = mapping.destination
        destinationEntityVersionHash = destination.map { Data($0.versionHash) }
        entityMigrationPolicyClassName = mapping.policy
        userInfo = mapping.userInfo.isEmpty ? nil : mapping.userInfo
        if let source, destination != nil || mapping.policy != nil {
            sourceExpression = MappingExpressions.fetch(source.name, where: mapping.condition)
        }
        attributeMappings = []
        relationshipMappings = []
        for property in mapping.properties {
            let made = NSPropertyMapping()
            made.name = property.name
            let isRelationship = destination?.property(named: property.name)?.relationship != nil
            made.valueExpression = try MappingExpressions.value(of: property, isRelationship: isRelationship)
            if isRelationship { relationshipMappings?.append(made) } else { attributeMappings?.append(made) }
        }
    }

    /// The name of an inferred mapping of this kind.
    final var inferredName: String {
        let kind =
            switch mappingType {
            case .addEntityMappingType: "Add"
            case .removeEntityMappingType: "Remove"
            case .copyEntityMappingType: "Copy"
            default: "Transform"
            }
        return "IEM_\(kind)_\(destinationEntityName ?? sourceEntityName ?? "")"
    }

    /// Returns the names of the properties that an inferred mapping maps, adds and removes, as Core Data lists them.
    final func inferredInfo(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> [AnyHashable: Any]? {
        guard let before = sourceEntityName.flatMap({ source.entitiesByName[$0] }),
            let after = destinationEntityName.flatMap({ destination.entitiesByName[$0] })
        else { return nil }
        func stored(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
            entity.properties.filter { !($0 is NSFetchedPropertyDescription) }
        }
        let known = Set(stored(before).map(\.name))
        let present = stored(after).map { (name: $0.name, former: $0.formerName ?? $0.name) }
        let mapped = present.filter { known.contains($0.former) }
        return [
            "mappedProperties": Set(mapped.map(\.name)),
            "addedProperties": Set(present.filter { !known.contains($0.former) }.map(\.name)),
            "removedProperties": known.subtracting(mapped.map(\.former)),
        ]
    }

    /// All properties of the mapping, as comparable texts.
    final var wording: [String?] {
        let properties = (attributeMappings ?? []) + (relationshipMappings ?? [])
        return [
            name, "\(mappingType.rawValue)", sourceEntityName, destinationEntityName, sourceExpression?.description,
            entityMigrationPolicyClassName,
            userInfo.map { StoredInfo.texts(of: $0.mapValues { ($0 as? Set<String>)?.sorted() ?? $0 }).sortedByKey().description },
        ] + properties.flatMap { [$0.name, $0.valueExpression?.description] }
    }
}

extension NSEntityMappingType {
    fileprivate init(_ kind: EntityMapping.Kind) {
        self =
            switch kind {
            case .add: .addEntityMappingType
            case .remove: .removeEntityMappingType
            case .copy: .copyEntityMappingType
            case .transform: .transformEntityMappingType
            case .custom: .customEntityMappingType
            }
    }
}

/// The source of the value of one property of the destination.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the destination.
    open var name: String?
    /// The expression of the value, with `$source`, the source object, `$manager`, `$entityPolicy` and other variables.
    ///
    /// Without one an attribute has its default, and a relationship is empty.
    open var valueExpression: NSExpression?
    /// Custom data of the application, which the migration ignores.
    open var userInfo: [AnyHashable: Any]?

    /// Returns whether another mapping gives the property of the same name the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPropertyMapping).map { $0.name == name && $0.valueExpression == valueExpression } ?? false
    }
    /// The hash value of the name.
    open override var hash: Int { name.hashValue }

    /// The name and the expression, for a person to read.
    open override var description: String {
        "<NSPropertyMapping name \(name ?? ""), valueExpression \(valueExpression?.description ?? "(null)")>"
    }
}

/// The expressions of mapping models, and the selectors of their functions.
enum MappingExpressions {
    static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
    static let sourceContext = "sourceContext"
    static let destinations = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    static let relatedDestinations = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    static let sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"

    /// Returns the expression that fetches the objects of an entity that meet a condition.
    static func fetch(_ entity: String, where condition: String?) -> NSExpression {
        let arguments = [entity, condition ?? "TRUEPREDICATE"].map { NSExpression(forConstantValue: $0) }
        let request = call(fetchRequest, arguments)
        return NSFetchRequestExpression.expression(forFetch: request, context: call(sourceContext), countOnly: false)
    }

    /// Returns the expression for the value of a property; `nil` for its default.
    static func value(of property: PropertyMapping, isRelationship: Bool) throws -> NSExpression? {
        switch property.origin {
        case .defaultValue: return nil
        case .property(let name):
            let value = NSExpression(.keyPath(NSExpression(forVariable: NSMigrationSourceObjectKey), name))
            return isRelationship ? call(relatedDestinations, [NSExpression(forConstantValue: name), value]) : value
        case .expression(let text): return NSExpression.make(try QueryExpression(format: text))
        }
    }

    private static func call(_ selector: String, _ arguments: [NSExpression] = []) -> NSExpression {
        NSExpression(.call(NSExpression(forVariable: NSMigrationManagerKey), selector, arguments))
    }
}
