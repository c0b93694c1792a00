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
@resultBuilder
public enum ModelBuilder {
    /// Returns a part as a list of one.
    public static func buildExpression(_ element: any ModelElement) -> [any ModelElement] { [element] }
    /// Returns several parts at once.
    public static func buildExpression(_ elements: [any ModelElement]) -> [any ModelElement] { elements }
    /// Parts one after the other.
    public static func buildBlock(_ parts: [any ModelElement]...) -> [any ModelElement] { parts.flatMap(\.self) }
    /// Parts that are there under a condition.
    public static func buildOptional(_ part: [any ModelElement]?) -> [any ModelElement] { part ?? [] }
    /// Returns the parts of a true condition.
    public static func buildEither(first part: [any ModelElement]) -> [any ModelElement] { part }
    /// Returns the parts of a false condition.
    public static func buildEither(second part: [any ModelElement]) -> [any ModelElement] { part }
    /// Returns the parts of a loop.
    public static func buildArray(_ parts: [[any ModelElement]]) -> [any ModelElement] { parts.flatMap(\.self) }
}
