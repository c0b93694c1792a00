import Hummingbird

/// The values of a form, from the query of an address or the body of a request.
struct FormValues: Sendable {
    /// The names and values in their order.
    let all: [(String, String?)]

    /// Reads values that are encoded as forms are, `name=a+value&other=%C3%A4`; malformed bytes become replacement characters.
    init(_ text: some StringProtocol) {
        all = Substring(text).split(separator: "&").prefix(64).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (FormValues.decoded(parts[0]), parts.count > 1 ? FormValues.decoded(parts[1]) : "")
        }
    }

    private init(all: [(String, String?)]) { self.all = all }

    /// Returns the values with another one under a name, and without those under other names.
    func replacing(_ name: String, with value: String?, without dropped: [String] = []) -> FormValues {
        FormValues(all: all.filter { $0.0 != name && !dropped.contains($0.0) } + (value == nil ? [] : [(name, value)]))
    }

    /// The last value with a name, `nil` where there is none.
    subscript(name: String) -> String? { all.last { $0.0 == name }?.1 }

    /// The value with a name; `nil` where it is empty.
    func text(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a number within limits.
    ///
    /// - Throws: `PageError` where the value is no such number.
    func number(_ name: String, default number: Int, in range: ClosedRange<Int>) throws -> Int {
        guard let text = text(name) else { return number }
        guard let value = Int(text), range.contains(value) else {
            throw PageError(.badRequest, "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
