import FoundationEssentials
import StrataModel

/// Compares two values as predicates do.
public enum ValueTest {
    /// Whether `left op right` holds.
    ///
    /// - Returns: `nil` when the operator does not apply to values of these kinds.
    public static func compare(
        _ left: Value, _ op: QueryComparison.Operator, _ right: Value, _ options: QueryComparison.Options
    ) -> Bool? {
        switch op {
        case .isIn:
            guard case .list(let values) = right else { return nil }
            return values.contains { compare(left, .equal, $0, options) == true }
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return nil }
            return compare(left, .greaterOrEqual, bounds[0], options) == true && compare(left, .lessOrEqual, bounds[1], options) == true
        case .contains, .beginsWith, .endsWith, .like, .matches:
            guard let text = left.text else { return left.isNull ? false : nil }
            guard let other = right.text else { return right.isNull ? false : nil }
            return TextTest(op, other, options)?.passes(text)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            if !options.isEmpty, let a = left.text, let b = right.text { return TextTest(op, b, options)?.passes(a) }
            if op == .equal { return left.equals(right) }
            if op == .notEqual { return !left.equals(right) }
            return holds(op, left.compare(right))
        }
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
