/// The key of a tuple in groups and distinct results.
///
/// Values that predicates hold for equal have one key, whatever their kinds, and so have two nils and two NaNs. A store that groups rows
/// by itself uses it, so that it returns the groups that other stores return.
public struct TupleKey: Hashable {
    private let values: [Value]

    /// Creates the key of a tuple: values that compare as equal have one key.
    public init(_ tuple: [Value]) { values = tuple.allSatisfy(\.isDistinctKey) ? tuple : tuple.map(\.distinctKey) }
}

/// A set of tuples, each different from the others as ``TupleKey`` compares them.
public struct TupleSet {
    private var keys: Set<TupleKey> = []

    /// Creates an empty set.
    public init() {}

    /// Inserts a tuple.
    ///
    /// - Returns: Whether it is different from all that were inserted before.
    public mutating func insert(_ tuple: [Value]) -> Bool { keys.insert(TupleKey(tuple)).inserted }

    /// Returns the first of each group of equal tuples, in their order.
    public static func unique(_ tuples: [[Value]]) -> [[Value]] {
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
