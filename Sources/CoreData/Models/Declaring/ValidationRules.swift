import StrataModel
import StrataQuery
import StrataText

/// Converts Strata's validation rules to the validation predicates that Xcode writes for them, and back.
enum ValidationRules {
    // MARK: - From rules

    /// Returns the predicates of rules, and the warning of each.
    static func predicates(of rules: [ValidationRule], _ type: StrataModel.AttributeType) -> (predicates: [NSPredicate], warnings: [Any]) {
        var (predicates, warnings): ([NSPredicate], [Any]) = ([], [])
        func add(_ left: QueryExpression, _ comparison: QueryComparison.Operator, _ right: Value?, _ code: Int) {
            guard let right else { return }
            predicates.append(NSPredicate.make(.comparison(QueryComparison(left, comparison, .constant(right)))))
            warnings.append(NSNumber(value: code))
        }
        for rule in rules {
            switch rule {
            case .range(let least, let most):
                add(
                    .evaluatedObject, .greaterOrEqual, least, type == .date ? NSValidationDateTooSoonError : NSValidationNumberTooSmallError
                )
                add(.evaluatedObject, .lessOrEqual, most, type == .date ? NSValidationDateTooLateError : NSValidationNumberTooLargeError)
            case .length(let least, let most):
                add(.keyPath("length"), .greaterOrEqual, least.map { .int(Int64($0)) }, NSValidationStringTooShortError)
                add(.keyPath("length"), .lessOrEqual, most.map { .int(Int64($0)) }, NSValidationStringTooLongError)
            case .pattern(let pattern): add(.evaluatedObject, .matches, .string(pattern), NSValidationStringPatternMatchingError)
            case .predicate(let format, let warning):
                guard let tree = try? QueryPredicate(format: format) else { continue }
                predicates.append(NSPredicate.make(tree))
                warnings.append(warning ?? NSNumber(value: NSManagedObjectValidationError))
            }
        }
        return (predicates, warnings)
    }

    // MARK: - To rules

    /// Returns the rules of an attribute's validation predicates; throws for predicates without a text.
    static func rules(of attribute: NSAttributeDescription, _ type: StrataModel.AttributeType) throws -> [ValidationRule] {
        var rules: [ValidationRule] = []
        for (index, predicate) in attribute.validationPredicates.enumerated() {
            let warning: Any? = index < attribute.validationWarnings.count ? attribute.validationWarnings[index] : nil
            let tree = try predicate.tree()
            guard !(warning is String), let rule = rule(tree, type) else {
                rules.append(.predicate(tree.predicateFormat, warning: warning as? String))
                continue
            }
            add(rule, to: &rules)
        }
        return rules
    }

    /// Returns the rule of a condition, `nil` if it is only a condition.
    private static func rule(_ tree: QueryPredicate, _ type: StrataModel.AttributeType) -> ValidationRule? {
        guard case .comparison(let comparison) = tree, comparison.options == [], comparison.modifier == .direct,
            case .constant(let constant) = comparison.right
        else { return nil }
        switch (comparison.left, comparison.operator, constant) {
        case (.evaluatedObject, .greaterOrEqual, _) where isBound(constant, of: type): return .range(min: constant, max: nil)
        case (.evaluatedObject, .lessOrEqual, _) where isBound(constant, of: type): return .range(min: nil, max: constant)
        case (let left, .greaterOrEqual, .int(let number)) where isLength(left, of: type) && number >= 0:
            return .length(min: Int(number), max: nil)
        case (let left, .lessOrEqual, .int(let number)) where isLength(left, of: type) && number >= 0:
            return .length(min: nil, max: Int(number))
        case (.evaluatedObject, .matches, .string(let pattern)) where type == .string && (try? RegularExpression(pattern)) != nil:
            return .pattern(pattern)
        default: return nil
        }
    }

    private static func isBound(_ value: Value, of type: StrataModel.AttributeType) -> Bool {
        switch value {
        case .int, .double, .decimal: type.isNumeric && value.equals(value)
        case .date: type == .date
        default: false
        }
    }

    private static func isLength(_ expression: QueryExpression, of type: StrataModel.AttributeType) -> Bool {
        guard type == .string || type == .binary else { return false }
        return expression == .keyPath("length") || expression == .path(.evaluatedObject, "length")
            || expression == .function(.length, [.evaluatedObject])
    }

    /// Adds a rule; merges an upper bound with the lower bound before it if it is not below that.
    private static func add(_ rule: ValidationRule, to rules: inout [ValidationRule]) {
        switch (rules.last, rule) {
        case (.range(let least?, nil), .range(nil, let most?)) where least.compare(most) != .greater:
            rules[rules.count - 1] = .range(min: least, max: most)
        case (.length(let least?, nil), .length(nil, let most?)) where least <= most:
            rules[rules.count - 1] = .length(min: least, max: most)
        default: rules.append(rule)
        }
    }
}
