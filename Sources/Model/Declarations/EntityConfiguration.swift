/// Declares a named subset of a model's entities, which a store can be limited to.
public struct EntityConfiguration: Sendable, Hashable, Codable {
    /// The name in a store's description.
    public var name: String
    /// The names of the entities.
    public var entities: [String]

    /// Creates a configuration of some entities.
    public init(_ name: String, _ entities: String...) {
        self.name = name
        self.entities = entities
    }

    /// Creates a configuration of some entities.
    public init(_ name: String, entities: [String]) {
        self.name = name
        self.entities = entities
    }
}

/// A part of a model's declaration: an entity, a configuration or a fetch template.
public protocol ModelElement: Sendable {}
extension Entity: ModelElement {}
extension EntityConfiguration: ModelElement {}

/// Collects the parts of a model.
public typealias ModelBuilder = ListBuilder<any ModelElement>
