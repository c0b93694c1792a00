/// Infers the mapping of the entities and properties of a model.
struct MappingInference {
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private let dropsLossyTypes: Bool
    /// The entities of the source, by the index of those in the destination.
    private let origins: [EntityIndex: EntityIndex]

    init(_ source: ManagedObjectModel, _ destination: ManagedObjectModel, dropsLossyTypes: Bool) throws(MappingError) {
        self.dropsLossyTypes = dropsLossyTypes
        self.source = source
        self.destination = destination
        let pairs = try Renaming.pairs(
            source.entities.map { Renaming.Name($0.name, $0.renamingIdentifier) },
            destination.entities.map { Renaming.Name($0.name, $0.renamingIdentifier) }
        ) { name, other, origin in
            MappingError(.ambiguousRenaming, entity: name, "\(other) was renamed from \(origin) too")
        }
        origins = Dictionary(uniqueKeysWithValues: pairs.map { (EntityIndex($0.key), EntityIndex($0.value)) })
    }

    func entityMappings() throws(MappingError) -> [EntityMapping] {
        var mappings: [EntityMapping] = []
        for entity in destination.entities { mappings.append(try mapping(to: entity)) }
        return mappings + removals
    }

    var removals: [EntityMapping] {
        let kept = Set(origins.values)
        return source.entities.filter { !kept.contains($0.index) }.map {
            EntityMapping(kind: .remove, source: $0.name, destination: nil, properties: [])
        }
    }

    func mapping(to entity: EntityDescription) throws(MappingError) -> EntityMapping {
        guard let origin = origins[entity.index].map({ source.entities[$0] }) else { return addition(of: entity) }
        return try mapping(from: origin, to: entity, except: [])
    }

    /// Returns the mapping of a new entity without objects.
    func addition(of entity: EntityDescription) -> EntityMapping {
        let properties = entity.properties.filter(\.isStored).map { PropertyMapping($0.name, origin: .defaultValue) }
        return EntityMapping(kind: .add, source: nil, destination: entity.name, properties: properties)
    }

    /// Returns a mapping completed by the missing properties.
    func completed(_ mapping: EntityMapping) throws(MappingError) -> EntityMapping {
        guard let entity = mapping.destination.flatMap({ destination.entity(named: $0) }) else { return mapping }
        let given = Set(mapping.properties.map(\.name))
        var inferred = addition(of: entity)
        if let origin = mapping.source.flatMap({ source.entity(named: $0) }) {
            inferred = try self.mapping(from: origin, to: entity, except: given)
        }
        return mapping.with(
            kind: !mapping.isPlain ? .custom : mapping.properties.isEmpty ? inferred.kind : .transform,
            properties: inferred.properties.map { mapping.mapping(of: $0.name) ?? $0 }
                + mapping.properties.filter { inferred.mapping(of: $0.name) == nil })
    }

    /// - Parameter given: The names of properties with given mappings.
    private func mapping(
        from origin: EntityDescription, to entity: EntityDescription, except given: Set<String>
    ) throws(MappingError) -> EntityMapping {
        let stored = entity.properties.filter(\.isStored)
        let before = origin.properties.filter(\.isStored)
        let pairs = try Renaming.pairs(before.map { $0.renaming }, stored.map { $0.renaming }) {
            name, other, origin in
            MappingError(.ambiguousRenaming, entity: entity.name, property: name, "\(other) was renamed from \(origin) too")
        }
        var properties: [PropertyMapping] = []
        for (index, property) in stored.enumerated() {
            var found = pairs[index].map { before[$0] }
            switch (property, found) {
            case (.attribute(let attribute), .attribute(let old)?):
                if old.isLossless(to: attribute) { break }
                // A derived value is recomputed.
                guard dropsLossyTypes || attribute.isDerived || given.contains(attribute.name) else {
                    throw MappingError(
                        .typeChange, entity: entity.name, property: attribute.name, "the type changes from \(old.type) to \(attribute.type)"
                    )
                }
                found = nil
            case (.relationship, .relationship?), (_, nil): break
            // An attribute and a relationship of one name are unrelated.
            default: found = nil
            }
            properties.append(
                PropertyMapping(property.name, origin: found.map { .property($0.name) } ?? .defaultValue))
        }
        let isSame =
            origin.name == entity.name && before.count == stored.count
            && zip(before, stored).allSatisfy { $0.name == $1.name && $0.hasShape(of: $1, source, destination) }
        return EntityMapping(
            kind: isSame ? .copy : .transform, source: origin.name, destination: entity.name, properties: properties)
    }
}

extension AttributeDescription {
    /// Whether values convert to another attribute without loss.
    ///
    /// The bytes of an element in SwiftData's model are the stored form of a `Codable` one here.
    func isLossless(to other: AttributeDescription) -> Bool {
        if type.isLossless(to: other.type) { return true }
        return type == .binary && other.type == .transformable && name.contains(".") && other.name.contains(".")
    }
}

extension PropertyDescription {
    /// Whether stores have the property, and it was declared.
    fileprivate var isStored: Bool {
        switch self {
        case .attribute(let attribute): attribute.slot != nil
        case .relationship(let relationship): !relationship.isTransient && !relationship.isHidden
        }
    }

    fileprivate var renaming: Renaming.Name {
        switch self {
        case .attribute(let attribute):
            Renaming.Name(
                attribute.name, attribute.declaration.renamingIdentifier,
                alternative: attribute.ownFormerName ?? attribute.declaration.elementInSwiftData)
        case .relationship(let relationship): Renaming.Name(relationship.name, relationship.declaration.renamingIdentifier)
        }
    }

    /// Returns whether the property is stored in the same way in both models.
    fileprivate func hasShape(of other: PropertyDescription, _ source: ManagedObjectModel, _ destination: ManagedObjectModel) -> Bool {
        switch (self, other) {
        case (.attribute(let old), .attribute(let new)): old.type == new.type && (old.isOptional || !new.isOptional)
        case (.relationship(let old), .relationship(let new)):
            old.declaration.cardinality == new.declaration.cardinality && old.isOptional == new.isOptional
                && source.destination(of: old).name == destination.destination(of: new).name
                && source.inverse(of: old)?.name == destination.inverse(of: new)?.name
        default: false
        }
    }
}
