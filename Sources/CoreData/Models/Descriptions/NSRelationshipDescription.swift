import StrataModel

/// The action on a relationship's destinations when the object is deleted.
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing: the destinations keep referencing the deleted object.
    case noActionDeleteRule = 0
    /// The destinations' references to the object are set to nil.
    case nullifyDeleteRule = 1
    /// The destinations are deleted too.
    case cascadeDeleteRule = 2
    /// The object cannot be deleted while there are destinations.
    case denyDeleteRule = 3
}

/// A relationship of an entity to objects of an entity.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable is unchecked, as its superclass's.

    @EntityReference private final var destination: NSEntityDescription?
    private final weak var inverse: NSRelationshipDescription?
    /// The name of the inverse, which outlives it.
    private final var inverseName: NameBox?
    private final let ownName = NameBox()

    /// The name of a relationship, shared with those that it is the inverse of.
    private final class NameBox {
        var text = ""
    }

    /// The name, unique in the entity and its ancestors.
    open override var name: String { didSet { ownName.text = name } }

    /// The entity of the destinations, which the model owns.
    open var destinationEntity: NSEntityDescription? {
        get { destination }
        set {
            checkIsEditable()
            destination = newValue
        }
    }
    /// The inverse relationship.
    ///
    /// The inverse's own has to be set to this one, too. It is the destination's relationship of the name that the
    /// given one has, so that a copy which replaces it there becomes the inverse.
    open var inverseRelationship: NSRelationshipDescription? {
        get {
            if let inverse, inverse.owner === destination { return inverse }
            return inverseName.flatMap { destination?.relationshipsByName[$0.text] } ?? inverse
        }
        set {
            checkIsEditable()
            inverse = newValue
            inverseName = newValue?.ownName
        }
    }
    /// The name of an inverse in a model file that does not lead back, which is part of the version hash.
    final var unmatchedInverse: String?
    /// The least number of destinations, 0 by default.
    open var minCount = 0 { willSet { checkIsEditable() } }
    /// The greatest number of destinations, 0 for no limit: a relationship is to-many unless this is 1.
    open var maxCount = 0 { willSet { checkIsEditable() } }
    /// The action on the destinations when the object is deleted.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { checkIsEditable() } }
    /// Whether the destinations of a to-many relationship are ordered.
    open var isOrdered = false { willSet { checkIsEditable() } }
    /// Whether there may be several destinations.
    open var isToMany: Bool { maxCount != 1 }

    /// 32 bytes of the name, the destination, the inverse, the counts and all else that matters to stored data.
    open override var versionHash: Data {
        let entity = owner?.name ?? ""
        return (try? declaration(of: entity)).map { Data(VersionHash.of($0, in: entity)) } ?? Data()
    }

    override func emptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

    override func fill(_ copy: NSPropertyDescription) {
        super.fill(copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.destination = destination
        copy.inverse = inverse
        copy.inverseName = inverseName
        copy.unmatchedInverse = unmatchedInverse
        copy.minCount = minCount
        copy.maxCount = maxCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
    }
}
