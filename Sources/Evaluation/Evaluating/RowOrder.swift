public import StrataText

/// A sort order compiled to comparisons of row bytes.
///
/// Nil comes first in ascending order, NaN after all numbers; equal rows are ordered by reference.
public struct RowOrder {
    private let keys: [RowOrderKey]

    /// Compiles sort keys, the most significant first.
    public init(_ sorts: [ResolvedSort]) { keys = sorts.map { RowOrderKey($0) } }

    /// Compares two rows, which are equal only where they have one reference.
    ///
    /// Folded and collated text is prepared at every comparison; ``sorted(_:first:_:)`` prepares each text once.
    ///
    /// - Throws: What the resolvers throw; `QueryError` for values that an expression cannot take.
    public func compare(_ a: Row, with resolverA: any RowResolver, to b: Row, with resolverB: any RowResolver) throws -> Ordering {
        for key in keys {
            let ordering = try key.compare(a, resolverA, b, resolverB)
            if ordering != .equal { return ordering }
        }
        return RowOrder.order(a.reference, b.reference)
    }

    /// Returns whether two rows of one snapshot have equal keys.
    ///
    /// - Throws: As ``compare(_:with:to:with:)``.
    public func areEqual(_ a: Row, _ b: Row, with resolver: any RowResolver) throws -> Bool {
        try keys.allSatisfy { try $0.compare(a, resolver, b, resolver) == .equal }
    }

    /// Returns the order of two references: temporary ones, which are negative, come last, in the order of creation.
    public static func order(_ a: Int64, _ b: Int64) -> Ordering { Ordering(UInt64(bitPattern: a), UInt64(bitPattern: b)) }

    /// Sorts rows of one snapshot.
    ///
    /// - Parameters:
    ///   - rows: The rows to sort.
    ///   - resolver: Reads the rows that theirs reference.
    ///   - limit: The number of first rows to keep; `nil` for all.
    /// - Throws: As ``compare(_:with:to:with:)``.
    /// - Complexity: O(n log n) comparisons; with a limit mostly O(n).
    public func sort(_ rows: inout [Row], _ resolver: any RowResolver, first limit: Int? = nil) throws {
        if keys.contains(where: \.preparesText) {
            rows = try sorted(rows, first: limit) { ($0, resolver) }
        } else if let limit, limit < rows.count / 2 {
            rows = try rows.smallest(limit) { try compare($0, with: resolver, to: $1, with: resolver) == .less }
        } else {
            try rows.sort { try compare($0, with: resolver, to: $1, with: resolver) == .less }
        }
    }

    /// Returns elements sorted by their rows.
    ///
    /// - Parameters:
    ///   - elements: The elements to sort.
    ///   - limit: The number of first elements to return; `nil` for all.
    ///   - row: Returns the row of an element, and the resolver of what it references.
    /// - Throws: As ``compare(_:with:to:with:)``.
    /// - Complexity: O(n log n) comparisons, with a limit mostly O(n); texts are folded or collated once each.
    public func sorted<T>(_ elements: [T], first limit: Int? = nil, _ row: (T) -> (Row, any RowResolver)) throws -> [T] {
        let rows = elements.map(row)
        let columns = try keys.map { try $0.preparesText ? PreparedTexts(rows, $0) : nil }
        func precedes(_ a: (prefix: UInt64, index: Int), _ b: (prefix: UInt64, index: Int)) throws -> Bool {
            if a.prefix != b.prefix { return (a.prefix < b.prefix) == keys[0].ascending }
            let ((rowA, resolverA), (rowB, resolverB)) = (rows[a.index], rows[b.index])
            for (key, column) in zip(keys, columns) {
                let ordering: Ordering
                if let column {
                    let upward = column.compare(a.index, b.index)
                    ordering = key.ascending ? upward : upward.reversed
                } else {
                    ordering = try key.compare(rowA, resolverA, rowB, resolverB)
                }
                if ordering != .equal { return ordering == .less }
            }
            if rowA.reference != rowB.reference { return RowOrder.order(rowA.reference, rowB.reference) == .less }
            return a.index < b.index
        }
        let order = elements.indices.lazy.map { (prefix: columns.first??.prefix(of: $0) ?? 0, index: $0) }
        let isShort = limit.map { $0 < elements.count / 2 } ?? false
        let sorted = isShort ? try order.smallest(limit ?? 0, by: precedes) : try order.sorted(by: precedes)
        return sorted.map { elements[$0.index] }
    }
}
