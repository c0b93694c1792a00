import StrataEvaluation
import StrataModel
import StrataQuery

/// Replaces constants of another type than the compared property in a predicate, which the graph would reject.
///
/// As in SQLite, text that spells a number is compared as that number with numbers, and a number as its text with text.
/// A constant that cannot be converted equals no value, and is not ordered with any.
struct TypeFitting {
    let model: ManagedObjectModel
    let entity: EntityDescription
    /// The entities of the variables of subqueries.
    private var variables: [String: EntityDescription] = [:]
    private var depth = 0

    init(_ model: ManagedObjectModel, _ entity: EntityDescription) {
        self.model = model
        self.entity = entity
    }

    func fit(_ predicate: QueryPredicate) -> QueryPredicate {
        // What is nested deeper is rejected by the resolver.
        if depth == QueryPredicate.greatestDepth { return predicate }
        var inner = self
        inner.depth += 1
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(parts.map(inner.fit))
        case .or(let parts): return .or(parts.map(inner.fit))
        case .not(let part): return .not(inner.fit(part))
        case .comparison(var comparison):
            comparison.left = inner.fit(comparison.left)
            comparison.right = inner.fit(comparison.right)
            return fit(comparison)
        }
    }

    /// Fits the predicates within an expression.
    private func fit(_ expression: QueryExpression) -> QueryExpression {
        switch expression {
        case .constant, .keyPath, .evaluatedObject, .variable, .anyKey: return expression
        case .subquery(let base, let name, let condition):
            var inner = self
            if case .objects(let entity)? = property(base)?.type { inner.variables[name] = entity }
            return .subquery(fit(base), variable: name, inner.fit(condition))
        case .conditional(let condition, let a, let b): return .conditional(fit(condition), fit(a), fit(b))
        case .fetch(var fetch):
            guard let entity = model.entity(named: fetch.entityName) else { return expression }
            fetch.predicate = fetch.predicate.map(TypeFitting(model, entity).fit)
            return .fetch(fetch)
        case .path(let base, let path): return .path(fit(base), path)
        case .element(let base, let position): return .element(fit(base), position)
        case .function(let function, let arguments): return .function(function, arguments.map(fit))
        default: return expression
        }
    }

    // MARK: - Comparisons

    private func fit(_ given: QueryComparison) -> QueryPredicate {
        var comparison = given
        // As in SQLite, ANY and ALL of one value are about that value.
        if given.modifier != .direct, let property = property(given.left), property.isSingle { comparison.modifier = .direct }
        return switch (comparison.left, comparison.right) {
        case (let left, .constant(let value)): property(left).map { fit(comparison, $0, value) } ?? .comparison(comparison)
        case (.constant(let value), let right): property(right).map { fit(value, comparison, $0) } ?? .comparison(comparison)
        default: .comparison(comparison)
        }
    }

    /// Fits the constant on the right of a property.
    private func fit(_ comparison: QueryComparison, _ property: ComparedProperty, _ value: Value) -> QueryPredicate {
        var fitted = comparison
        var type = property.type
        let isElement = comparison.operator == .contains && (property.isMany || type.isObjects)
        if comparison.operator.isTextual, !isElement, !type.isText {
            // Numbers are searched as text.
            guard !property.isMany, !type.isObjects else { return TypeFitting.never(comparison) }
            fitted.left = .function(.cast, [comparison.left, .constant(.string("string"))])
            type = .attribute(.string)
        }
        switch (comparison.operator, value) {
        case (.isIn, .list(let values)): fitted.right = .constant(.list(values.compactMap(type.fit)))
        case (.between, .list(let bounds)):
            let known = bounds.compactMap(type.fit)
            guard known.count == bounds.count else { return TypeFitting.never(comparison) }
            fitted.right = .constant(.list(known))
        // Neither has a meaning without a list, but for text in text.
        case (.isIn, _), (.between, _): break
        default:
            guard let known = type.fit(value) else { return TypeFitting.never(comparison) }
            fitted.right = .constant(known)
        }
        return .comparison(fitted)
    }

    /// Fits the constant on the left of a property.
    private func fit(_ value: Value, _ comparison: QueryComparison, _ property: ComparedProperty) -> QueryPredicate {
        let isElement = property.isMany && comparison.operator == .isIn
        guard comparison.modifier == .direct, isElement || comparison.operator.mirrored != nil else { return .comparison(comparison) }
        var fitted = comparison
        guard let known = property.type.fit(value) else { return TypeFitting.never(comparison) }
        fitted.left = .constant(known)
        return .comparison(fitted)
    }

    /// Returns the result of a comparison with a value that the property on the left never has.
    private static func never(_ comparison: QueryComparison) -> QueryPredicate {
        let isDifference = comparison.operator == .notEqual
        if comparison.modifier == .direct { return .constant(isDifference) }
        var membership = comparison
        membership.operator = .isIn
        membership.right = .constant(.list([]))
        if !isDifference { return .comparison(membership) }
        // Some element differs where not all are equal, and all differ where none is equal.
        membership.modifier = comparison.modifier == .any ? .all : .any
        return .not(.comparison(membership))
    }

    // MARK: - Types

    /// Returns the property at the end of a path; `nil` for other expressions, and for paths that cannot be followed.
    private func property(_ expression: QueryExpression) -> ComparedProperty? {
        switch expression {
        case .keyPath(let path): return follow(path, entity)
        case .evaluatedObject: return ComparedProperty(type: .objects(entity), isMany: false)
        case .variable(let name): return variables[name].map { ComparedProperty(type: .objects($0), isMany: false) }
        case .subquery(let base, _, _): return property(base)
        case .path(let base, let path):
            guard let start = property(base), case .objects(let entity) = start.type else { return nil }
            return follow(path, entity).map { ComparedProperty(type: $0.type, isMany: $0.isMany || start.isMany) }
        default: return nil
        }
    }

    private func follow(_ path: String, _ start: EntityDescription) -> ComparedProperty? {
        var (entity, rest, isMany) = (start, path[...], false)
        while true {
            if let attribute = entity.attribute(named: String(rest)) {
                return ComparedProperty(type: .attribute(attribute.type), isMany: isMany)
            }
            let name = rest.prefix { $0 != "." }
            guard let relationship = entity.relationship(named: String(name)) else { return nil }
            isMany = isMany || relationship.isToMany
            entity = model.destination(of: relationship)
            if name.endIndex == rest.endIndex { return ComparedProperty(type: .objects(entity), isMany: isMany) }
            rest = rest[rest.index(after: name.endIndex)...]
        }
    }
}

/// The property that a constant is compared with.
private struct ComparedProperty {
    enum Kind {
        case attribute(AttributeType)
        case objects(EntityDescription)
    }

    let type: Kind
    /// Whether there are several values, behind a to-many relationship.
    let isMany: Bool

    /// Whether there is one value, which is no list.
    var isSingle: Bool {
        switch type {
        case .attribute(.transformable), .attribute(.composite): false
        default: !isMany
        }
    }
}

extension ComparedProperty.Kind {
    fileprivate var isObjects: Bool { if case .objects = self { true } else { false } }
    fileprivate var isText: Bool {
        switch self {
        case .attribute(.string), .attribute(.uri): true
        default: false
        }
    }

    /// Returns a constant as it is compared with the property; `nil` for one that never equals a value of it.
    fileprivate func fit(_ value: Value) -> Value? {
        if value.isNull { return value }
        guard case .attribute(let type) = self else { return if case .objectID = value { value } else { nil } }
        switch (type, value) {
        case (_, .list): return nil
        case (_, .int) where type.isNumeric, (_, .double) where type.isNumeric, (_, .decimal) where type.isNumeric,
            (_, .bool) where type.isNumeric:
            return value
        default: break
        }
        if let coerced = type.coerce(value) { return coerced }
        switch (type, value) {
        case (.string, .int), (.string, .double), (.string, .decimal), (.string, .bool), (.string, .url): return cast(value, "string")
        case (.date, .int), (.date, .double), (.date, .decimal): return cast(value, "date")
        case (.boolean, .string): return cast(value, "number").flatMap(type.coerce)
        case (_, .string) where type.isNumeric, (_, .date) where type.isNumeric: return cast(value, "number")
        default: return nil
        }
    }

    private func cast(_ value: Value, _ type: String) -> Value? {
        let result = QueryFunction.cast.value(of: [value, .string(type)])
        return result.isNull ? nil : result
    }
}
