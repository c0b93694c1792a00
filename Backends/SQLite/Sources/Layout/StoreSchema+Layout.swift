import FoundationEssentials
import StrataModel
import StrataStore

extension StoreSchema: StoreLayout {}
extension EntityTable: TableLayout {}

extension Column: ColumnLayout {
    func canBecome(_ other: Column) -> Bool { kind == other.kind && type == other.type && isExternal == other.isExternal }
    func takes(_ value: Value) -> Bool { SQLBinding(filling: value) != nil }
}

extension JoinTable: JoinLayout {
    var swapped: JoinTable {
        JoinTable(
            name: name, first: second, second: first, orderInFirst: orderInSecond, orderInSecond: orderInFirst,
            leadingSide: leadingSide.opposite)
    }
}

extension SQLBinding {
    /// A default value as a column holds it; `nil` for one that takes more than a statement.
    init?(filling value: Value) {
        switch value {
        case .int(let number): self = .integer(number)
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        case .double(let number) where number.isFinite: self = .double(number)
        case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite: self = .double(date.timeIntervalSinceReferenceDate)
        case .string(let text): self = .text(text)
        default: return nil
        }
    }
}
