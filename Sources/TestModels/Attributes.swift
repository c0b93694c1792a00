public import StrataModel

/// Optional attributes of an entity that have a name and a type alone.
///
/// ```swift
/// Entity("Person") { Attributes(["name": .string, "age": .integer16]) }
/// ```
public struct Attributes: EntityElement {
    private let attributes: [Attribute]

    /// Creates attributes in the order of the names.
    public init(_ types: KeyValuePairs<String, AttributeType>) { attributes = types.map { Attribute($0, $1) } }

    public func add(to entity: inout Entity) { entity.attributes += attributes }
}
