/// An index that a model requires of a store: for each fetch index, for the inverse of each to-one relationship, and
/// for each uniqueness constraint.
public struct ModelIndex: Sendable {
    /// The reason for an index.
    public enum Purpose: Sendable, Hashable {
        /// A fetch index, by its name.
        case fetch(String)
        /// The rows by the object that a to-one relationship, named here, references.
        case inverse(String)
        /// A uniqueness constraint: the index finds the row that has a value already.
        case unique(UniquenessConstraint)
    }

    /// The purpose of the index.
    public let purpose: Purpose
    /// The entity that declares it; the index holds the rows of the entity and its sub-entities.
    public let entity: EntityDescription
    /// The key, the most significant slot first.
    public let elements: [IndexDescription.Element]

    /// Returns the indexes that an entity declares: its fetch indexes first, then the relationships, then the
    /// constraints.
    public static func declared(by entity: EntityDescription) -> [ModelIndex] {
        var indexes = entity.indexes.map { index in
            ModelIndex(
                purpose: .fetch(index.name), entity: entity,
                elements: index.elements.map { .init(slot: $0.slot, kind: $0.kind, isAscending: $0.isAscending) })
        }
        for relationship in entity.properties.compactMap(\.relationship) where relationship.declaringEntity == entity.index {
            guard case .toOne(let slot, _, _) = relationship.storage else { continue }
            indexes.append(
                ModelIndex(purpose: .inverse(relationship.name), entity: entity, elements: [.init(slot: slot, kind: .reference)]))
        }
        for constraint in entity.uniquenessConstraints where constraint.declaringEntity == entity.index {
            indexes.append(
                ModelIndex(
                    purpose: .unique(constraint), entity: entity,
                    elements: constraint.slots.map { .init(slot: $0, kind: entity.layout.slots[$0].kind) }))
        }
        return indexes
    }

    /// The name in explanations: that of a fetch index, else the purpose.
    public var title: String {
        switch purpose {
        case .fetch(let name): name
        case .inverse(let name): "\(entity.name).\(name)"
        case .unique(let constraint): "unique \(constraint.names.joined(separator: ", "))"
        }
    }

    /// Whether the key may be in a value in a file beside the store.
    public var isExternal: Bool {
        let slots = ExternalStorage.slots(of: entity)
        return elements.contains { slots.contains($0.slot) }
    }

    /// Returns the name of the property that an element is of.
    public func property(of element: IndexDescription.Element) -> String {
        entity.properties[entity.layout.slots[element.slot].property].name
    }
}
