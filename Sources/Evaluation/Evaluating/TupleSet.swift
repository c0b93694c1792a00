import FoundationEssentials
package import StrataModel

/// A tuple as groups and distinct results tell it from others: values that predicates hold for equal are one, whatever their kinds, and so
/// are two nils and two NaNs.
package struct TupleKey: Hashable {
    private let values: [Value]

    /// Creates the key of a tuple.
    package init(_ tuple: [Value]) { values = tuple.allSatisfy(\.isDistinctKey) ? tuple : tuple.map(\.distinctKey) }
}

/// Tuples that are different from each other.
package struct TupleSet {
    private var keys: Set<TupleKey> = []

    /// No tuples yet.
    package init() {}

    /// Takes in a tuple.
    ///
    /// - Returns: Whether it is different from all before it.
    package mutating func insert(_ tuple: [Value]) -> Bool { keys.insert(TupleKey(tuple)).inserted }

    /// Returns the first of each of some tuples that are equal, in their order.
    package static func unique(_ tuples: [[Value]]) -> [[Value]] {
        var seen = TupleSet()
        return tuples.filter { seen.insert($0) }
    }
}

extension Value {
    /// The value that represents all that are equal to this one, by magnitude, by bytes, or as nil, and one for every
    /// NaN.
    var distinctKey: Value {
        switch self {
        case .bool(let flag): .int(flag ? 1 : 0)
        case .double(let number): Int64(exactly: number).map { .int($0) } ?? self
        case .decimal(let number): number.distinctKey
        case .url(let url): .string(url.absoluteString)
        case .list(let values): .list(values.map(\.distinctKey))
        case .null, .int, .string, .date, .data, .uuid, .objectID: self
        }
    }

    /// Whether no other value represents this one.
    fileprivate var isDistinctKey: Bool {
        switch self {
        case .bool, .double, .decimal, .url, .list: false
        case .null, .int, .string, .date, .data, .uuid, .objectID: true
        }
    }
}

extension Decimal {
    /// The whole or floating-point number that is equal, and the decimal itself where there is none.
    fileprivate var distinctKey: Value {
        if isNaN { return .double(.nan) }
        if let whole = wholeNumber { return .int(whole) }
        guard let nearest = Double(description), Value.decimal(self).equals(.double(nearest)) else { return .decimal(self) }
        return .double(nearest)
    }
}
