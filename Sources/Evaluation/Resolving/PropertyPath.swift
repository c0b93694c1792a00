/// A key path that was checked against a model.
///
/// A class, because plans contain many of them, and are copied more often than read.
public final class PropertyPath: Sendable {
    /// The end of a path.
    public enum Leaf: Sendable {
        /// An attribute, in a slot of the row.
        case attribute(AttributeDescription, slot: Slot)
        /// A to-one relationship, whose value is the destination's ID.
        case toOne(RelationshipDescription, slot: Slot)
        /// The object at the end of the steps, whose value is its ID.
        case object
    }

    /// A step to the destination of a to-one relationship.
    public struct Step: Sendable {
        /// The to-one relationship that is followed.
        public let relationship: RelationshipDescription
        /// The slot that holds the destination's reference.
        public let slot: Slot
        /// The entity that the model declares for its destination; the object may be of a sub-entity.
        public let destination: EntityDescription
    }

    /// The variable where the path starts: 0 for the object that is fetched.
    public let variable: Int
    /// The entity where the path starts.
    public let entity: EntityDescription
    /// The to-one relationships along the path, in order.
    public let steps: [Step]
    /// The end of the path.
    public let leaf: Leaf
    /// The path as it was written.
    public let text: String
    /// The entity of the path's objects; `nil` for an attribute.
    public let objectEntity: EntityDescription?

    /// The composite attribute at the end, of which the leaf is the first element; only within the resolver.
    let composite: CompositeAttributeDescription?

    /// The entity that owns the leaf.
    public var leafEntity: EntityDescription { steps.last?.destination ?? entity }

    /// The attribute at the end, `nil` for a relationship or an object.
    public var attribute: AttributeDescription? {
        if case .attribute(let attribute, _) = leaf { attribute } else { nil }
    }

    /// Whether the path is that of the fetched object, `SELF`.
    public var isObjectItself: Bool {
        guard case .object = leaf else { return false }
        return variable == 0 && steps.isEmpty
    }

    /// The slot, in the rows of ``leafEntity``, that the path ends at; `nil` for an object.
    public var leafSlot: Slot? {
        switch leaf {
        case .attribute(_, let slot), .toOne(_, let slot): slot
        case .object: nil
        }
    }

    /// The kind of the slot at the end; a reference for an object.
    public var leafKind: SlotKind {
        switch leaf {
        case .attribute(let attribute, _): attribute.slotKind
        case .toOne, .object: .reference
        }
    }

    init(
        variable: Int, entity: EntityDescription, steps: [Step], leaf: Leaf, objectEntity: EntityDescription?, text: String,
        composite: CompositeAttributeDescription? = nil
    ) {
        self.composite = composite
        self.variable = variable
        self.entity = entity
        self.steps = steps
        self.leaf = leaf
        self.objectEntity = objectEntity
        self.text = text
    }

    /// The paths to all elements of the composite attribute at the end, at any depth.
    var elements: [PropertyPath] {
        guard let composite else { return [] }
        let start = text.dropLast(composite.name.count)
        return composite.attributes.compactMap { attribute in
            attribute.slot.map { slot in
                PropertyPath(
                    variable: variable, entity: entity, steps: steps, leaf: .attribute(attribute, slot: slot), objectEntity: nil,
                    text: start + attribute.name)
            }
        }
    }

    /// Checks a key path.
    ///
    /// - Throws: `QueryError` for an unknown key, a to-many relationship along the path, or a transient property.
    public convenience init(_ path: String, of entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) {
        var nextVariable = 1
        let traversal = try KeyPathTraversal(
            .init(names: KeyPathText.names(path)[...], text: path), from: .object(variable: 0, entity), in: model,
            nextVariable: &nextVariable)
        guard case .single(let found) = traversal.end, !traversal.isEntityName else {
            throw QueryError(.illegalKeyPath, entity: entity.name, subject: path, "\(path) has no single value here")
        }
        self.init(
            variable: found.variable, entity: found.entity, steps: found.steps, leaf: found.leaf, objectEntity: found.objectEntity,
            text: found.text)
    }
}

enum KeyPathText {
    /// Returns the names; those of operators begin with an at sign.
    static func names(_ path: String) -> [String] {
        if !path.utf8.contains(UInt8(ascii: ".")) { return [path] }
        return path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}
