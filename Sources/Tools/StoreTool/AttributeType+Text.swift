import FoundationEssentials
public import Strata

extension AttributeType {
    /// Returns the value of a text or a number for an attribute of the type; `nil` where it cannot hold it.
    public func value(_ json: JSON) -> Value? {
        switch json {
        case .string(let text): value(text)
        case .bool(let truth): self == .boolean ? .bool(truth) : nil
        case .int(let number): self == .boolean ? (number == 0 || number == 1 ? .bool(number == 1) : nil) : value(Value.int(number))
        case .double(let number): value(Value.double(number))
        case .decimal(let number): self == .decimal ? .decimal(number) : Double("\(number)").flatMap { value(Value.double($0)) }
        case .null, .array, .object: nil
        }
    }

    private func value(_ number: Value) -> Value? {
        if self == .date, case .double(let seconds) = number { return .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        if self == .date, case .int(let seconds) = number { return .date(Date(timeIntervalSinceReferenceDate: Double(seconds))) }
        return coerce(number)
    }

    private func value(_ text: String) -> Value? {
        switch self {
        case .string: .string(text)
        case .integer16, .integer32, .integer64: Int64(text).flatMap { coerce(.int($0)) }
        case .decimal: Decimal(string: text).map { .decimal($0) }
        case .double, .float: Double(text).flatMap { coerce(.double($0)) }
        case .boolean: ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false][text.lowercased()].map { .bool($0) }
        case .date: DateText.date(text).map { .date($0) }
        case .binary, .transformable: Data(base64Encoded: text).map { .data($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .uri: URL(string: text).map { .url($0) }
        case .undefined, .composite: nil
        }
    }
}
