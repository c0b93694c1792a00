extension ConditionCompiler {
    /// `?`, `t0.age`, `(t0.age + ?)`, `(CASE WHEN … THEN … ELSE … END)`, an aggregate in a subquery; `nil` where only the core computes it.
    public mutating func expression(_ expression: ResolvedExpression) -> Expression? {
        switch expression {
        case .constant(let value): Dialect.constant(value)
        case .path(let path): value(at: path)
        case .conditional(let condition, let a, let b): conditional(condition, a, b)
        case .function(let function, let arguments): Dialect.call(function, arguments, in: &self)
        case .aggregate(let function, let collection, let value): aggregate(function, collection, of: value)
        case .entityName(let path, let names): entityName(path, names)
        case .column(let index): columns.indices.contains(index) ? columns[index] : nil
        case .element, .values, .custom, .list, .combined: nil
        }
    }

    /// Expressions whose values the store reads from a result; `nil` where only the core computes one.
    public mutating func selected(_ expressions: [ResolvedExpression], as use: SelectedValueUse) -> [Expression]? {
        var selected: [Expression] = []
        for expression in expressions {
            guard let found = Dialect.selected(expression, as: use, in: &self) else { return nil }
            selected.append(found)
        }
        return selected
    }

    /// `t0.age`; at the end of steps `t1.age` with the tables joined, or `(SELECT t1.age FROM person t1 WHERE t1.id = t0.boss_id)`.
    public mutating func value(at path: PropertyPath) -> Expression? {
        if Dialect.joinsPaths || path.steps.isEmpty { return joinedValue(at: path) }
        guard var table = scope.variables[path.variable] else { return nil }
        var source = SQLText<Dialect>()
        var relationToOuter = SQLText<Dialect>()
        for (number, step) in path.steps.enumerated() {
            guard let column = table.column(step.slot), let next = scope.destination(step) else { return nil }
            let relation = QueryScope<Dialect>.relation(Dialect.keyColumn, of: next.alias, to: column.name, of: table.alias)
            // The first is related to the object outside, the others to each other.
            if number == 0 {
                source.add(" FROM \(next.source)")
                relationToOuter = relation
            } else {
                source.add(" JOIN \(next.source) ON \(relation)")
            }
            table = next
        }
        guard var expression = column(at: path, table) else { return nil }
        expression.sql = "(SELECT \(expression.sql)\(source) WHERE \(relationToOuter))"
        return expression
    }

    /// Returns the value at the end of a path, with the tables of its steps joined: where a step has no destination there are nulls.
    public mutating func joinedValue(at path: PropertyPath) -> Expression? { scope.join(path).flatMap { column(at: path, $0) } }

    /// Returns the column that a path ends in; the key for an object.
    private func column(at path: PropertyPath, _ table: QueryTable<Dialect>) -> Expression? {
        var column: Dialect.Column?
        if let slot = path.leafSlot {
            guard let found = table.column(slot) else { return nil }
            column = found
        }
        let kind = column == nil ? SlotKind.reference : path.leafKind
        guard let details = Dialect.details(of: kind, in: column) else { return nil }
        let sql = SQLText<Dialect>("\(column: column?.name ?? Dialect.keyColumn, of: table.alias)")
        var expression = Expression(sql, kind: kind, details: details)
        expression.isColumn = true
        expression.root = path.objectEntity?.root
        return expression
    }

    private mutating func conditional(
        _ test: ResolvedPredicate, _ a: ResolvedExpression, _ b: ResolvedExpression
    ) -> Expression? {
        guard let test = condition(test), test.isExact, let a = expression(a), let b = expression(b), a.kind == b.kind, a.root == b.root,
            let details = Dialect.details(ofEither: a, or: b)
        else { return nil }
        let sql = SQLText<Dialect>("(CASE WHEN \(test.sql) THEN \(a.sql) ELSE \(b.sql) END)")
        var result = Expression(sql, kind: a.kind, details: details)
        result.root = a.root
        return result
    }

    /// Returns the operands of a function, and the operator that joins each to the ones before it; `nil` where only the core computes one.
    public mutating func operands(
        _ arguments: [ResolvedExpression], of function: QueryFunction
    ) -> [(link: QueryFunction, operand: Expression)]? {
        var operands: [(QueryFunction, Expression)] = []
        for argument in arguments {
            let (link, part) = argument.link(in: function)
            guard let operand = expression(part) else { return nil }
            operands.append((link, operand))
        }
        return operands
    }

    // MARK: - Names of entities

    /// Returns the name of the entity of the object at the end of a path: `(CASE t0.entity WHEN 1 THEN ? WHEN 2 THEN ? END)`.
    private mutating func entityName(_ path: PropertyPath, _ names: [String]) -> Expression? {
        guard Dialect.joinsPaths, let table = scope.join(path) else { return nil }
        var sql = SQLText<Dialect>("(CASE \(column: Dialect.entityColumn, of: table.alias)")
        for entity in table.table.hierarchy {
            guard let name = Dialect.constant(.string(names[entity])) else { return nil }
            sql.add(" WHEN \(number: table.table.number(of: entity)) THEN \(name.sql)")
        }
        sql.add(" END)")
        return Dialect.details(of: .string, in: nil).map { Expression(sql, kind: .string, details: $0) }
    }

    /// Returns a condition on the name of an entity as one on its number, which an index finds: `t0.entity IN (2)`.
    mutating func entityCondition(
        _ path: PropertyPath, _ names: [String], _ op: QueryComparison.Operator, _ value: Value, _ options: QueryComparison.Options
    ) -> Condition? {
        guard Dialect.joinsPaths || path.steps.isEmpty, let table = scope.join(path) else { return nil }
        var (numbers, others): ([Int], [Int]) = ([], [])
        for entity in table.table.hierarchy {
            guard let isMet = try? ValueTest.holds(.string(names[entity]), op, value, options: options) else { return nil }
            if isMet { numbers.append(table.table.number(of: entity)) } else { others.append(table.table.number(of: entity)) }
        }
        guard let isMetByNothing = try? ValueTest.holds(.null, op, value, options: options) else { return nil }
        func sql(_ numbers: [Int], isMetByNothing: Bool) -> SQLText<Dialect> {
            var parts: [SQLText<Dialect>] = []
            if !numbers.isEmpty {
                parts.append(SQLText<Dialect>("\(column: Dialect.entityColumn, of: table.alias) IN (\(numbers: numbers))"))
            }
            if !path.steps.isEmpty, isMetByNothing {
                parts.append(SQLText<Dialect>("\(column: Dialect.entityColumn, of: table.alias) IS NULL"))
            }
            return parts.isEmpty ? SQLText(Dialect.falseCondition) : Condition.join(parts[...], " OR ")
        }
        return Condition(
            sql(numbers, isMetByNothing: isMetByNothing), opposite: sql(others, isMetByNothing: !isMetByNothing))
    }

    // MARK: - Comparisons of two expressions

    /// `(t0.age + ?) > t0.rank`, or the conditions on bounds and elements that are computed.
    mutating func test(_ test: ResolvedTest) -> Condition? {
        guard test.modifier == .direct else { return nil }
        let options = test.options
        switch (test.left, test.operator, test.right) {
        case (.constant, _, .constant): return nil
        case (.entityName(let path, let names), let op, .constant(let value)):
            return entityCondition(path, names, op, value, options)
        case (let left, .between, .list(let bounds)) where bounds.count == 2:
            return all([
                self.test(ResolvedTest(left, .greaterOrEqual, bounds[0], options: options)),
                self.test(ResolvedTest(left, .lessOrEqual, bounds[1], options: options)),
            ])
        case (let left, .isIn, .list(let elements)):
            if elements.isEmpty { return truth(false) }
            guard elements.count <= Dialect.longestListOfExpressions else { return nil }
            return any(elements.map { self.test(ResolvedTest(left, .equal, $0, options: options)) })
        case (.list, _, _), (_, _, .list): return nil
        case (.constant(let value), let op, let right):
            guard let mirrored = op.mirrored else { return compared(test.left, op, right, options) }
            return options.isEmpty ? compared(right, mirrored, .constant(value), options) : nil
        case (let left, let op, let right): return compared(left, op, right, options)
        }
    }

    private mutating func compared(
        _ left: ResolvedExpression, _ op: QueryComparison.Operator, _ right: ResolvedExpression, _ options: QueryComparison.Options
    ) -> Condition? {
        guard let a = expression(left) else { return nil }
        if case .constant(let value) = right { return Dialect.condition(a, op, value: value, options: options, in: &self) }
        guard let b = expression(right) else { return nil }
        return Dialect.condition(a, op, other: b, options: options, in: &self)
    }
}
