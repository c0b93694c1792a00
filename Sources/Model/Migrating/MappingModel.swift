/// The mapping of the objects of one version of a model to those of another.
///
/// ```swift
/// let mapping = try MappingModel.inferred(from: old, to: new)
/// print(mapping.plan)
/// ```
/// A mapping is a value, and independent of stores: it migrates stores of every kind. Entity mappings specify what
/// cannot be inferred, see ``init(from:to:infersRest:_:)``.
public struct MappingModel: Sendable {
    /// The model that stores were made with.
    public let source: ManagedObjectModel
    /// The model that they are migrated to.
    public let destination: ManagedObjectModel
    /// The mappings in the order of their execution.
    ///
    /// Given ones come first, then inferred ones by the destination's entities, then those of removed entities.
    public let entityMappings: [EntityMapping]
    /// The index of the first mapping to each entity of the destination.
    private let mappingIndexes: [Int?]

    init(source: ManagedObjectModel, destination: ManagedObjectModel, entityMappings: [EntityMapping]) {
        self.source = source
        self.destination = destination
        self.entityMappings = entityMappings
        mappingIndexes = destination.entities.map { entity in entityMappings.firstIndex { $0.destination == entity.name } }
    }

    /// Infers a mapping: entities and properties are matched by their names and renaming identifiers.
    ///
    /// A renaming identifier is the name of the property, or the entity, in the source; later versions can have the
    /// identifier of the first. Properties may move along the hierarchy, and entities within it, into it and out of it.
    /// Attributes change their type where no value can be lost by it: integers become wider, integers of at most 32
    /// bits and floats doubles, integers decimals, truth values integers, URLs and UUIDs text.
    ///
    /// - Throws: ``MappingError`` if a type changes in another way, or a renaming is ambiguous.
    /// - Complexity: O(n) in the properties of all entities.
    public static func inferred(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MappingError) -> MappingModel {
        try inferred(from: source, to: destination, droppingLossyTypes: false)
    }

    /// Infers a mapping in which an attribute whose type changes with a loss is dropped and added.
    package static func inferred(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, droppingLossyTypes: Bool
    ) throws(MappingError) -> MappingModel {
        let inference = try MappingInference(source, destination, dropsLossyTypes: droppingLossyTypes)
        return MappingModel(source: source, destination: destination, entityMappings: try inference.entityMappings())
    }

    /// Returns the same mapping between equal models.
    package func from(_ source: ManagedObjectModel, to destination: ManagedObjectModel? = nil) -> MappingModel {
        MappingModel(source: source, destination: destination ?? self.destination, entityMappings: entityMappings)
    }

    /// Returns the first mapping to an entity of the destination; one that adds the entity if there is none.
    public func mapping(to entity: EntityDescription) -> EntityMapping {
        if let index = mappingIndexes[entity.index.rawValue] { return entityMappings[index] }
        return EntityMapping(kind: .add, source: nil, destination: entity.name, properties: [])
    }

    /// Whether the mapping contains no more than could be inferred: each object is mapped to at most one.
    package var isPlain: Bool {
        var sources: Set<String> = []
        var destinations: Set<String> = []
        return entityMappings.allSatisfy { mapping in
            mapping.isPlain && mapping.source.map { sources.insert($0).inserted } != false
                && mapping.destination.map { destinations.insert($0).inserted } != false
        }
    }
}
