import Foundation
import StrataModel

/// The archived form of a value that a description holds for an application.
enum ArchivedValue: Codable {
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case decimal(String)
    case text(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(String)
    case list([ArchivedValue])
    case dictionary([String: ArchivedValue])

    /// `nil` for values of other types.
    init?(_ any: Any) {
        if let keyed = any as? any KeyedValues {
            guard let dictionary = keyed as? [AnyHashable: Any] else { return nil }
            self = .dictionary(ArchivedValue.members(of: dictionary))
        } else if let value = Operand.scalar(any) {
            self.init(value)
        } else if let elements = Operand.elements(of: any) {
            self = .list(elements.compactMap { ArchivedValue($0) })
        } else {
            return nil
        }
    }

    private init?(_ value: Value) {
        switch value {
        case .bool(let flag): self = .flag(flag)
        case .int(let number): self = .integer(number)
        case .double(let number): self = .number(number)
        case .decimal(let number): self = .decimal(number.description)
        case .string(let text): self = .text(text)
        case .date(let date): self = .date(date)
        case .data(let data): self = .data(data)
        case .uuid(let uuid): self = .uuid(uuid)
        case .url(let url): self = .url(url.absoluteString)
        case .list(let values): self = .list(values.compactMap { ArchivedValue($0) })
        case .null, .objectID: return nil
        }
    }

    /// Returns the members of a dictionary with texts as keys.
    static func members(of dictionary: [AnyHashable: Any]) -> [String: ArchivedValue] {
        var members: [String: ArchivedValue] = [:]
        for (key, value) in dictionary { if let key = key as? String { members[key] = ArchivedValue(value) } }
        return members
    }

    /// The value as of key-value coding.
    var any: Any {
        switch self {
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .number(let number): NSNumber(value: number)
        case .decimal(let text): NSDecimalNumber(string: text)
        case .text(let text): text
        case .date(let date): date
        case .data(let data): data
        case .uuid(let uuid): uuid
        case .url(let text): URL(string: text) ?? text
        case .list(let values): values.map(\.any)
        case .dictionary(let members): members.mapValues(\.any)
        }
    }
}
