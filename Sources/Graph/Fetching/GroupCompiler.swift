import StrataStore

/// Compiles expressions over groups to a plan of keys and aggregates, and to expressions over its tuples, keys first.
final class GroupCompiler {
    private let entity: EntityDescription
    private let model: ManagedObjectModel
    private let keys: [ExpressionDescription]
    private let results: [ExpressionDescription]
    private let resolvedKeys: [ResolvedExpression]
    private var aggregates: [GroupPlan.Aggregate] = []
    private var columnOfAggregate: [QueryExpression: Int] = [:]

    /// - Parameters:
    ///   - keys: The values that group the objects.
    ///   - results: The results of each group; conditions and sort keys may name them.
    init(
        _ entity: EntityDescription, _ model: ManagedObjectModel, keys: [ExpressionDescription], results: [ExpressionDescription]
    ) throws(QueryError) {
        self.entity = entity
        self.model = model
        self.keys = keys
        self.results = results
        var resolved: [ResolvedExpression] = []
        for key in keys { resolved.append(try key.resolvedKey(for: entity, in: model)) }
        resolvedKeys = resolved
    }

    var plan: GroupPlan { GroupPlan(keys: resolvedKeys, aggregates: aggregates) }

    var functions: [GroupPlan.Function] { aggregates.map(\.function) }

    /// Returns an expression over groups; key paths may name results where `namesResults`.
    ///
    /// - Throws: `QueryError` where it reads anything that is neither grouped by nor aggregated.
    func compile(_ expression: QueryExpression, namesResults: Bool = false) throws(QueryError) -> ResolvedExpression {
        try expression.resolved(for: entity, in: model) { (subexpression) throws(QueryError) in try self.column(subexpression, namesResults)
        }
    }

    /// Returns a condition over groups, which may name results.
    func compile(_ predicate: QueryPredicate) throws(QueryError) -> ResolvedPredicate {
        try predicate.resolved(for: entity, in: model) { (subexpression) throws(QueryError) in try self.column(subexpression, true) }
    }

    private func column(_ expression: QueryExpression, _ namesResults: Bool) throws(QueryError) -> ResolvedExpression? {
        if let key = keys.firstIndex(where: { $0.expression == expression }) { return .column(key) }
        if let aggregate = try aggregate(expression) { return aggregate }
        switch expression {
        case .keyPath(let name):
            if namesResults, let result = results.first(where: { $0.name == name }), result.expression != expression {
                return try compile(result.expression)
            }
            if let key = keys.firstIndex(where: { $0.name == name }) { return .column(key) }
            throw QueryError(
                .notGrouped, entity: entity.name, subject: name, "it is neither among the properties to group by nor within an aggregate")
        case .evaluatedObject, .anyKey:
            throw QueryError(
                .notGrouped, entity: entity.name, subject: expression.description, "a group is no object: count them, or group by it")
        default: return nil
        }
    }

    private func aggregate(_ expression: QueryExpression) throws(QueryError) -> ResolvedExpression? {
        guard let (function, operand) = GroupCompiler.aggregate(in: expression) else { return nil }
        if let known = columnOfAggregate[expression] { return .column(known) }
        let value: ResolvedExpression?
        do { value = try operand?.resolved(for: entity, in: model) } catch {
            // Over one object's to-many relationship it is a value of that object.
            if case .keyPath(let path) = expression, !path.hasPrefix("@"), error.reason == .illegalKeyPath { return nil }
            throw error
        }
        if let value { try check(function, value, expression) }
        let column = keys.count + aggregates.count
        aggregates.append(GroupPlan.Aggregate(function, value))
        columnOfAggregate[expression] = column
        return .column(column)
    }

    private func check(_ function: GroupPlan.Function, _ value: ResolvedExpression, _ expression: QueryExpression) throws(QueryError) {
        if function == .count || function == .countDistinct { return }
        let isObject = value.objectEntity(in: model) != nil
        let needsNumber = function != .min && function != .max
        let isOther = value.path?.attribute.map { needsNumber && !$0.type.isNumeric } ?? false
        if isObject || isOther {
            throw QueryError(
                .typeMismatch, entity: entity.name, subject: expression.description, "\(function.rawValue) does not apply to what it holds")
        }
    }

    /// Returns an expression's aggregate function, with its operand: `sum:(sold)`, `@sum.sold`, `sold.@sum`, `@count`.
    static func aggregate(in expression: QueryExpression) -> (GroupPlan.Function, QueryExpression?)? {
        switch expression {
        case .function(let function, let arguments):
            guard arguments.count == 1, let function = GroupPlan.Function(function) else { return nil }
            switch arguments[0] {
            case .evaluatedObject, .keyPath("SELF"), .keyPath("self"): return (function, function == .count ? nil : .evaluatedObject)
            // The statistics of a list are those of its elements.
            case .list, .constant, .subquery, .combined: return nil
            default: return (function, arguments[0])
            }
        case .keyPath(let path) where path.hasPrefix("@"):
            let names = path.split(separator: ".", omittingEmptySubsequences: false)
            let isDistinctCount = names.first == "@distinctUnionOfObjects" && names.last == "@count"
            let operand = (isDistinctCount ? names.dropFirst().dropLast() : names.dropFirst()).joined(separator: ".")
            if isDistinctCount { return operand.isEmpty ? nil : (.countDistinct, .keyPath(operand)) }
            guard let function = GroupPlan.Function(collectionOperator: String(names[0])) else { return nil }
            if operand.isEmpty { return function == .count ? (.count, nil) : nil }
            return (function, .keyPath(operand))
        case .keyPath(let path):
            // An operator that ends a path equals the same one before it.
            let names = path.split(separator: ".", omittingEmptySubsequences: false)
            guard names.count > 1, names.firstIndex(where: { $0.hasPrefix("@") }) == names.count - 1 else { return nil }
            return aggregate(in: .keyPath((names.suffix(1) + names.dropLast()).joined(separator: ".")))
        default: return nil
        }
    }

    /// Returns whether an expression computes anything over a group instead of one object.
    static func hasAggregate(_ expression: QueryExpression, _ entity: EntityDescription, _ model: ManagedObjectModel) -> Bool {
        var found = false
        _ = try? expression.replacingExpressions { subexpression in
            guard let (_, operand) = aggregate(in: subexpression) else { return nil }
            // Over one object's to-many relationship it is a value of that object.
            found = found || operand.map { (try? $0.resolved(for: entity, in: model)) != nil } ?? true
            return subexpression
        }
        return found
    }
}

extension QueryExpression {
    /// The distinct values at the end of a path over to-many relationships; `nil` for paths of one step.
    fileprivate var distinctValues: QueryExpression? {
        guard case .keyPath(let path) = self, !path.contains("@"), let last = path.lastIndex(of: ".") else { return nil }
        return .keyPath(path[..<last] + ".@distinctUnionOfObjects" + path[last...])
    }
}

extension ExpressionDescription {
    /// Returns the expression of a grouping key: one value, or each value at the end of a to-many relationship.
    fileprivate func resolvedKey(for entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) -> ResolvedExpression {
        do { return try resolved(for: entity, in: model) } catch {
            guard error.reason == .illegalKeyPath, let values = expression.distinctValues,
                let key = try? values.resolved(for: entity, in: model), case .values(_, .path(let path), _) = key, path.attribute != nil
            else { throw error }
            return key
        }
    }

    /// Returns the expression of one object, checked to be a single value.
    func resolved(for entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) -> ResolvedExpression {
        let resolved = try expression.resolved(for: entity, in: model)
        switch resolved {
        case .values, .list, .combined, .constant(.list), .function(.joined, _):
            throw QueryError(.illegalKeyPath, entity: entity.name, subject: name, "a column holds one value: aggregate the others")
        default: return resolved
        }
    }
}
