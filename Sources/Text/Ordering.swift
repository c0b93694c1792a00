public import StrataPlatform

/// How two values stand to each other; ``unordered`` where no order exists (different kinds, a null, a NaN).
public enum Ordering: Sendable, Hashable {
    /// The first precedes the second.
    case less
    /// Neither precedes the other, and both are ordered.
    case equal
    /// The first follows the second.
    case greater
    /// No order exists: the types differ, or one is null or NaN.
    case unordered

    /// The order with its operands exchanged.
    public var reversed: Ordering {
        switch self {
        case .less: .greater
        case .greater: .less
        case .equal, .unordered: self
        }
    }

    /// How two values of one type stand to each other; a NaN is unordered.
    @inlinable
    public init<T: Comparable>(_ lhs: T, _ rhs: T) {
        self = lhs < rhs ? .less : lhs == rhs ? .equal : lhs > rhs ? .greater : .unordered
    }
}

/// Orders two byte strings lexicographically, a prefix before what it starts.
///
/// - Complexity: O(n) in the shorter of the two.
@inlinable
public func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Ordering {
    let shared = min(a.count, b.count)
    if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
        let order = unsafe memcmp(left, right, shared)
        if order != 0 { return order < 0 ? .less : .greater }
    }
    return Ordering(a.count, b.count)
}
