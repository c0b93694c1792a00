/// Says how the objects of one version of a model become objects of another.
///
/// ```swift
/// let mapping = try MappingModel.inferred(from: old, to: new)
/// print(mapping.plan)
/// ```
/// A mapping is a value, and knows no store: the same one migrates stores of every kind.
public struct MappingModel: Sendable {
    /// The model that stores were made with.
    public let source: ManagedObjectModel
    /// The model that they are brought to.
    public let destination: ManagedObjectModel
    /// One mapping for each entity of the destination, in its order, then one for each entity of the source that is no more.
    public let entityMappings: [EntityMapping]

    /// Infers a mapping: entities and properties go together by their names and renaming identifiers.
    ///
    /// A renaming identifier names what the property, or the entity, was called in the source; where versions follow each other, all of
    /// them can have the identifier of the first. Properties may move along the hierarchy, and entities within it, into it and out of it.
    /// Attributes change their type where no value can be lost by it: integers become wider, integers of at most 32 bits and floats
    /// doubles, integers decimals, truth values integers, URLs and UUIDs text.
    ///
    /// - Throws: ``MappingError`` where a type changes in another way, or where it is not clear what was renamed.
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

    /// The same mapping from an equal model.
    package func from(_ source: ManagedObjectModel) -> MappingModel {
        MappingModel(source: source, destination: destination, entityMappings: entityMappings)
    }

    /// The mapping of an entity of the destination.
    public func mapping(to entity: EntityDescription) -> EntityMapping { entityMappings[entity.index.rawValue] }
}

/// Says how objects of one entity become objects of another.
public struct EntityMapping: Sendable, Hashable {
    /// What happens to the objects, as Core Data tells it apart.
    public enum Kind: String, Sendable, Hashable {
        /// The entity is new: there are no objects of it.
        case add
        /// The entity is no more: its objects go.
        case remove
        /// The objects stay as they are.
        case copy
        /// The objects get other properties.
        case transform
    }

    /// What happens to the objects.
    public let kind: Kind
    /// The name of the entity in the source, `nil` for one that is new.
    public let source: String?
    /// The name of the entity in the destination, `nil` for one that is no more.
    public let destination: String?
    /// The mappings of all properties of the destination that stores keep, inherited ones included, in their order.
    public let properties: [PropertyMapping]
}

/// Says where the value of a property comes from.
public struct PropertyMapping: Sendable, Hashable {
    /// Where the value comes from.
    public enum Origin: Sendable, Hashable {
        /// A property of the object as it was, by its name.
        case property(String)
        /// The default value: the property is new.
        case defaultValue
    }

    /// The name of the property.
    public let name: String
    /// Where its value comes from.
    public let origin: Origin

    /// The name of the property that the value comes from, `nil` for none.
    public var source: String? { if case .property(let name) = origin { name } else { nil } }
}
