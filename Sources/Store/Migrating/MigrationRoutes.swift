/// The correspondence of entities and properties of two models, for every step of a migration.
public struct MigrationRoutes: Sendable {
    /// The mapping.
    public let mapping: MappingModel
    /// The destination's entity by that in the source; `nil` for a removed one.
    private let targets: [EntityIndex?]
    /// The offsets of references of an entity's objects, by the index in the source.
    private let offsets: [Int64]
    /// The greatest reserved reference, by the root of the hierarchy in the destination.
    public let lastReferences: [EntityIndex: Int64]

    /// The model that the store was made with.
    public var source: ManagedObjectModel { mapping.source }
    /// The model that the store is migrated to.
    public var destination: ManagedObjectModel { mapping.destination }

    /// Creates the routes of a mapping.
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - lastReferences: The greatest reserved reference, by the root of the hierarchy in the source.
    ///   - scope: The scope in which references are unique.
    /// - Throws: ``StoreError`` with `tooLarge` where the references of several hierarchies do not fit into one.
    public init(_ mapping: MappingModel, lastReferences: [EntityIndex: Int64], scope: StoreCapabilities.ReferenceScope) throws {
        self.mapping = mapping
        let (source, destination) = (mapping.source, mapping.destination)
        var targets: [EntityIndex?] = source.entities.map { _ in nil }
        for entity in destination.entities {
            if let origin = mapping.source(of: entity) { targets[origin.index] = entity.index }
        }
        self.targets = targets
        var offsets = [Int64](repeating: 0, count: source.entities.count)
        var ends: [EntityIndex: Int64] = [:]
        for root in destination.entities where root.superentity == nil {
            // Several hierarchies become one: where references are unique only within a hierarchy, those of all but the
            // first are shifted.
            let feeding = Set(root.hierarchy.compactMap { mapping.source(of: destination.entities[$0])?.root })
            var end: Int64 = 0
            for hierarchy in feeding.sorted() {
                let last = lastReferences[hierarchy] ?? 0
                let offset = scope == .hierarchy ? end : 0
                let (next, overflow) = offset.addingReportingOverflow(last)
                if overflow {
                    throw StoreError(.tooLarge, .migrate, "the references of two hierarchies do not fit into one", entity: root.name)
                }
                end = max(end, next)
                for entity in source.entities[hierarchy].hierarchy
                where targets[entity].map({ destination.entities[$0].root }) == root.index {
                    offsets[entity] = offset
                }
            }
            ends[root.index] = end
        }
        self.offsets = offsets
        self.lastReferences = ends
    }

    /// Returns the new entity of an object of the source; `nil` where it is removed.
    public func target(of entity: EntityIndex) -> EntityDescription? {
        guard targets.typedIndices().contains(entity) else { return nil }
        return targets[entity].map { destination.entities[$0] }
    }

    /// Returns the new reference of an object of the source.
    public func reference(_ reference: Int64, of entity: EntityIndex) -> Int64 { reference &+ offsets[entity] }

    /// Returns the new name of an object of the source; `nil` where it is removed, or not of an entity.
    public func target(_ object: ObjectReference, as entity: EntityIndex) -> ObjectReference? {
        guard let target = target(of: object.entity), target.isKind(of: destination.entities[entity]) else { return nil }
        return ObjectReference(entity: target.index, reference: reference(object.reference, of: object.entity))
    }

    /// Returns the offset of references where all objects of an entity and its sub-entities become objects of another.
    ///
    /// - Returns: `nil` where it depends on the object.
    public func uniformOffset(_ entity: EntityIndex, as target: EntityIndex) -> Int64? {
        let hierarchy = source.entities[entity].hierarchy.filter { !source.entities[$0].isAbstract }
        guard let first = hierarchy.first else { return 0 }
        let isUniform = hierarchy.allSatisfy { index in
            offsets[index] == offsets[first] && self.target(of: index)?.isKind(of: destination.entities[target]) == true
        }
        return isUniform ? offsets[first] : nil
    }

    /// Returns the source's property of a property in an entity of the destination.
    public func origin(of property: String, in entity: EntityDescription) -> PropertyDescription? {
        let entityMapping = mapping.mapping(to: entity)
        guard let name = entityMapping.properties.first(where: { $0.name == property })?.source else { return nil }
        return mapping.source(of: entity)?.property(named: name)
    }

    /// Returns the origin of a relationship's destinations, for objects of one entity.
    public func origin(of relationship: RelationshipDescription, in entity: EntityDescription) -> RelationshipOrigin? {
        let inverse = destination.inverse(of: relationship)
        let own = relationship.isHidden ? nil : origin(of: relationship.name, in: entity)?.relationship
        let other = inverse.flatMap { inverse in inverse.isHidden ? nil : originOfAny(inverse, relationship.destination) }
        if let own {
            // Two relationships become each other's inverse: one of them determines the destinations.
            guard let other, let inverse, !isSame(source.inverse(of: own), other) else { return .relationship(own) }
            if relationship.keepsLinks(over: inverse) { return .relationship(own) }
        }
        guard let other else { return own.map { .relationship($0) } }
        // Only an object of the destination entity is referenced, or has the inverse.
        let back = source.inverse(of: other)
        let isKept = mapping.source(of: entity)?.isKind(of: source.entities[back?.declaringEntity ?? other.destination]) == true
        return isKept ? back.map { .relationship($0) } ?? .reverse(other) : nil
    }

    /// Returns the origin of a relationship in an entity or the first of its sub-entities that has one.
    private func originOfAny(_ relationship: RelationshipDescription, _ entity: EntityIndex) -> RelationshipDescription? {
        let entities = destination.entities[entity].hierarchy.lazy.map { destination.entities[$0] }
        return entities.compactMap { origin(of: relationship.name, in: $0)?.relationship }.first
    }

    private func isSame(_ a: RelationshipDescription?, _ b: RelationshipDescription) -> Bool {
        a.map { $0.declaringEntity == b.declaringEntity && $0.index == b.index } ?? false
    }
}

extension MappingModel {
    /// Returns the entity of the source whose objects become those of one of the destination; `nil` for a new entity.
    func source(of entity: EntityDescription) -> EntityDescription? {
        mapping(to: entity).source.flatMap { source.entity(named: $0) }
    }
}

/// The origin of a relationship's destinations.
public enum RelationshipOrigin: Sendable {
    /// A relationship of the same objects.
    case relationship(RelationshipDescription)
    /// A to-one relationship without inverse that references these objects.
    case reverse(RelationshipDescription)
}
