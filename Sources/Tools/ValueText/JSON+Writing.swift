import FoundationEssentials

// An encoder takes five times as long for a row of a table: it makes containers for each.
extension JSON {
    /// Appends the value as text in one line, as ``line`` has it.
    public func append(to line: inout [UInt8]) {
        switch self {
        case .null: line.append(contentsOf: "null".utf8)
        case .bool(let value): line.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): line.append(contentsOf: String(value).utf8)
        case .double(let value): JSON.append(value, to: &line)
        case .decimal(let value): line.append(contentsOf: (value.isNaN ? "\"nan\"" : value.description).utf8)
        case .string(let value): JSON.append(value, to: &line)
        case .array(let values):
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                value.append(to: &line)
            }
            line.append(UInt8(ascii: "]"))
        case .object(let members):
            line.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                JSON.append(member.key, to: &line)
                line.append(UInt8(ascii: ":"))
                member.value.append(to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a number; an infinite one and NaN as text.
    public static func append(_ number: Double, to line: inout [UInt8]) {
        guard number.isFinite else { return line.append(contentsOf: "\"\(number)\"".utf8) }
        let text = number.description
        line.append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }

    /// Appends a text in quotes, with escapes for quotes, backslashes and control characters.
    public static func append(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        if text.utf8.contains(where: { isEscaped($0) }) {
            for byte in text.utf8 { if isEscaped(byte) { line.append(contentsOf: escape(of: byte).utf8) } else { line.append(byte) } }
        } else {
            line.append(contentsOf: text.utf8)
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    private static func escape(of byte: UInt8) -> String {
        switch byte {
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        case 0x22: "\\\""
        case 0x5C: "\\\\"
        default: "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))"
        }
    }
}
