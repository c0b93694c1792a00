import StrataModel

/// The kind of an index.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// For comparisons and orders.
    case binary = 0
    /// For ranges of numbers in up to five dimensions.
    case rTree = 1
}

/// An index over properties of an entity, which fetches use.
open class NSFetchIndexDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Sendable is unchecked: one thread uses it until its model is frozen, and it never changes afterwards.

    private final var isFrozen = false
    @EntityReference final var owner: NSEntityDescription?

    /// Creates an index over elements, the most significant first.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    private final func checkIsEditable() {
        if isFrozen { programmerError(immutableModel) }
    }

    final func freeze() {
        isFrozen = true
        for element in elements { element.freeze() }
    }

    /// The name, unique in the entity.
    open var name: String { willSet { checkIsEditable() } }
    /// The elements, the most significant first.
    ///
    /// Traps where some are binary and others are not.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { checkIsEditable() }
        didSet { adoptElements() }
    }
    /// Which objects a partial index is over; `nil` for all.
    open var partialIndexPredicate: NSPredicate? { willSet { checkIsEditable() } }
    /// The entity that the index belongs to.
    open var entity: NSEntityDescription? { owner }

    private final func adoptElements() {
        if Set(elements.map(\.collationType)).count > 1 {
            programmerError("Can't create an index with both binary and rtree elements: '\(name)'")
        }
        for element in elements { element.owner = self }
    }

    /// Returns an index that is equal, belongs to no entity, and may be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(name: name, elements: elements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the index, with the names of its properties.
    open func encode(with coder: NSCoder) { coder.encodeDescription(ArchivedIndex(self)) }

    /// Creates the index from an archive; `nil` if it contains none.
    public required convenience init?(coder: NSCoder) {
        guard let archived: ArchivedIndex = coder.decodeDescription() else { return nil }
        let index = archived.index(of: NSEntityDescription())
        self.init(name: index.name, elements: index.elements)
        partialIndexPredicate = index.partialIndexPredicate
    }
}

/// A property of an index, or an expression, with its direction.
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Sendable is unchecked: one thread uses it until its model is frozen, and it never changes afterwards.

    private final var isFrozen = false
    final weak var owner: NSFetchIndexDescription?
    // The model owns properties; the element itself owns an expression.
    private final weak var member: NSPropertyDescription?
    private final let expression: NSExpressionDescription?
    /// The path of the property, which begins with a composite attribute for an element of one.
    final let path: String?

    /// Creates an ascending element of an index: an attribute, a to-one relationship, or an `NSExpressionDescription`.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        member = property
        expression = property as? NSExpressionDescription
        path = nil
        self.collationType = collationType
        super.init()
    }

    /// Creates an element over a property at a path.
    init(path: String, property: NSPropertyDescription?, collationType: NSFetchIndexElementType) {
        member = property
        expression = nil
        self.path = path
        self.collationType = collationType
        super.init()
    }

    private final func checkIsEditable() {
        if isFrozen { programmerError(immutableModel) }
    }

    final func freeze() {
        isFrozen = true
        expression?.freeze()
    }

    /// The property, or the description of the expression.
    open var property: NSPropertyDescription? { expression ?? member }
    /// The name of the property, or the path of an element of a composite attribute; `nil` for an expression.
    open var propertyName: String? { expression == nil ? path ?? member?.name : nil }
    /// The kind of the index.
    open var collationType: NSFetchIndexElementType { willSet { checkIsEditable() } }
    /// Whether the index runs upward; true by default.
    open var isAscending = true { willSet { checkIsEditable() } }
    /// The index that the element belongs to.
    open var indexDescription: NSFetchIndexDescription? { owner }

    /// Returns an element over the same property, which belongs to no index and may be changed.
    open func copy(with zone: NSZone? = nil) -> Any { over(property) }

    /// Returns the element over another property, one of a copied entity.
    final func over(_ property: NSPropertyDescription?) -> NSFetchIndexElementDescription {
        let copy =
            (expression?.copy() as? NSExpressionDescription).map {
                NSFetchIndexElementDescription(property: $0, collationType: collationType)
            } ?? NSFetchIndexElementDescription(path: propertyName ?? "", property: property, collationType: collationType)
        copy.isAscending = isAscending
        return copy
    }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the element, with the name of its property.
    open func encode(with coder: NSCoder) { coder.encodeDescription(ArchivedIndexElement(self)) }

    /// Creates the element from an archive; `nil` if it contains none.
    public required convenience init?(coder: NSCoder) {
        guard let archived: ArchivedIndexElement = coder.decodeDescription() else { return nil }
        if let expression = archived.expression {
            self.init(property: expression.property, collationType: archived.collation)
        } else {
            self.init(path: archived.path ?? "", property: nil, collationType: archived.collation)
        }
        isAscending = archived.isAscending
    }
}
