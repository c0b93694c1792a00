package import StrataModel

/// Optional attributes of an entity that have a name and a type alone.
///
/// ```swift
/// Entity("Person") { Attributes(["name": .string, "age": .integer16]) }
/// ```
package struct Attributes: EntityElement {
    private let attributes: [Attribute]

    /// Creates attributes in the order of the names.
    package init(_ types: KeyValuePairs<String, AttributeType>) { attributes = types.map { Attribute($0, $1) } }

    package func add(to entity: inout Entity) { entity.attributes += attributes }
}
