/// The source of the value of a property.
public struct PropertyMapping: Sendable, Hashable {
    /// Where the value comes from.
    public enum Origin: Sendable, Hashable {
        /// A property of the source object, by its name; for a relationship, the migrated destinations.
        case property(String)
        /// The default value: the property is new.
        case defaultValue
        /// An expression of the format language.
        case expression(String)
    }

    /// The name of the property.
    public let name: String
    /// Where its value comes from.
    public let origin: Origin

    /// Creates a property with an origin.
    public init(_ name: String, origin: Origin) {
        self.name = name
        self.origin = origin
    }

    /// Creates a mapping by an expression.
    ///
    /// ```swift
    /// PropertyMapping("isoContinent", "$source.continent.numericISO3166Code")
    /// PropertyMapping("initials", "FUNCTION($entityPolicy, 'initialsOf:', $source)")
    /// ```
    /// `$source` is the source object. For an attribute any expression of the format language with a suitable value is
    /// valid. Destinations of relationships, and values of policies, use `$manager` and `$entityPolicy`: see the guide.
    public init(_ name: String, _ expression: String) { self.init(name, origin: .expression(expression)) }

    /// Creates the mapping of a relationship to the destinations of source objects.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - path: An expression of objects of the source, such as `$source.owner`.
    ///   - mapping: The name of the entity mapping by which they became objects of the destination.
    public init(_ name: String, _ path: String, mappedBy mapping: String) {
        let quoted = mapping.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        self.init(name, "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(quoted)\", \(path))")
    }

    /// The name of the property that the value comes from, `nil` for none.
    public var source: String? { if case .property(let name) = origin { name } else { nil } }
    /// The expression that the value comes from, `nil` for none.
    public var expression: String? { if case .expression(let text) = origin { text } else { nil } }
    var isPlain: Bool { expression == nil }
}
