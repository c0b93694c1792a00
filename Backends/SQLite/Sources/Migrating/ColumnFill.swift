import FoundationEssentials
import StrataModel
import StrataStore

/// What rows of an entity get in a column.
struct ColumnFill {
    let column: String
    let entity: EntityDescription
    let number: Int
    let property: String
    /// Whether rows with a value keep it.
    let isForMissing: Bool
    let value: SQLBinding?
    /// Whether a row without a value is refused.
    let isRequired: Bool

    var isNeeded: Bool { value != nil || isRequired }

    /// - Returns: `nil` where the value takes more than a statement.
    init?(_ attribute: AttributeDescription, _ column: Column, _ before: AttributeDescription?, _ entity: EntityDescription, number: Int) {
        self.column = column.name
        self.entity = entity
        self.number = number
        property = attribute.name
        isForMissing = before != nil
        let isNewlyRequired = attribute.requiresValue && before?.isOptional != false
        isRequired = isNewlyRequired && attribute.defaultValue.isNull
        guard before == nil || isNewlyRequired else {
            value = nil
            return
        }
        switch attribute.defaultValue {
        case .null: value = nil
        case .int(let number): value = .integer(number)
        case .bool(let flag): value = .integer(flag ? 1 : 0)
        case .double(let number) where number.isFinite: value = .double(number)
        case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite: value = .double(date.timeIntervalSinceReferenceDate)
        case .string(let text): value = .text(text)
        default: return nil
        }
    }

    init(required relationship: RelationshipDescription, _ column: Column, _ entity: EntityDescription, number: Int) {
        self.column = column.name
        self.entity = entity
        self.number = number
        property = relationship.name
        isForMissing = true
        value = nil
        isRequired = true
    }
}
