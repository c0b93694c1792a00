import FoundationEssentials
package import StrataModel

/// The identity of a tuple for groups and distinct results: equal values are one, whatever their kinds, and so are two
/// nils and two NaNs.
package struct TupleKey: Hashable {
    private let values: [Value]

    package init(_ tuple: [Value]) { values = tuple.allSatisfy(\.isDistinctKey) ? tuple : tuple.map(\.distinctKey) }
}

package struct TupleSet {
    private var keys: Set<TupleKey> = []

    package init() {}

    /// Adds a tuple; returns whether it is new.
    package mutating func insert(_ tuple: [Value]) -> Bool { keys.insert(TupleKey(tuple)).inserted }

    /// Returns the distinct tuples, in order of first occurrence.
    package static func unique(_ tuples: [[Value]]) -> [[Value]] {
        var seen = TupleSet()
        return tuples.filter { seen.insert($0) }
    }
}

extension Value {
    /// The representative of all equal values, by magnitude, by bytes, or as nil, and of every NaN.
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

    fileprivate var isDistinctKey: Bool {
        switch self {
        case .bool, .double, .decimal, .url, .list: false
        case .null, .int, .string, .date, .data, .uuid, .objectID: true
        }
    }
}

extension Decimal {
    /// The equal integer or floating-point number; the decimal itself where there is none.
    fileprivate var distinctKey: Value {
        if isNaN { return .double(.nan) }
        if let whole = wholeNumber { return .int(whole) }
        guard let nearest = Double(description), Value.decimal(self).equals(.double(nearest)) else { return .decimal(self) }
        return .double(nearest)
    }
}
