import Synchronization

/// An entity of a compiled model.
public final class EntityDescription: Sendable {
    /// The name, unique among its kind in the model.
    public let name: String
    /// The index in ``ManagedObjectModel/entities``: roots and siblings are sorted by name without regard to case.
    public let index: EntityIndex
    /// The indexes of the entity and all its descendants, which follow it.
    public let hierarchy: Range<EntityIndex>
    /// The index of the parent.
    public let superentity: EntityIndex?
    /// The indexes of the direct sub-entities.
    public let subentities: [EntityIndex]
    /// The index of the root of the entity's hierarchy.
    public let root: EntityIndex
    /// The name of the root of the entity's hierarchy.
    public let rootName: String
    /// The names of the entity's ancestors, the parent's first.
    public let superentityNames: [String]
    /// Whether no object can be made of it.
    public let isAbstract: Bool
    /// The class of its objects, that of the nearest ancestor where it names none itself.
    public let objectClass: AnyClass?
    /// All properties, the parent's first, then its own by name; hidden ones too.
    public let properties: [PropertyDescription]
    /// The attributes among the properties; of composite ones the elements.
    public let attributes: [AttributeDescription]
    /// The attributes whose values a tombstone preserves, by name.
    public let preservedAttributes: [AttributeDescription]
    /// The attributes that the store computes.
    public let derivedAttributes: [AttributeDescription]
    /// The attributes of which every new object gets a value, see ``GeneratedValue``.
    public let generatedAttributes: [AttributeDescription]
    /// Whether there are any: a caller in another module counts no reference for it.
    public let generatesValues: Bool
    /// The composite attributes, the parent's first, then its own by name; without those that are elements of others.
    public let compositeAttributes: [CompositeAttributeDescription]
    /// The relationships among the properties, without the hidden ones.
    public let relationships: [RelationshipDescription]
    /// The fetched properties, the parent's first, then its own by name.
    public let fetchedProperties: [FetchedProperty]
    /// The shape of the entity's rows.
    public let layout: RowLayout
    /// The constraints that hold for the entity, its ancestors' included.
    public let uniquenessConstraints: [UniquenessConstraint]
    /// The indexes that the entity declares.
    public let indexes: [FetchIndexDescription]
    /// The entity's own indexes over expressions, which are not among ``indexes``: few stores can make them.
    public let expressionIndexes: [FetchIndex]
    /// Custom data of the application.
    public let userInfo: [String: String]
    /// The name that the entity had in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Core Data's ``VersionHash``: 32 bytes that change when the entity does in a way that matters to stored data.
    public let versionHash: [UInt8]
    /// Whether the version hash leaves out what decides how rows are laid out, see
    /// ``ManagedObjectModel/layoutHashes(of:)``.
    let hasUnhashedLayout: Bool

    /// The slot of each property, by index.
    public let propertySlots: [PropertySlot]
    /// A number that no other entity in the process has, for caches that must not keep the entity alive.
    public let serial: UInt32

    /// The scopes of the IDs of the entity's objects.
    let idScopes = ScopeTable()

    private let indexByName: [String: Int]
    private let compositeByPath: [String: CompositeAttributeDescription]
    /// The slots of the layout that hold text or bytes, which are checked in each stored row.
    let variableSlots: [Slot]
    /// Process-wide on purpose: serial numbers are unique across models.
    private static let nextSerial = Atomic<UInt32>(1)

    /// The declaration of the entity; the properties and the layout include inherited ones.
    struct Members {
        let properties: [PropertyDescription]
        let compositeAttributes: [CompositeAttributeDescription]
        let fetchedProperties: [FetchedProperty]
        let layout: RowLayout
        let uniquenessConstraints: [UniquenessConstraint]
        let indexes: [FetchIndexDescription]
    }

    /// - Parameter hierarchy: The indexes of the entity and its descendants.
    init(
        _ declaration: Entity, hierarchy: Range<EntityIndex>, parent: EntityDescription?, subentities: [EntityIndex], _ members: Members,
        versionHash: [UInt8]
    ) {
        let properties = members.properties
        let compositeAttributes = (parent?.compositeAttributes ?? []) + members.compositeAttributes
        name = declaration.name
        index = hierarchy.lowerBound
        self.hierarchy = hierarchy
        superentity = parent?.index
        self.subentities = subentities
        root = parent?.root ?? hierarchy.lowerBound
        rootName = parent?.rootName ?? declaration.name
        superentityNames = parent.map { [$0.name] + $0.superentityNames } ?? []
        isAbstract = declaration.isAbstract
        objectClass = declaration.objectClass ?? parent?.objectClass
        self.properties = properties
        attributes = properties.compactMap(\.attribute)
        preservedAttributes = attributes.filter { $0.declaration.preservesValueInHistoryOnDeletion && $0.slot != nil }
            .sorted { $0.name < $1.name }
        derivedAttributes = attributes.filter(\.isDerived)
        generatedAttributes = attributes.filter { $0.declaration.generatedValue != nil }
        generatesValues = !generatedAttributes.isEmpty
        self.compositeAttributes = compositeAttributes
        relationships = properties.compactMap(\.relationship).filter { !$0.isHidden }
        fetchedProperties = (parent?.fetchedProperties ?? []) + members.fetchedProperties
        layout = members.layout
        variableSlots = members.layout.indexedSlots.filter { $0.description.kind.isVariable }.map(\.slot)
        uniquenessConstraints = (parent?.uniquenessConstraints ?? []) + members.uniquenessConstraints
        indexes = members.indexes
        expressionIndexes = declaration.indexes.filter(\.hasExpressions)
        userInfo = declaration.userInfo
        renamingIdentifier = declaration.renamingIdentifier
        self.versionHash = versionHash
        hasUnhashedLayout =
            parent?.hasUnhashedLayout == true || properties.contains { $0.relationship?.isHidden == true }
            || declaration.attributes.contains { !$0.isTransient && ($0.type == .composite || $0.derivationExpression != nil) }
            || declaration.relationships.contains { !$0.isTransient && VersionHash.isOwnInverse($0, in: declaration.name) }
        serial = EntityDescription.nextSerial.add(1, ordering: .relaxed).oldValue
        propertySlots = properties.map { PropertySlot($0) }
        var compositeByPath: [String: CompositeAttributeDescription] = [:]
        func add(_ composite: CompositeAttributeDescription) {
            compositeByPath[composite.name] = composite
            for case .composite(let inner) in composite.elements { add(inner) }
        }
        for composite in compositeAttributes { add(composite) }
        self.compositeByPath = compositeByPath
        indexByName = Dictionary(properties.map { ($0.name, $0.index) }) { first, _ in first }
    }

    /// Returns the property with a name, `nil` if there is none; an element of a composite attribute by its path.
    ///
    /// - Complexity: O(1).
    public func property(named name: String) -> PropertyDescription? { indexByName[name].map { properties[$0] } }

    /// Returns the attribute with a name, `nil` if there is none.
    public func attribute(named name: String) -> AttributeDescription? { property(named: name)?.attribute }

    /// Returns the composite attribute with a name, or the nested one at a path, `address.position`; `nil` for none.
    ///
    /// - Complexity: O(1).
    public func compositeAttribute(named path: String) -> CompositeAttributeDescription? {
        compositeByPath.isEmpty ? nil : compositeByPath[path]
    }

    /// Returns the attributes that share a value with one: the elements of its composite attribute, or it alone.
    package func attributes(with attribute: AttributeDescription) -> [AttributeDescription] {
        attribute.compositeName.flatMap { compositeByPath[$0]?.attributes } ?? [attribute]
    }

    /// Returns the relationship with a name, `nil` if there is none.
    public func relationship(named name: String) -> RelationshipDescription? { property(named: name)?.relationship }

    /// Returns the fetched property with a name, `nil` if there is none.
    public func fetchedProperty(named name: String) -> FetchedProperty? { fetchedProperties.first { $0.name == name } }

    /// Returns the indexes of the entity alone, or of the entity and all its descendants.
    public func entities(includingSubentities: Bool) -> Range<EntityIndex> {
        includingSubentities ? hierarchy : index..<index.advanced(by: 1)
    }

    /// Returns whether the entity is another one or descends from it.
    public func isKind(of other: EntityDescription) -> Bool { other.hierarchy.contains(index) }
}

/// No two objects of an entity, or of its sub-entities, have equal values of some attributes.
public struct UniquenessConstraint: Sendable, Hashable {
    /// The index of the entity that declares the constraint.
    public let declaringEntity: EntityIndex
    /// The indexes of the attributes among the entity's properties.
    public let properties: [Int]
    /// The slots of the attributes.
    public let slots: [Slot]
    /// The names of the attributes.
    public let names: [String]
}

/// An index over properties of an entity and its sub-entities.
public struct FetchIndexDescription: Sendable, Hashable {
    /// One property of an index.
    public struct Element: Sendable, Hashable {
        /// The index among the entity's properties.
        public let property: Int
        /// The slot that holds the value, or the reference of a to-one relationship.
        public let slot: Slot
        /// The kind of the slot's value.
        public let kind: SlotKind
        /// Whether the index runs upward.
        public let isAscending: Bool
    }

    /// The name, unique among its kind in the model.
    public let name: String
    /// The properties, the most significant first.
    public let elements: [Element]
    /// Whether it is a location index, over numbers.
    public let isLocation: Bool
    /// Which objects a partial index is over, in the format language; `nil` for all.
    public let condition: String?
}
