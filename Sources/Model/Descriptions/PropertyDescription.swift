/// An attribute of a compiled model, or an element of a composite one.
public final class AttributeDescription: Sendable {
    /// The declaration; of an element with its path as name, and with inherited properties of the composite.
    public let declaration: Attribute
    /// The index among the entity's properties, the same in all sub-entities.
    public let index: Int
    /// The slot in the entity's rows; `nil` when the attribute is transient.
    public let slot: Slot?
    /// The index, in the model, of the entity that declares the attribute.
    public let declaringEntity: EntityIndex

    /// The property's name, unique in its entity.
    public var name: String { declaration.name }
    /// The type of the values.
    public var type: AttributeType { declaration.type }
    /// The name of the outermost composite attribute of an element; `nil` for other attributes.
    public let compositeName: String?
    /// Whether an object may be saved without a value.
    public var isOptional: Bool { declaration.isOptional }
    /// Whether the value lives in the object only.
    public var isTransient: Bool { declaration.isTransient }
    /// Whether the store computes the value, so that it cannot be set.
    public var isDerived: Bool { declaration.derivationExpression != nil }
    /// Whether an object needs a value before it is saved: a derived one is computed.
    public var requiresValue: Bool { !isOptional && !isDerived }
    /// The renaming identifier of an element without the path of its composite attribute.
    var ownFormerName: String? { declaration.ownRenamingIdentifier }
    /// How the slot holds the value.
    public var slotKind: SlotKind { SlotKind(declaration.type) }
    /// The value of a new object, coerced to the attribute's type.
    public let defaultValue: Value

    init(declaration: Attribute, index: Int, slot: Slot?, declaringEntity: EntityIndex, defaultValue: Value) {
        self.declaration = declaration
        self.index = index
        self.slot = slot
        self.declaringEntity = declaringEntity
        self.defaultValue = defaultValue
        compositeName = declaration.name.firstIndex(of: ".").map { String(declaration.name[..<$0]) }
    }
}

/// A relationship of a compiled model.
public final class RelationshipDescription: Sendable {
    /// How a store finds the destinations.
    public enum Storage: Sendable, Hashable {
        /// The reference of the destination is in a slot of the object's row, the index of its entity in a second slot
        /// if several are possible, and the object's order key in the ordered inverse in a third.
        case toOne(reference: Slot, entity: Slot?, order: Slot?)
        /// The destinations are the objects whose to-one inverse, a property of the destination entity, is the object.
        case inverse(property: Int)
        /// The destinations are in a link table, on the far side of the object's.
        case links(table: Int, side: LinkSide)
        /// The relationship is transient.
        case none
    }

    /// The declaration in the model.
    public let declaration: Relationship
    /// The index among the entity's properties, the same in all sub-entities.
    public let index: Int
    /// The index, in the model, of the entity that declares the relationship.
    public let declaringEntity: EntityIndex
    /// The index, in the model, of the destination entity.
    public let destination: EntityIndex
    /// The index of the inverse among the destination's properties; `nil` for a to-one relationship without inverse.
    public let inverse: Int?
    /// How a store finds the destinations.
    public let storage: Storage
    /// Whether the model created the relationship as the inverse of a to-many relationship without one.
    public let isHidden: Bool

    init(
        declaration: Relationship, index: Int, declaringEntity: EntityIndex, destination: EntityIndex, inverse: Int?, storage: Storage,
        isHidden: Bool
    ) {
        self.declaration = declaration
        self.index = index
        self.declaringEntity = declaringEntity
        self.destination = destination
        self.inverse = inverse
        self.storage = storage
        self.isHidden = isHidden
    }

    /// The property's name, unique in its entity.
    public var name: String { declaration.name }
    /// Whether there may be several destinations.
    public var isToMany: Bool { declaration.cardinality != .toOne }
    /// Whether the destinations are ordered.
    public var isOrdered: Bool { declaration.cardinality == .ordered }
    /// Whether an object may be saved without a destination.
    public var isOptional: Bool { declaration.isOptional }
    /// Whether the relationship lives in the object only.
    public var isTransient: Bool { declaration.isTransient }
    /// The delete rule.
    public var deleteRule: DeleteRule { declaration.deleteRule }
}

/// A property of a compiled model.
public enum PropertyDescription: Sendable {
    /// A value of the object itself.
    case attribute(AttributeDescription)
    /// A relationship to other objects.
    case relationship(RelationshipDescription)

    /// The property's name, unique in its entity.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// The index among the entity's properties.
    public var index: Int {
        switch self {
        case .attribute(let attribute): attribute.index
        case .relationship(let relationship): relationship.index
        }
    }

    /// The attribute, `nil` for a relationship.
    public var attribute: AttributeDescription? { if case .attribute(let attribute) = self { attribute } else { nil } }

    /// The relationship, `nil` for an attribute.
    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = self { relationship } else { nil }
    }
}

/// The side of a link table that an object is on.
public enum LinkSide: Sendable, Hashable {
    /// The sides, in the order of the table's ends.
    case first, second
    /// The side of the other object.
    public var opposite: LinkSide { self == .first ? .second : .first }
}

/// A pair of to-many relationships that are each other's inverse, stored as links of two references.
///
/// A relationship that is its own inverse is stored as two links, one in each direction.
public struct LinkTable: Sendable, Hashable {
    /// One end of the links.
    public struct End: Sendable, Hashable {
        /// The index of the entity that declares the relationship of this end.
        public let entity: EntityIndex
        /// The index of the relationship among the entity's properties.
        public let property: Int
        /// Whether the relationship is ordered: its links carry an order among those of one object of this end.
        public let isOrdered: Bool
    }

    /// The index of the table in the model.
    public let index: Int
    /// The end of the entity with the lower index, or, within one entity, of the relationship with the lesser name.
    public let first: End
    /// The other end; equal to ``first`` for a relationship that is its own inverse.
    public let second: End

    /// Returns the end on a side.
    public func end(_ side: LinkSide) -> End { side == .first ? first : second }
    /// Whether both ends are one relationship.
    public var isReflexive: Bool { first == second }
}
