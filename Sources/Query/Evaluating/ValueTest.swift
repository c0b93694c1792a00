import FoundationEssentials
import StrataModel

/// Compares two values as predicates do.
public enum ValueTest {
    /// Whether `left op right` holds; not where the operator does not apply to values of these kinds.
    public static func holds(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) -> Bool {
        compare(left, op, right, options) ?? false
    }

    /// Whether `left op right` holds.
    ///
    /// - Returns: `nil` when the operator does not apply to values of these kinds.
    public static func compare(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) -> Bool? {
        switch op {
        case .isIn:
            if case .list(let values) = right { return values.contains { equal(left, $0, options) } }
            return text(right, .contains, left, options)
        case .contains:
            if case .list(let values) = left { return values.contains { equal($0, right, options) } }
            return text(left, op, right, options)
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return nil }
            return holds(left, .greaterOrEqual, bounds[0], options) && holds(left, .lessOrEqual, bounds[1], options)
        case .beginsWith, .endsWith, .like, .matches: return text(left, op, right, options)
        case .equal: return equal(left, right, options)
        case .notEqual: return !equal(left, right, options)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if !options.isEmpty, let a = left.text, let b = right.text { return TextTest(op, b, options)?.passes(a) }
            return holds(op, left.compare(right))
        }
    }

    private static func text(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) -> Bool? {
        guard let text = left.text else { return left.isNull ? false : nil }
        guard let other = right.text else { return right.isNull ? false : nil }
        return TextTest(op, other, options)?.passes(text)
    }

    private static func equal(_ left: Value, _ right: Value, _ options: QueryComparison.Options) -> Bool {
        if options.isEmpty { return left.equals(right) }
        if let a = left.text, let b = right.text { return TextTest(.equal, b, options)?.passes(a) ?? false }
        guard case .list(let a) = left, case .list(let b) = right else { return left.equals(right) }
        return a.count == b.count && zip(a, b).allSatisfy { equal($0, $1, options) }
    }

    /// A comparison with one right side, prepared to be made with many left ones.
    static func prepared(
        _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) -> (Value) -> Bool {
        if op == .isIn, case .list(let values) = right, let set = ValueSet(values, options) { return { set.contains($0) } }
        let isComparedByValue = op == .between || op == .isIn || (options.isEmpty && !op.isTextual)
        if !isComparedByValue, let text = right.text, let test = TextTest(op, text, options) {
            return { left in left.text.map { test.passes($0) } ?? holds(left, op, right, options) }
        }
        return { holds($0, op, right, options) }
    }

    /// Whether an order satisfies an operator that asks for one.
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
    /// The text of a string or URL.
    var text: String? {
        switch self {
        case .string(let text): text
        case .url(let url): url.absoluteString
        default: nil
        }
    }
}
