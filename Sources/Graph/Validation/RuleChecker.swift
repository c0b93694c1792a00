import StrataEvaluation
import StrataText

/// Validates single values by the rules of their attributes.
struct RuleChecker {
    private var patterns: [String: RegularExpression] = [:]
    private var predicates: [String: Result<QueryPredicate, any Error>] = [:]

    /// Returns the failures of a value by the rules of its attribute; none of nil.
    mutating func failures(
        of value: Value, _ attribute: AttributeDescription, _ object: ManagedObject, _ model: ManagedObjectModel?
    ) -> [ValidationFailure] {
        if value.isNull { return [] }
        return attribute.declaration.validation.compactMap { rule in
            failure(of: rule, value, attribute, object.entity, model).map {
                ValidationFailure($0.rule, object, key: attribute.name, value: value, message: $0.message)
            }
        }
    }

    private mutating func failure(
        of rule: ValidationRule, _ value: Value, _ attribute: AttributeDescription, _ entity: EntityDescription,
        _ model: ManagedObjectModel?
    ) -> (rule: ValidationFailure.Rule, message: String)? {
        switch rule {
        case .range(let least, let most):
            let isDate = attribute.type == .date
            if let least, ![.greater, .equal].contains(value.compare(isDate ? attribute.type.coerce(least) ?? least : least)) {
                return (isDate ? .dateTooSoon : .numberTooSmall, "\(value.excerpt) is below \(least)")
            } else if let most, ![.less, .equal].contains(value.compare(isDate ? attribute.type.coerce(most) ?? most : most)) {
                return (isDate ? .dateTooLate : .numberTooLarge, "\(value.excerpt) is above \(most)")
            }
        case .length(let least, let most):
            guard let length = value.length else { return nil }
            let unit = if case .data = value { "byte" } else { "character" }
            if let least, length < least { return (.stringTooShort, "\(value.excerpt) is shorter than \(least.counted(unit))") }
            if let most, length > most { return (.stringTooLong, "\(value.excerpt) is longer than \(most.counted(unit))") }
        case .pattern(let pattern):
            guard case .string(let text) = value else { return nil }
            if patterns[pattern] == nil { patterns[pattern] = try? RegularExpression(pattern) }
            // The model's compiler rejected malformed patterns.
            guard let expression = patterns[pattern] else { return nil }
            do throws(PatternError) {
                if try !expression.matches(text) { return (.stringPatternMatching, "\(value.excerpt) does not match \(pattern)") }
            } catch {
                return (.stringPatternMatching, "\(value.excerpt) cannot be matched with \(pattern): \(error)")
            }
        case .predicate(let format, let warning):
            do {
                if try meets(format, value, attribute, entity, model) { return nil }
                return (.custom, warning ?? "\(value.excerpt) does not meet \(format)")
            } catch {
                return (.custom, "\(value.excerpt) cannot be tested by \(format): \(error)")
            }
        }
        return nil
    }

    /// Returns whether a value meets a condition, in which it is `SELF`.
    private mutating func meets(
        _ format: String, _ value: Value, _ attribute: AttributeDescription, _ entity: EntityDescription, _ model: ManagedObjectModel?
    ) throws -> Bool {
        let parsed = predicates[format] ?? Result { try QueryPredicate(format: format) }
        predicates[format] = parsed
        let condition = try parsed.get().replacingExpressions { part in
            switch part {
            case .evaluatedObject, .keyPath(attribute.name): return .constant(value)
            case .keyPath("length"), .path(.evaluatedObject, "length"): return .constant(value.length.map { .int(Int64($0)) } ?? .null)
            case .keyPath(let path), .path(_, let path):
                throw QueryError(.unknownKey, entity: entity.name, subject: path, "the value has none: it is SELF, and has a length")
            default: return nil
            }
        }
        guard let model else { return true }
        var writer = RowWriter(chunkSize: 64)
        writer.begin(entity, reference: 1, version: 1)
        return try RowPredicate(condition.resolved(for: entity, in: model)).passes(writer.finish(), NothingElse())
    }

    /// A resolver without rows.
    private struct NothingElse: RowResolver {
        var storeID: StoreID? { nil }
        func row(root: EntityIndex, reference: Int64) -> Row? { nil }
        func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) -> [Row] { [] }
    }
}

extension RelationshipDescription {
    func failure(ofCount count: Int) -> (rule: ValidationFailure.Rule, message: String)? {
        if isOptional && count == 0 { return nil }
        let isTooFew = count < declaration.minCount
        if !isTooFew && (declaration.maxCount <= 0 || count <= declaration.maxCount) { return nil }
        let number = "\(count.counted("destination")) \(count == 1 ? "is" : "are")"
        return isTooFew
            ? (.relationshipLacksMinimumCount, "\(number) fewer than \(declaration.minCount)")
            : (.relationshipExceedsMaximumCount, "\(number) more than \(declaration.maxCount)")
    }
}

extension AttributeType {
    /// Returns the failure of a value that the attribute type cannot hold, if any.
    func misfit(of value: Value) -> (rule: ValidationFailure.Rule, message: String) {
        if self == .date { return (.invalidDate, "\(value.excerpt) is no date") }
        switch value {
        case .int, .double, .decimal: break
        case .string where self == .uri: return (.invalidURI, "\(value.excerpt) is no URI")
        default: return (.custom, "\(value.excerpt) is no \(self)")
        }
        guard isNumeric else { return (.custom, "\(value.excerpt) is no \(self)") }
        // NaN is below every range.
        if !value.equals(value) { return (.numberTooSmall, "\(value.excerpt) is no \(self)") }
        let range = integerRange ?? Int64.min...Int64.max
        let isNegative = value.compare(.int(0)) == .less
        if isInteger, value.compare(.int(range.upperBound)) != .greater, value.compare(.int(range.lowerBound)) != .less {
            return (.custom, "\(value.excerpt) is no whole number")
        }
        return isNegative
            ? (.numberTooSmall, "\(value.excerpt) is too small for \(self)")
            : (.numberTooLarge, "\(value.excerpt) is too large for \(self)")
    }
}

extension Value {
    var length: Int? {
        switch self {
        case .string(let text): text.count
        case .data(let data): data.count
        default: nil
        }
    }
}
