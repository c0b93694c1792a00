import FoundationEssentials
import StrataModel
import StrataQuery
import StrataText

/// The values of a list, hashed so that finding one among them takes no longer the more there are.
///
/// What ``ValueTest`` holds for equal, and only that, is found: numbers by magnitude, text by bytes or folded, a NaN never.
struct ValueSet {
    private var keys: Set<Value> = []
    /// Floating-point numbers and decimals that are not whole: one kind does not hash as the other.
    private var doubles: [Value] = []
    private var decimals: [Value] = []
    /// Lists, which are compared one by one.
    private var lists: [Value] = []
    private let options: QueryComparison.Options

    /// Hashes a list; `nil` where the options ask for an order that does not hash.
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
            for list in lists where try ValueTest.holds(value, .equal, list, options) { return true }
            return false
        case .some(.double(let number)): return keys.contains(.double(number)) || decimals.contains { value.equals($0) }
        case .some(.decimal(let number)): return keys.contains(.decimal(number)) || doubles.contains { value.equals($0) }
        case .some(let key): return keys.contains(key)
        }
    }
}

extension Value {
    /// A value that is the same, as `==` has it, for values that predicates hold for equal, but for fractions of different kinds; `nil` for
    /// one that equals nothing.
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
    /// The number, where it is whole and 64 bits hold it.
    var wholeNumber: Int64? { Int64(description) }
}
