/// Rounding to whole numbers, within each kind: integers cannot hold all floating-point numbers and decimals.
enum Rounding {
    static func floor(_ value: Value) -> Value { round(value, .down) { $0 < $1 ? $1 - 1 : $1 } }
    static func ceiling(_ value: Value) -> Value { round(value, .up) { $0 > $1 ? $1 + 1 : $1 } }
    static func trunc(_ value: Value) -> Value { round(value, .towardZero) { $1 } }

    static func trunc(_ number: Decimal) -> Decimal {
        // A decimal describes itself with all its digits.
        let text = number.description
        return text.firstIndex(of: ".").flatMap { Decimal(string: String(text[..<$0])) } ?? number
    }

    /// - Parameter correct: Gets a decimal and its whole part.
    private static func round(_ value: Value, _ rule: FloatingPointRoundingRule, _ correct: (Decimal, Decimal) -> Decimal) -> Value {
        switch value.number {
        case .int(let number): .int(number)
        case .double(let number): .double(number.rounded(rule))
        case .decimal(let number): .decimal(number.isNaN ? number : correct(number, trunc(number)))
        case nil: .null
        }
    }
}
