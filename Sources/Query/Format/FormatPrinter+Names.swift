import StrataModel
import StrataText

extension FormatPrinter {
    /// Prints a key path, with special names as `#name` or `#"any name"`.
    mutating func printPath(_ path: String) {
        var rest = path.utf8[...]
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.endIndex
            print(name: String(Substring(rest[..<end])), mayBeOperator: true)
            if end == rest.endIndex { return }
            append(".")
            rest = rest[rest.index(after: end)...]
        }
    }

    mutating func printVariable(_ name: String) {
        append("$")
        print(name: name, mayBeOperator: false)
    }

    private mutating func print(name: String, mayBeOperator: Bool) {
        let scanner = FormatScanner(name)
        let isOperator = mayBeOperator && scanner.next == UInt8(ascii: "@")
        let start = isOperator ? 1 : 0
        let end = scanner.endOfName(from: start)
        if end == start || end < scanner.bytes.count - 1 {
            append("#")
            append(FormatPrinter.quote(name))
        } else {
            if mayBeOperator, !isOperator, FormatKeyword(scanner.bytes[start..<end])?.isReserved == true { append("#") }
            append(name)
        }
    }

    mutating func print(_ value: Value) {
        if let (literal, type) = FormatConstant.cast(of: value) {
            append("CAST(")
            print(literal)
            append(", \"\(type)\")")
            return
        }
        switch value {
        case .bool(let truth): append(truth ? "TRUE" : "FALSE")
        case .int(let number): append(String(number))
        case .double(let number): append(String(number))
        case .string(let string): append(FormatPrinter.quote(string))
        case .list(let values):
            guard enter() else { return }
            defer { leave() }
            append("{")
            for (index, value) in values.enumerated() {
                if index > 0 { append(", ") }
                print(value)
            }
            append("}")
        default: append("nil")
        }
    }

    /// Quotes a text with escapes.
    static func quote(_ string: String) -> String {
        guard string.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == 0x7F }) else {
            return "\"" + string + "\""
        }
        return TextEscaping.quoted(string) { scalar in
            guard scalar.value < 0x20 || scalar.value == 0x7F else { return nil }
            let hex = String(scalar.value, radix: 16)
            return hex.utf8.count == 1 ? "\\x0" + hex : "\\x" + hex
        }
    }
}

extension FormatKeyword {
    /// Whether a property of this name is printed as `#name`, so that Core Data reads it as well.
    var isReserved: Bool {
        switch self {
        case .union, .intersect, .minus: false
        default: true
        }
    }
}
