/// Declares an index that fetches use.
public struct FetchIndex: EntityElement, Hashable, Codable {
    /// One property of an index, or one expression, with its direction.
    public struct Element: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
        /// The name of an attribute or of a to-one relationship; empty for an expression.
        public var property: String
        /// The expression in the format language; `nil` for a property.
        public var expression: String?
        /// Whether the index runs upward.
        public var isAscending: Bool

        /// Creates a property of an index.
        public init(_ property: String, ascending: Bool = true) {
            self.property = property
            isAscending = ascending
        }
        /// The value of an expression of the format language, as in `"price * count"`.
        public init(expression: String, ascending: Bool = true) {
            property = ""
            self.expression = expression
            isAscending = ascending
        }
        /// Creates an ascending property, by its name.
        public init(stringLiteral property: String) { self.init(property) }
    }

    /// The name, unique within the entity.
    public var name: String
    /// The properties, the most significant first.
    ///
    /// SQLite stores create an index with an expression if that is arithmetic over numbers; other stores ignore it.
    public var elements: [Element]
    /// Whether it is a location index, over one to five attributes that are numbers: Core Data's index type R-tree.
    ///
    /// A SQLite store with the R-tree module creates it as Core Data does; others index the properties separately.
    public var isLocation = false
    /// The condition of a partial index, in the format language: `"age > 17 AND name != nil"`; `nil` for all objects.
    ///
    /// SQLite stores leave out the other objects if the condition compares attributes with constants; other stores, and
    /// other conditions, index all objects, which takes more space.
    public var condition: String?

    /// Creates an index over one or several properties.
    public init(_ name: String, on elements: Element...) {
        self.name = name
        self.elements = elements
    }

    /// Creates an index over one or several properties.
    public init(_ name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }

    /// The index as a location index.
    public var location: FetchIndex {
        var copy = self
        copy.isLocation = true
        return copy
    }

    /// Returns the index as a partial one, see ``condition``.
    public func `where`(_ condition: String) -> FetchIndex {
        var copy = self
        copy.condition = condition
        return copy
    }

    var hasExpressions: Bool { elements.contains { $0.expression != nil } }

    /// Adds the part to the entity.
    public func add(to entity: inout Entity) { entity.indexes.append(self) }
}
