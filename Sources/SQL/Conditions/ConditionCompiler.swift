/// Compiles predicates into SQL, where that decides as the core does.
///
/// The structure of conditions, collections and comparisons is the same for all databases; their dialects compare values and call functions.
public struct ConditionCompiler<Dialect: SQLDialect> {
    /// A condition of the dialect.
    public typealias Condition = StrataSQL.Condition<Dialect>
    /// An expression of the dialect.
    public typealias Expression = SQLExpression<Dialect>

    /// The ID of the store, which its objects' IDs have.
    public let storeID: StoreID
    /// The tables of the query.
    public var scope: QueryScope<Dialect>
    /// Whether a statement is of use that fails where the core would go on.
    public let allowsFailures: Bool
    /// Whether a statement with the conditions may fail where the core would go on.
    public private(set) var mayFail = false
    /// The columns by which groups are tested; `nil` for those that only the core computes.
    public var columns: [Expression?] = []

    /// A compiler for conditions on the rows of a query.
    ///
    /// - Parameters:
    ///   - scope: The tables of the query.
    ///   - storeID: The ID of the store.
    ///   - allowsFailures: Whether a statement is of use that fails where the core would go on.
    public init(_ scope: QueryScope<Dialect>, storeID: StoreID, allowsFailures: Bool = true) {
        self.scope = scope
        self.storeID = storeID
        self.allowsFailures = allowsFailures
    }

    /// Marks the statement as one that may fail where the core would go on.
    ///
    /// - Returns: Whether it is of use then.
    public mutating func admitFailure() -> Bool {
        if allowsFailures { mayFail = true }
        return allowsFailures
    }

    /// Returns the condition of a predicate, `nil` where SQL has none.
    public mutating func condition(_ predicate: ResolvedPredicate) -> Condition? {
        let keys = Dialect.keyCondition(predicate, in: self)
        if let keys, keys.isExact { return keys }
        let mayFailBefore = mayFail
        if let condition = detailed(predicate, keys) { return condition }
        mayFail = mayFailBefore
        return keys
    }

    /// - Parameter keys: The keys that the predicate admits, where these are more than meet it.
    private mutating func detailed(_ predicate: ResolvedPredicate, _ keys: Condition?) -> Condition? {
        switch predicate {
        case .constant(let isMet): return truth(isMet)
        case .and(let parts):
            let known = parts.compactMap { condition($0) }
            if known.isEmpty { return parts.isEmpty ? truth(true) : nil }
            return Condition(known, isAnd: true, isExact: known.count == parts.count)
        case .or(let parts):
            if parts.isEmpty { return truth(false) }
            var known: [Condition] = []
            for part in parts {
                guard let condition = condition(part) else { return nil }
                known.append(condition)
            }
            return Condition(known, isAnd: false)
        case .not(let part): return condition(part)?.negated
        case .comparison(let comparison):
            guard let known = self.comparison(comparison) else { return nil }
            guard let keys else { return known }
            return Condition(Condition.join([keys.sql, known.sql], " AND "), isExact: known.isExact)
        case .test(let test): return self.test(test)
        case .exists(let collection): return exists(collection)
        }
    }

    /// Returns a condition that all rows meet, or none.
    public func truth(_ isMet: Bool) -> Condition {
        let (truth, untruth) = (SQLText<Dialect>(Dialect.trueCondition), SQLText<Dialect>(Dialect.falseCondition))
        return isMet ? Condition(truth, opposite: untruth) : Condition(untruth, opposite: truth)
    }

    /// Returns all conditions together, `nil` where any is.
    public func all(_ parts: [Condition?]) -> Condition? { joined(parts, isAnd: true) }

    /// Returns one condition or another, `nil` where any is.
    public func any(_ parts: [Condition?]) -> Condition? { joined(parts, isAnd: false) }

    private func joined(_ parts: [Condition?], isAnd: Bool) -> Condition? {
        if parts.isEmpty { return truth(isAnd) }
        let known = parts.compactMap(\.self)
        return known.count == parts.count ? Condition(known, isAnd: isAnd) : nil
    }

    // MARK: - Comparisons of paths

    private mutating func comparison(_ comparison: ResolvedComparison) -> Condition? {
        switch comparison.right {
        case .path(let path):
            guard let a = value(at: comparison.left), let b = value(at: path) else { return nil }
            return Dialect.condition(a, comparison.operator, other: b, options: comparison.options, in: &self)
        case .constant(let value):
            if !Dialect.joinsPaths, !comparison.left.steps.isEmpty { return destinationCondition(comparison) }
            return Dialect.condition(comparison, with: value, in: &self)
        }
    }

    /// `EXISTS (SELECT 1 FROM person t1 WHERE t1.id = t0.boss_id AND t1.age > 1)`; where nothing meets the condition, too,
    /// `NOT EXISTS (… AND t1.age IS NOT NULL)`.
    private mutating func destinationCondition(_ comparison: ResolvedComparison) -> Condition? {
        guard let constant = comparison.right.constant, let step = comparison.left.steps.first, comparison.left.leafSlot != nil,
            let isMetByNothing = try? ValueTest.holds(.null, comparison.operator, constant, options: comparison.options),
            let source = scope.variables[comparison.left.variable], let column = source.column(step.slot),
            let destination = scope.destination(step)
        else { return nil }
        let outer = scope.variables
        defer { scope.variables = outer }
        scope.variables = [0: destination]
        guard let inner = condition(.comparison(comparison.withoutFirstStep)) else { return nil }
        let relation = QueryScope<Dialect>.relation(Dialect.keyColumn, of: destination.alias, to: column.name, of: source.alias)
        // NOT EXISTS within NOT EXISTS takes PostgreSQL's planner twice the memory for each step; EXISTS within it does not.
        let condition = isMetByNothing ? inner.negated?.sql ?? "((\(inner.sql)) IS NOT TRUE)" : "(\(inner.sql))"
        let sql: SQLText<Dialect> = "EXISTS (SELECT 1 FROM \(destination.source) WHERE \(relation) AND \(condition))"
        let opposite: SQLText<Dialect> = "NOT \(sql)"
        return isMetByNothing
            ? Condition(opposite, isExact: inner.isExact, opposite: sql) : Condition(sql, isExact: inner.isExact, opposite: opposite)
    }

    // MARK: - Collections

    /// `EXISTS (SELECT 1 FROM person t1 WHERE t1.boss_id = t0.id AND t1.age > 1)`, negated `NOT EXISTS (…)`, which can be joined with; where
    /// the dialect asks for it and an index finds the elements, `t0.id IN (SELECT t1.boss_id FROM person t1 WHERE t1.email = 'a')`.
    private mutating func exists(_ collection: ResolvedCollection) -> Condition? {
        guard let elements = elements(collection) else { return nil }
        var sql: SQLText<Dialect> = "EXISTS (SELECT 1\(scope.source(elements.scope, elements.conditions)))"
        let opposite = SQLText<Dialect>("NOT \(sql)")
        if Dialect.looksUpOwners, collection.isFoundByIndex, let owners = scope.owners(elements.scope, elements.conditions) { sql = owners }
        return Condition(sql, isExact: elements.isExact, opposite: opposite)
    }

    /// The scope whose rows are a collection's elements where they meet some conditions.
    private struct Elements {
        let scope: Int
        var conditions: [SQLText<Dialect>] = []
        /// Whether the conditions are all that the collection's filter says.
        var isExact = true
    }

    private mutating func elements(_ collection: ResolvedCollection) -> Elements? {
        // A join takes every way there is, and their number may be too great.
        if collection.hasManyWays { return nil }
        var elements: Elements
        switch collection.origin {
        case .variable(let variable):
            guard let opened = scope.open(collection, from: variable) else { return nil }
            elements = Elements(scope: opened)
        case .collection(let inner):
            guard let found = self.elements(inner), scope.extend(inner, to: collection) else { return nil }
            elements = found
        }
        for part in collection.filter?.conjuncts ?? [] {
            let condition = condition(part)
            if let condition { elements.conditions.append(condition.sql) }
            if condition?.isExact != true { elements.isExact = false }
        }
        return elements
    }

    /// `(SELECT max(t1.age) FROM person t1 WHERE t1.boss_id = t0.id)`.
    mutating func aggregate(
        _ function: AggregateFunction, _ collection: ResolvedCollection, of value: ResolvedExpression?
    ) -> Expression? {
        guard let elements = elements(collection), elements.isExact else { return nil }
        var operand: Expression?
        if let value {
            guard let found = expression(value) else { return nil }
            operand = found
        }
        guard var result = Dialect.aggregate(function, of: operand, inOrder: scope.orders[elements.scope], in: &self) else { return nil }
        result.sql = "(SELECT \(result.sql)\(scope.source(elements.scope, elements.conditions)))"
        return result
    }
}

extension ResolvedCollection {
    /// Whether an index finds the elements that the filter admits, whatever the object that they belong to: then its owners are looked up
    /// from there, rather than the elements of each object tested.
    fileprivate var isFoundByIndex: Bool {
        guard case .variable = origin, let filter, steps.first.map({ $0.slot == nil }) ?? false else { return false }
        var isIndependent = true
        // Variables of outer objects have lower numbers.
        filter.forEachPath { if $0.variable < variable { isIndependent = false } }
        filter.forEachCollection { inner in
            if case .variable(let origin) = inner.origin, origin < variable { isIndependent = false }
        }
        return isIndependent && filter.conjuncts.contains { isIndexed($0) }
    }

    private func isIndexed(_ condition: ResolvedPredicate) -> Bool {
        guard case .comparison(let comparison) = condition, comparison.left.variable == variable, comparison.left.steps.isEmpty,
            comparison.options.isEmpty, let slot = comparison.left.leafSlot, let constant = comparison.right.constant, !constant.isNull
        else { return false }
        switch comparison.operator {
        case .equal, .isIn, .beginsWith: break
        default: return false
        }
        return entity.indexes.contains { $0.condition == nil && $0.elements.first?.slot == slot }
            || entity.uniquenessConstraints.contains { $0.slots.first == slot }
    }
}
