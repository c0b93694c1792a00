public import StrataModel

/// A migration by a mapping with policies: both sides as contexts, and the association of their objects.
///
/// Policies get it with every call, on the migrating thread. The source's context reads the store and is not saved;
/// objects of the destination's are validated and saved at the end, all at once. All new objects are in memory until
/// then, as in Core Data.
public final class MigrationManager {
    /// The mapping of the migration.
    public let mapping: MappingModel
    /// The objects as they were.
    public let sourceContext: ManagedObjectContext
    /// The objects as they will be.
    public let destinationContext: ManagedObjectContext
    /// Values that policies share.
    public var userInfo: [String: Any] = [:]
    /// The mapping that is being carried out; `nil` before the first and after the last.
    public internal(set) var currentEntityMapping: EntityMapping?
    /// The progress of the migration, from 0 to 1.
    public internal(set) var migrationProgress = 0.0

    /// The model that the store was made with.
    public var sourceModel: ManagedObjectModel { mapping.source }
    /// The model that the store is migrated to.
    public var destinationModel: ManagedObjectModel { mapping.destination }

    private(set) var cancellation: (any Error)?
    private var made: [String: MappedInstances] = [:]
    private var expressions: [String: MappingExpression] = [:]

    init(_ mapping: MappingModel, source: ManagedObjectContext, destination: ManagedObjectContext) throws {
        self.mapping = mapping
        sourceContext = source
        destinationContext = destination
        for entityMapping in mapping.entityMappings {
            for property in entityMapping.properties {
                guard let text = property.expression else { continue }
                expressions[text] = try MappingExpression(text, property, entityMapping)
            }
        }
    }

    /// Ends the migration before the next object, with an error; the store stays as it was.
    public func cancelMigrationWithError(_ error: any Error) { cancellation = error }

    /// Associates an object of the destination with the source object that it was made of.
    ///
    /// Of several, the first keeps the source's ID where no other object has it already.
    public func associate(
        sourceInstance source: ManagedObject, withDestinationInstance destination: ManagedObject, for mapping: EntityMapping
    ) {
        made[mapping.name, default: MappedInstances()].add(destination, of: source.objectID)
    }

    /// Returns the destination objects of source objects by a mapping, in order; all of the mapping for `nil`.
    public func destinationInstances(forEntityMappingName name: String, sourceInstances: [ManagedObject]? = nil) -> [ManagedObject] {
        guard let made = made[name] else { return [] }
        return sourceInstances.map { $0.flatMap { made.destinations(of: $0.objectID) } } ?? made.destinations
    }

    /// Returns the source objects of destination objects by a mapping; all of the mapping for `nil`.
    public func sourceInstances(forEntityMappingName name: String, destinationInstances: [ManagedObject]? = nil) -> [ManagedObject] {
        guard let made = made[name] else { return [] }
        let ids = destinationInstances.map { $0.flatMap { made.sources(of: $0) } } ?? made.sources
        return ids.map { sourceContext.object(with: $0) }
    }

    /// Returns the destination objects of an entity for source objects, by the first mapping that made such.
    public func destinationInstances(of sources: [ManagedObject], as entity: EntityDescription) -> [ManagedObject] {
        sources.flatMap { source in
            mapping.entityMappings.lazy.filter { $0.source == source.entity.name }
                .map { self.made[$0.name]?.destinations(of: source.objectID).filter { $0.entity.isKind(of: entity) } ?? [] }
                .first { !$0.isEmpty } ?? []
        }
    }

    /// Returns the reference of an object's first source.
    func originalReference(of object: ManagedObject) -> Int64? {
        mapping.entityMappings.lazy.compactMap { self.made[$0.name]?.sources(of: object).first?.reference }.first
    }

    func fillAttributes(
        of object: ManagedObject, from source: ManagedObject, _ mapping: EntityMapping, policy: EntityMigrationPolicy
    ) throws {
        for property in mapping.properties {
            guard let attribute = object.entity.property(named: property.name)?.attribute, !attribute.isDerived else { continue }
            switch property.origin {
            case .defaultValue: continue
            case .property(let name):
                guard let origin = source.entity.property(named: name)?.attribute else { continue }
                let value = try source.readValue(origin)
                guard let converted = attribute.type.converted(value)
                else { throw object.wrongValue(attribute.name, "a value of \(name) cannot be converted to \(attribute.type)") }
                if converted.isNull, attribute.isFilledByDefault { continue }
                try object.requireChangeable(attribute.name)
                object.change(attribute.index, to: converted)
            case .expression(let text):
                let value = try expressions[text]?.value(source, self, policy)
                if value == nil, attribute.isFilledByDefault { continue }
                try object.setValue(value, forKey: attribute.name)
            }
        }
    }

    func fillRelationships(of object: ManagedObject, _ mapping: EntityMapping, policy: EntityMigrationPolicy) throws {
        guard let source = sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [object]).first else { return }
        for property in mapping.properties {
            guard let relationship = object.entity.property(named: property.name)?.relationship else { continue }
            let related: [ManagedObject]
            switch property.origin {
            case .defaultValue: continue
            case .property(let name):
                let before = try MappingExpression.objects(in: source.value(forKey: name))
                related = destinationInstances(of: before, as: destinationModel.destination(of: relationship))
            case .expression(let text): related = MappingExpression.objects(in: try expressions[text]?.value(source, self, policy))
            }
            // At least the other end, or what a policy has set already.
            if !relationship.isToMany {
                if let first = related.first { try object.setValue(first, forKey: relationship.name) }
            } else if !related.isEmpty {
                let known = MappingExpression.objects(in: try object.value(forKey: relationship.name))
                let isRelated = Set(related)
                try object.setValue(related.uniqued() + known.filter { !isRelated.contains($0) }, forKey: relationship.name)
            }
        }
    }
}

extension AttributeDescription {
    fileprivate var isFilledByDefault: Bool { !isOptional && !defaultValue.isNull }
}

extension [ManagedObject] {
    func uniqued() -> [ManagedObject] {
        var known: Set<ManagedObject> = []
        return filter { known.insert($0).inserted }
    }
}

private struct MappedInstances {
    private var all: [ManagedObject] = []
    private(set) var sources: [ObjectID] = []
    private var bySource: [ObjectID: [ManagedObject]] = [:]
    private var byDestination: [ObjectIdentifier: [ObjectID]] = [:]

    mutating func add(_ destination: ManagedObject, of source: ObjectID) {
        if byDestination[ObjectIdentifier(destination)] == nil { all.append(destination) }
        if bySource[source] == nil { sources.append(source) }
        bySource[source, default: []].append(destination)
        byDestination[ObjectIdentifier(destination), default: []].append(source)
    }

    /// A policy may have deleted objects.
    var destinations: [ManagedObject] { all.filter { !$0.isForgotten && !$0.isDeleted } }

    func destinations(of source: ObjectID) -> [ManagedObject] { (bySource[source] ?? []).filter { !$0.isForgotten && !$0.isDeleted } }
    func sources(of destination: ManagedObject) -> [ObjectID] { byDestination[ObjectIdentifier(destination)] ?? [] }
}
