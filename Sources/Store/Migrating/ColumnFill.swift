package import StrataModel

/// What rows of an entity get in a column.
package struct ColumnFill: Sendable {
    package let column: String
    package let entity: EntityDescription
    package let number: Int
    package let property: String
    /// Whether rows with a value keep it.
    package let isForMissing: Bool
    package let value: Value?
    /// Whether a row without a value is refused.
    package let isRequired: Bool

    var isNeeded: Bool { value != nil || isRequired }

    /// - Returns: `nil` where the value takes more than a statement.
    init?(
        _ attribute: AttributeDescription, _ column: some ColumnLayout, _ before: AttributeDescription?, _ entity: EntityDescription,
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

    init(required relationship: RelationshipDescription, _ column: some ColumnLayout, _ entity: EntityDescription, number: Int) {
        self.column = column.name
        self.entity = entity
        self.number = number
        property = relationship.name
        isForMissing = true
        value = nil
        isRequired = true
    }
}
