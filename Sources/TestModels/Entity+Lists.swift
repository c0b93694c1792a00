public import StrataModel

extension Entity {
    /// Creates an entity of plain attributes and relationships alone.
    ///
    /// ```swift
    /// Entity("Pet", attributes: ["name": .string], relationships: ["owner": .toOne("Person.pets")])
    /// ```
    public init(
        _ name: String, parent: String? = nil, isAbstract: Bool = false, class objectClass: AnyClass? = nil,
        attributes: KeyValuePairs<String, AttributeType>, relationships: KeyValuePairs<String, Relationships.Destination>
    ) {
        self.init(name, parent: parent, isAbstract: isAbstract, class: objectClass) {
            Attributes(attributes)
            Relationships(relationships)
        }
    }
}
