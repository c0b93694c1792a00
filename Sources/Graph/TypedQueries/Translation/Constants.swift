import StrataModel
import StrataQuery

/// Values that a predicate captured, as constants of a query.
enum Constants {
    /// Returns a value, a list of them or a range; `nil` where queries support none.
    static func translated(_ value: Any) -> Translated? {
        if let bounds = (unwrapped(value) as? any RangeBounds)?.bounds {
            let (lower, upper) = (bounds.lower.map(constant), bounds.upper.map(constant))
            if case .some(nil) = lower { return nil }
            if case .some(nil) = upper { return nil }
            return .range(
                lower: lower.flatMap { $0 }.map { .constant($0) }, upper: upper.flatMap { $0 }.map { .constant($0) },
                includesUpper: bounds.includesUpper)
        }
        return constant(value).map { .expression(.constant($0)) }
    }

    /// Returns a value or a list of them; `nil` where queries support none.
    static func constant(_ value: Any) -> Value? {
        guard let value = unwrapped(value) else { return .null }
        switch value {
        case let value as any ValueConvertible: return value.value
        case let object as ManagedObject: return object.queryValue
        case let number as any BinaryInteger:
            if let small = Int64(exactly: number) { return .int(small) }
            return Decimal(string: "\(number)").map { .decimal($0) }
        case let number as any BinaryFloatingPoint: return .double(Double(number))
        case let text as any StringProtocol: return .string(String(text))
        case let character as Character: return .string(String(character))
        case let raw as any RawRepresentable: return constant(raw.rawValue)
        case is any DictionaryType: return nil
        case let sequence as any Collection: return list(sequence)
        default: return nil
        }
    }

    private static func list(_ elements: any Collection) -> Value? {
        var values: [Value] = []
        for element in elements {
            guard let value = constant(element) else { return nil }
            values.append(value)
        }
        return .list(values)
    }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}

private protocol RangeBounds {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { get }
}

extension ClosedRange: RangeBounds {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, true) }
}

extension Range: RangeBounds {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, false) }
}

extension PartialRangeFrom: RangeBounds {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, nil, false) }
}

extension PartialRangeThrough: RangeBounds {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: RangeBounds {
    fileprivate var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, false) }
}
