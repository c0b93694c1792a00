public import StrataModel

/// The value that the rows of an entity get in a column.
public struct ColumnDefault: Sendable {
    /// The name of the column.
    public let column: String
    /// The entity.
    public let entity: EntityDescription
    /// The number of the entity.
    public let number: Int
    /// The name of the attribute or relationship.
    public let property: String
    /// Whether rows with a value keep it.
    public let isForMissing: Bool
    /// The value, `nil` for none.
    public let value: Value?
    /// Whether a row without a value is refused.
    public let isRequired: Bool

    var isNeeded: Bool { value != nil || isRequired }

    /// - Returns: `nil` where the value takes more than a statement.
    init?(
        _ attribute: AttributeDescription, _ column: some SQLColumn, _ before: AttributeDescription?, _ entity: EntityDescription,
        number: Int
    ) {
        self.column = column.name
        self.entity = entity
        self.number = number
        property = attribute.name
        isForMissing = before != nil
        let isNewlyRequired = attribute.requiresValue && before?.isOptional != false
        isRequired = isNewlyRequired && attribute.defaultValue.isNull
        guard before == nil || isNewlyRequired, !attribute.defaultValue.isNull else {
            value = nil
            return
        }
        guard column.takes(attribute.defaultValue) else { return nil }
        value = attribute.defaultValue
    }

    init(required relationship: RelationshipDescription, _ column: some SQLColumn, _ entity: EntityDescription, number: Int) {
        self.column = column.name
        self.entity = entity
        self.number = number
        property = relationship.name
        isForMissing = true
        value = nil
        isRequired = true
    }
}
