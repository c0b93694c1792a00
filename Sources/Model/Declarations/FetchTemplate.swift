/// Declares a named fetch request of a model, with variables that are substituted when it is used.
///
/// ```swift
/// FetchTemplate("olderThan", entity: "Person", predicate: "age > $AGE", sort: ["name"])
/// ```
/// The condition is text of the format language, which is parsed when it is used.
public struct FetchTemplate: ModelElement, Hashable, Codable {
    /// The name, unique within the model.
    public var name: String
    /// The name of the entity.
    public var entity: String
    /// The condition, `nil` for all objects.
    public var predicate: String?
    /// The order of the results, the first key deciding first.
    public var sort: [SortElement]
    /// The greatest number of results, `nil` for all.
    public var limit: Int?
    /// How many results to pass over first.
    public var offset: Int
    /// Whether objects of sub-entities count.
    public var includesSubentities = true

    /// Creates a template of a request for objects of an entity.
    public init(
        _ name: String, entity: String, predicate: String? = nil, sort: [SortElement] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.name = name
        self.entity = entity
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }
}

/// One key of the order of a template or a fetched property.
public struct SortElement: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The path of an attribute, reached through to-one relationships.
    public var keyPath: String
    /// Whether the order runs upward.
    public var isAscending: Bool

    /// Creates a sort key: a property, or a path to one.
    public init(_ keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        isAscending = ascending
    }

    /// Creates a sort key that runs upward.
    public init(stringLiteral keyPath: String) { self.init(keyPath) }
}
