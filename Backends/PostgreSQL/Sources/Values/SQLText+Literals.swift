import FoundationEssentials
import StrataModel
import StrataSQL

extension SQLText {
    /// Adds a value of an attribute as a statement spells it that takes no parameters; see `Column.takes(_:)`.
    mutating func add(literal value: Value, _ kind: SlotKind) {
        switch value {
        case .bool(let flag): add(flag ? " true" : " false")
        case .int(let number):
            add(" ")
            add(number: number)
        case .double(let number): add(literal: "\(kind == .float ? Double(Float(number)) : number)")
        case .date(let date): add(literal: "\(date.timeIntervalSinceReferenceDate)")
        case .decimal(let number): add(literal: "\(number)")
        case .string(let text): add(literal: text)
        case .uuid(let uuid): add(literal: uuid.uuidString)
        case .null, .data, .url, .objectID, .list: add(" NULL")
        }
    }
}
