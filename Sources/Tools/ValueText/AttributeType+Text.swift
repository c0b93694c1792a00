import FoundationEssentials
public import Strata

extension AttributeType {
    private static let truths = ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false]

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

    /// Returns the value of a text for an attribute of the type; `nil` where it cannot hold it.
    public func value(_ text: String) -> Value? {
        switch self {
        case .string: .string(text)
        case .integer16, .integer32, .integer64: Int64(text).flatMap { coerce(.int($0)) }
        case .decimal: Decimal(exactly: text).map { .decimal($0) }
        // A number out of range is read as an infinity.
        // The initializer of a substring needs no dynamic cast.
        case .double, .float:
            Double(Substring(text)).flatMap { $0.isInfinite && text.contains(where: \.isNumber) ? nil : coerce(.double($0)) }
        case .boolean: AttributeType.truths[text.lowercased()].map { .bool($0) }
        case .date: DateText.date(text).map { .date($0) }
        case .binary, .transformable: Data(base64Encoded: text).map { .data($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .uri: URL(string: text).map { .url($0) }
        case .undefined, .composite: nil
        }
    }
}

extension Decimal {
    /// The most digits that a decimal has.
    private static let greatestDigitCount = 38

    /// Creates the number of a whole text, `-12.50` or `1e-3`; `nil` for another text, and for more digits than a decimal has.
    fileprivate init?(exactly text: String) {
        var digits = 0
        var (hasPoint, isSignificant) = (false, false)
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        var count = 0
        while let byte = rest.first {
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                isSignificant = isSignificant || byte != UInt8(ascii: "0")
                digits += isSignificant ? 1 : 0
                count += 1
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        guard count > 0, digits <= Decimal.greatestDigitCount else { return nil }
        if !rest.isEmpty {
            guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E"), Int(Substring(rest.dropFirst())) != nil else {
                return nil
            }
        }
        guard let number = Decimal(string: text), !number.isNaN else { return nil }
        self = number
    }
}
