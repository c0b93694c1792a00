package import StrataModel
package import StrataQuery

/// A property's comparison with a constant, resolved once to be had again with other constants.
///
/// Programs ask the same of many keys, one after the other: all that differs then is the constant, which needs no check where it is of the
/// attribute's own kind.
package final class ComparisonTemplate {
    private let entity: EntityDescription
    private let text: String
    private let options: QueryComparison.Options
    private let resolved: ResolvedComparison
    private let type: AttributeType

    /// - Parameter resolved: What `predicate` was resolved to for an entity.
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

    /// What a predicate resolves to that differs in nothing but the constant; `nil` for any other.
    package func resolved(_ predicate: QueryPredicate, of entity: EntityDescription) -> ResolvedPredicate? {
        guard entity === self.entity, case .comparison(let comparison) = predicate, case .keyPath(let text) = comparison.left,
            case .constant(let value) = comparison.right, comparison.operator == resolved.operator, comparison.modifier == .direct,
            comparison.options == options, text == self.text, ComparisonTemplate.isOwn(value, type)
        else { return nil }
        return .comparison(
            ResolvedComparison(left: resolved.left, operator: resolved.operator, right: .constant(value), options: resolved.options))
    }

    /// Returns whether a value is as the attribute holds it, so that it needs neither a check nor to be brought to
    /// another type.
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
