import StrataModel

/// The value that Xcode compiles a default to whose text does not fit the attribute's type.
///
/// Numbers and truth values are what the text begins with, as `NSString` reads them: "NO" is the integer 0, "0.0" is false.
enum CompiledDefault {
    /// Returns the value of a text; `nil` if it has no counterpart in the type.
    static func value(_ text: String, of type: AttributeType) -> Value? {
        switch type {
        case .boolean: .bool(isTrue(text))
        case .integer16, .integer32, .integer64: integer(text).flatMap { type.coerce(.int($0)) }
        case .double, .float: type.coerce(.double(number(text) ?? 0))
        case .decimal: number(text).flatMap { type.coerce(.double($0)) }
        default: nil
        }
    }

    /// Returns the integer that a text begins with, 0 without one; `nil` for one that is out of range.
    private static func integer(_ text: String) -> Int64? {
        let digits = beginning(of: text, \.isWholeNumber)
        return digits.contains(where: \.isWholeNumber) ? Int64(digits) : 0
    }

    /// Returns whether a text begins with Y, T or a digit other than 0, behind a sign and zeros.
    private static func isTrue(_ text: String) -> Bool {
        let first = trimmed(text).drop { "+-0".contains($0) }.first
        return first.map { "YyTt123456789".contains($0) } ?? false
    }

    /// Returns the number that a text begins with.
    private static func number(_ text: String) -> Double? {
        var digits = beginning(of: text) { $0.isWholeNumber || ".eE+-".contains($0) }
        while !digits.isEmpty {
            if let number = Double(digits), number.isFinite { return number }
            digits.removeLast()
        }
        return nil
    }

    /// Returns the sign and the characters behind it, of which a number has few.
    private static func beginning(of text: String, _ isPart: (Character) -> Bool) -> String {
        let text = trimmed(text)
        let sign = text.first.map { "+-".contains($0) } == true ? 1 : 0
        return String(text.prefix(sign) + text.dropFirst(sign).prefix(64).prefix { $0.isASCII && isPart($0) })
    }

    private static func trimmed(_ text: String) -> Substring { text.drop(while: \.isWhitespace) }
}
