public import StrataText

/// Compares two values as predicates do.
public enum ValueTest {
    /// Returns whether `left op right` holds; false where the operator does not apply to values of these kinds.
    ///
    /// - Throws: `QueryError` for a pattern that cannot be matched.
    public static func holds(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, options: QueryComparison.Options
    ) throws(QueryError) -> Bool {
        try compare(left, op, right, options: options) ?? false
    }

    /// Returns whether `left op right` holds.
    ///
    /// - Returns: `nil` when the operator does not apply to values of these kinds.
    /// - Throws: `QueryError` for a pattern that cannot be matched.
    public static func compare(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, options: QueryComparison.Options
    ) throws(QueryError) -> Bool? {
        switch op {
        case .isIn:
            if case .list(let values) = right { return try contains(values, left, options) }
            return try text(right, .contains, left, options)
        case .contains:
            if case .list(let values) = left { return try contains(values, right, options) }
            return try text(left, op, right, options)
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return nil }
            guard try holds(left, .greaterOrEqual, bounds[0], options: options) else { return false }
            return try holds(left, .lessOrEqual, bounds[1], options: options)
        case .beginsWith, .endsWith, .like, .matches: return try text(left, op, right, options)
        case .equal: return try equal(left, right, options)
        case .notEqual: return try !equal(left, right, options)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if !options.isEmpty, left.text != nil, right.text != nil { return try text(left, op, right, options) }
            return holds(op, left.compare(right))
        }
    }

    private static func text(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) throws(QueryError) -> Bool? {
        guard let text = left.text else { return left.isNull ? false : nil }
        guard let other = right.text else { return right.isNull ? false : nil }
        return try TextTest(op, other, options: options)?.passes(text)
    }

    private static func equal(_ left: Value, _ right: Value, _ options: QueryComparison.Options) throws(QueryError) -> Bool {
        if options.isEmpty { return left.equals(right) }
        if left.text != nil, right.text != nil { return try text(left, .equal, right, options) ?? false }
        guard case .list(let a) = left, case .list(let b) = right else { return left.equals(right) }
        if a.count != b.count { return false }
        for (a, b) in zip(a, b) where try !equal(a, b, options) { return false }
        return true
    }

    private static func contains(_ values: [Value], _ value: Value, _ options: QueryComparison.Options) throws(QueryError) -> Bool {
        for element in values where try equal(value, element, options) { return true }
        return false
    }

    /// Returns a comparison with one right side, prepared for many left ones.
    static func prepared(
        _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) throws(QueryError) -> (Value) throws(QueryError) -> Bool {
        if op == .isIn, case .list(let values) = right, let set = ValueSet(values, options) {
            return { (left) throws(QueryError) in try set.contains(left) }
        }
        let isTextual = op.isTextual || (!options.isEmpty && op != .between && op != .isIn)
        if isTextual, let text = right.text, let test = try TextTest(op, text, options: options) {
            return { (left) throws(QueryError) in
                guard let text = left.text else { return try holds(left, op, right, options: options) }
                return try test.passes(text)
            }
        }
        return { (left) throws(QueryError) in try holds(left, op, right, options: options) }
    }

    /// Returns whether an ordering satisfies an order operator.
    @inlinable
    public static func holds(_ op: QueryComparison.Operator, _ ordering: Ordering) -> Bool {
        switch op {
        case .equal: ordering == .equal
        case .notEqual: ordering != .equal
        case .less: ordering == .less
        case .lessOrEqual: ordering == .less || ordering == .equal
        case .greater: ordering == .greater
        case .greaterOrEqual: ordering == .greater || ordering == .equal
        default: false
        }
    }
}

extension Value {
    /// The text that textual operators compare; `nil` for a value without one.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .url(let url): url.absoluteString
        default: nil
        }
    }
}
