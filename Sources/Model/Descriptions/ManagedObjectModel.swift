import Synchronization

/// A compiled model: entities, their properties, and all look-up tables of stores and contexts.
///
/// A model is validated when it is created, and never changes, so it is frozen before any coordinator can use it; to
/// change it, declare another. Share it between threads, coordinators and stores.
public final class ManagedObjectModel: Sendable {
    /// The entities, in the pre-order of the entity hierarchies.
    public let entities: [EntityDescription]
    /// The pairs of many-to-many relationships.
    public let linkTables: [LinkTable]
    /// Texts with which an application names the model's version.
    public let versionIdentifiers: [String]

    /// The fetch templates by name.
    public let fetchTemplatesByName: [String: FetchTemplate]

    /// The stored one-to-one relationships of each entity, by the index of the entity.
    package let oneToOneRelationships: [[RelationshipDescription]]
    /// Whether there are one-to-one relationships.
    package let hasOneToOneRelationships: Bool

    /// The relationships of each entity whose destination is in a slot of the object's row, by the index of the entity.
    package let referenceSlots: [[ReferenceSlot]]

    /// Whether an entity has a composite attribute.
    public let hasCompositeAttributes: Bool

    /// Whether an entity has an ordered relationship.
    public let hasOrderedRelationships: Bool

    /// Whether an entity has an attribute that the store computes.
    public let hasDerivedAttributes: Bool

    /// The declarations of the model.
    package let declarations: (entities: [Entity], configurations: [EntityConfiguration], fetchTemplates: [FetchTemplate])
    /// The cached result of ``encoded()``.
    let encodedForm = Mutex<[UInt8]?>(nil)
    /// The cached result of ``declarationHashesByName``.
    let declarationHashes = Mutex<[String: [UInt8]]?>(nil)
    /// The cached result of ``swiftDataVersionHashesByName``, which is optional itself.
    let swiftDataHashes = Mutex<[String: [UInt8]]??>(nil)

    private let indexByName: [String: EntityIndex]
    private let configurationsByName: [String: [EntityIndex]]

    /// Creates a model of the declared entities, configurations and fetch templates.
    ///
    /// - Throws: ``ModelError`` that names the entity and the property where the declarations are inconsistent.
    public convenience init(
        versionIdentifiers: [String] = [],
        @ModelBuilder _ parts: () -> [any ModelElement]
    ) throws(ModelError) {
        let parts = parts()
        try self.init(
            entities: parts.compactMap { $0 as? Entity },
            configurations: parts.compactMap { $0 as? EntityConfiguration },
            fetchTemplates: parts.compactMap { $0 as? FetchTemplate },
            versionIdentifiers: versionIdentifiers
        )
    }

    /// Creates a model of the declared entities, configurations and fetch templates.
    ///
    /// - Throws: ``ModelError`` that names the entity and the property where the declarations are inconsistent.
    public init(
        entities declarations: [Entity],
        configurations: [EntityConfiguration] = [],
        fetchTemplates: [FetchTemplate] = [],
        versionIdentifiers: [String] = []
    ) throws(ModelError) {
        self.declarations = (declarations, configurations, fetchTemplates)
        var compiler = try ModelCompiler(declarations)
        let compiled = try compiler.compile()
        let indexByName = Dictionary(compiled.map { ($0.name, $0.index) }) { first, _ in first }
        self.indexByName = indexByName
        configurationsByName = try ModelCompiler.resolve(configurations, indexByName)
        fetchTemplatesByName = try ModelCompiler.resolve(fetchTemplates, indexByName)
        let entities = ReusableEntities.take(equalTo: compiled) {
            try ManagedObjectModel.encoded(declarations, configurations, fetchTemplates, versionIdentifiers)
        }
        self.entities = entities
        oneToOneRelationships = entities.map { entity in
            entity.properties.compactMap(\.relationship).filter { relationship in
                guard !relationship.isToMany, !relationship.isTransient, let inverse = relationship.inverse else { return false }
                return entities[relationship.destination].properties[inverse].relationship?.isToMany == false
            }
        }
        hasOneToOneRelationships = oneToOneRelationships.contains { !$0.isEmpty }
        referenceSlots = entities.map { entity in
            entity.properties.compactMap(\.relationship).compactMap { ReferenceSlot($0, entities) }
        }
        hasOrderedRelationships = entities.contains { $0.relationships.contains(where: \.isOrdered) }
        hasDerivedAttributes = entities.contains { !$0.derivedAttributes.isEmpty }
        hasCompositeAttributes = entities.contains { !$0.compositeAttributes.isEmpty }
        linkTables = compiler.linkTables
        self.versionIdentifiers = versionIdentifiers
    }

    deinit { ReusableEntities.add(entities) { try encoded() } }

    /// Returns the entity with a name, `nil` if there is none.
    ///
    /// - Complexity: O(1).
    public func entity(named name: String) -> EntityDescription? { indexByName[name].map { entities[$0] } }

    /// The names of the configurations.
    public var configurations: [String] { configurationsByName.keys.sorted() }

    /// Returns the entities of a configuration, by index; all of them for `nil`.
    ///
    /// - Returns: `nil` when the model has no configuration of that name.
    public func entities(inConfiguration name: String?) -> [EntityIndex]? {
        guard let name else { return Array(entities.typedIndices()) }
        return configurationsByName[name]
    }

    /// Core Data's ``VersionHash`` of each entity, 32 bytes each.
    public var entityVersionHashesByName: [String: [UInt8]] {
        Dictionary(entities.map { ($0.name, $0.versionHash) }) { first, _ in first }
    }

    /// Returns the destination of a relationship.
    public func destination(of relationship: RelationshipDescription) -> EntityDescription { entities[relationship.destination] }

    /// Returns the inverse of a relationship, hidden ones included; `nil` when it has none.
    public func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverse.flatMap { entities[relationship.destination].properties[$0].relationship }
    }
}
