import StrataText

/// The values of a list, hashed for constant-time search.
///
/// Values are equal as by ``ValueTest``: numbers by magnitude, text by bytes or folded, NaN never.
struct ValueSet {
    private var keys: Set<Value> = []
    /// Fractional floating-point numbers and decimals, whose hashes differ between the kinds.
    private var doubles: [Value] = []
    private var decimals: [Value] = []
    private var lists: [Value] = []
    private let options: QueryComparison.Options

    /// Hashes a list; fails where the options require an order that cannot be hashed.
    ///
    /// - Complexity: O(n).
    init?(_ values: [Value], _ options: QueryComparison.Options) {
        if options.collates { return nil }
        self.options = options
        keys.reserveCapacity(values.count)
        for value in values {
            switch value.comparisonKey {
            case .some(.string(let text)): keys.insert(.string(TextFolding.fold(text, options)))
            case .some(.list): lists.append(value)
            case .some(let key):
                keys.insert(key)
                if case .double = key { doubles.append(key) }
                if case .decimal = key { decimals.append(key) }
            case .none: break
            }
        }
    }

    /// Returns whether the list has an equal value.
    ///
    /// - Complexity: O(1); O(n) for a list, and for a fraction where the list has fractions of the other kind.
    func contains(_ value: Value) throws(QueryError) -> Bool {
        switch value.comparisonKey {
        case .none: return false
        case .some(.string(let text)): return keys.contains(.string(TextFolding.fold(text, options)))
        case .some(.list):
            for list in lists where try ValueTest.holds(value, .equal, list, options: options) { return true }
            return false
        case .some(.double(let number)): return keys.contains(.double(number)) || decimals.contains { value.equals($0) }
        case .some(.decimal(let number)): return keys.contains(.decimal(number)) || doubles.contains { value.equals($0) }
        case .some(let key): return keys.contains(key)
        }
    }
}

extension Value {
    /// The representative, by `==`, of values that predicates hold for equal, except for fractions of different kinds;
    /// `nil` for one that equals nothing.
    var comparisonKey: Value? {
        switch self {
        case .bool(let flag): .int(flag ? 1 : 0)
        case .double(let number): number.isNaN ? .none : .some(Int64(exactly: number).map { .int($0) } ?? self)
        case .decimal(let number): number.isNaN ? .none : .some(number.wholeNumber.map { .int($0) } ?? self)
        case .url(let url): .string(url.absoluteString)
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN ? .none : .some(self)
        case .null, .int, .string, .data, .uuid, .objectID, .list: self
        }
    }
}

extension Decimal {
    /// The number, where it is whole and fits 64 bits.
    var wholeNumber: Int64? { Int64(description) }
}
