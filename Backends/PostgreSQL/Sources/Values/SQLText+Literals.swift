import FoundationEssentials
import StrataModel

extension SQLText {
    /// Adds a value of an attribute as a statement spells it that takes no parameters; see `Column.takes(_:)`.
    mutating func add(literal value: Value, _ kind: SlotKind) {
        switch value {
        case .bool(let flag): add(flag ? " true" : " false")
        case .int(let number):
            add(" ")
            add(number: number)
        case .double(let number): add(quoted: "\(kind == .float ? Double(Float(number)) : number)")
        case .date(let date): add(quoted: "\(date.timeIntervalSinceReferenceDate)")
        case .decimal(let number): add(quoted: "\(number)")
        case .string(let text): add(quoted: text)
        case .uuid(let uuid): add(quoted: uuid.uuidString)
        case .null, .data, .url, .objectID, .list: add(" NULL")
        }
    }
}
