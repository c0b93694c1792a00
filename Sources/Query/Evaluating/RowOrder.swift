import StrataModel

/// A sort order compiled to comparisons of row bytes.
///
/// No value comes first in an upward order; a NaN follows all numbers; equal rows follow in the order of their references.
public struct RowOrder {
    private let keys: [(Row, Row, any RowResolver, any RowResolver) throws -> Ordering]

    /// Compiles sort keys, the most significant first.
    public init(_ sorts: [ResolvedSort]) { keys = sorts.map(RowOrder.compile) }

    /// Whether the order is by reference alone.
    public var isByReference: Bool { keys.isEmpty }

    /// How two rows stand to each other, equal only where they are of one reference.
    public func compare(_ a: Row, _ resolverA: any RowResolver, _ b: Row, _ resolverB: any RowResolver) throws -> Ordering {
        for key in keys {
            let ordering = try key(a, b, resolverA, resolverB)
            if ordering != .equal { return ordering }
        }
        return RowOrder.order(a.reference, b.reference)
    }

    /// The order of two references: temporary ones, which are negative, follow all others in the order in which they were made.
    public static func order(_ a: Int64, _ b: Int64) -> Ordering { Ordering(UInt64(bitPattern: a), UInt64(bitPattern: b)) }

    /// Sorts rows of one snapshot.
    ///
    /// - Complexity: O(n log n) comparisons.
    public func sort(_ rows: inout [Row], _ resolver: any RowResolver) throws {
        try rows.sort { try compare($0, resolver, $1, resolver) == .less }
    }

    private static func compile(_ sort: ResolvedSort) -> (Row, Row, any RowResolver, any RowResolver) throws -> Ordering {
        let path = sort.path
        let ascending = sort.ascending
        let (slot, kind, options) = (path.leafSlot, path.leafKind, sort.options)
        func order(_ a: Row?, _ b: Row?) -> Ordering {
            guard let slot else { return RowOrder.order(a?.reference ?? 0, b?.reference ?? 0) }
            let (isNullA, isNullB) = (a?.isNull(slot) ?? true, b?.isNull(slot) ?? true)
            guard let a, let b, !isNullA, !isNullB else { return Ordering(isNullA ? 0 : 1, isNullB ? 0 : 1) }
            switch kind {
            case .reference: return Ordering(a.rawWord(slot), b.rawWord(slot))
            case .integer, .boolean, .entity, .order:
                return Ordering(Int64(bitPattern: a.rawWord(slot)), Int64(bitPattern: b.rawWord(slot)))
            case .double, .float, .date:
                let (x, y) = (Double(bitPattern: a.rawWord(slot)), Double(bitPattern: b.rawWord(slot)))
                return x.isNaN || y.isNaN ? Ordering(x.isNaN ? 1 : 0, y.isNaN ? 1 : 0) : Ordering(x, y)
            case .string where !options.isEmpty:
                guard case .string(let x) = a.value(slot, kind), case .string(let y) = b.value(slot, kind) else { return .equal }
                return Value.string(TextFolding.fold(x, options)).compare(.string(TextFolding.fold(y, options)))
            case .string, .uri, .uuid, .binary, .transformable:
                guard let x = a.bytes(slot), let y = b.bytes(slot) else { return .equal }
                return compareBytes(x, y)
            case .decimal:
                let ordering = a.value(slot, kind).compare(b.value(slot, kind))
                return ordering == .unordered ? .equal : ordering
            }
        }
        if path.steps.isEmpty {
            return { a, b, _, _ in ascending ? order(a, b) : order(a, b).reversed }
        }
        return { a, b, resolverA, resolverB in
            let ordering = order(
                try RowPredicate.follow(path, from: a, resolverA), try RowPredicate.follow(path, from: b, resolverB))
            return ascending ? ordering : ordering.reversed
        }
    }
}
