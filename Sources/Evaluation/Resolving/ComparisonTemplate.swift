/// A resolved comparison of a property, cached for other constants.
///
/// Programs fetch by many keys, one after the other: only the constant differs then, which needs no check where it is
/// of the attribute's own kind.
package final class ComparisonTemplate {
    private let entity: EntityDescription
    private let text: String
    private let options: QueryComparison.Options
    private let resolved: ResolvedComparison
    private let type: AttributeType

    /// - Parameter resolved: The resolved `predicate`.
    /// - Returns: `nil` for a predicate of another form, or one whose constant has to be checked each time.
    package init?(_ predicate: QueryPredicate, _ resolved: ResolvedPredicate, of entity: EntityDescription) {
        guard case .comparison(let comparison) = predicate, case .comparison(let found) = resolved, comparison.modifier == .direct,
            case .keyPath(let text) = comparison.left, case .constant(let value) = comparison.right, comparison.operator.isOrder,
            comparison.operator == found.operator, let type = found.left.attribute?.type, ComparisonTemplate.isOwn(value, type)
        else { return nil }
        self.entity = entity
        self.text = text
        options = comparison.options
        self.resolved = found
        self.type = type
    }

    /// Returns the resolved form of a predicate that differs only in the constant; `nil` for any other.
    package func resolved(_ predicate: QueryPredicate, of entity: EntityDescription) -> ResolvedPredicate? {
        guard entity === self.entity, case .comparison(let comparison) = predicate, case .keyPath(let text) = comparison.left,
            case .constant(let value) = comparison.right, comparison.operator == resolved.operator, comparison.modifier == .direct,
            comparison.options == options, text == self.text, ComparisonTemplate.isOwn(value, type)
        else { return nil }
        return .comparison(
            ResolvedComparison(left: resolved.left, operator: resolved.operator, right: .constant(value), options: resolved.options))
    }

    /// Returns whether a value has the attribute's own kind, and needs neither check nor conversion.
    private static func isOwn(_ value: Value, _ type: AttributeType) -> Bool {
        switch value {
        case .string: type == .string
        case .int: type.isInteger
        case .uuid: type == .uuid
        default: false
        }
    }
}

extension QueryComparison.Operator {
    fileprivate var isOrder: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}
