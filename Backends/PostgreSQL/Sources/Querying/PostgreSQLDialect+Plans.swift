import StrataSQL

/// Orders and values of plans.
extension PostgreSQLDialect {
    // The protocol has a 16-bit number of parameters.
    static let mostParameters = 32_000
    static let usesInexactConditions = true
    static let noLimit: Int64? = nil
    static let nullsFirst: StaticString = " NULLS FIRST"

    static func conditions(_ conditions: [SQLText], ofEntities numbers: [Int]) -> [SQLText] {
        ["\(column: EntityTable.entity) IN (\(numbers: numbers))"] + conditions
    }

    /// `t0."name" ASC NULLS FIRST`: in the core, nil is less than all values.
    static func orderTerm(_ column: SQLExpression, _ sort: ResolvedSort) -> SQLText? {
        guard sort.path.variable == 0, sort.options.isEmpty, sort.path.attribute != nil, column.kind != .binary else { return nil }
        return "\(column.sql)\(sort.ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST")"
    }

    /// Returns an attribute or a to-one relationship, of the object or at the end of a path; `nil` for other expressions, and for
    /// attributes whose equality differs between the server and the core.
    static func selected(
        _ expression: ResolvedExpression, as use: SelectedValueUse, in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        if case .function(let function, let arguments) = expression, function.datePart != nil {
            return arguments.first?.path?.steps.isEmpty == true ? compiler.expression(expression) : nil
        }
        guard let path = expression.path, let slot = path.leafSlot else { return nil }
        switch path.leafKind {
        case .integer, .boolean, .string, .double, .float, .date, .uuid, .uri, .reference: break
        case .decimal: break
        case .binary, .transformable, .order, .entity: if use != .counted { return nil }
        }
        guard let table = compiler.scope.join(path), let column = table.column(slot) else { return nil }
        var expression = SQLExpression("\(column: column.name, of: table.alias)", kind: path.leafKind)
        expression.isColumn = true
        return expression
    }

    /// `SELECT t0."name" FROM "s"."person" t0 WHERE … ORDER BY …`, different ones with `GROUP BY t0."name"`.
    static func values(_ plan: ValuePlan, in compiler: inout PlanCompiler) -> (sql: SQLText, values: ValueQuery)? {
        let isGrouped = ValueQuery.isGrouped(plan, compiler.plan.sort)
        let key = SQLText("\(column: EntityTable.id)")
        // The result has no references to sort the values by.
        guard let order = compiler.order(always: true, then: isGrouped ? "min(\(key))" : key),
            let selected = compiler.compiler.selected(plan.columns, as: .value),
            // Another program may have stored a decimal of more digits than the core keeps, which is reported with its row.
            !selected.contains(where: { $0.kind == .decimal })
        else { return nil }
        let columns = selected.isEmpty ? ["1"] : selected.map(\.sql)
        var sql = compiler.select("SELECT \(columns)")
        if isGrouped { sql.add(" GROUP BY \(columns)") }
        sql.add(order)
        if !plan.isDistinct || isGrouped { compiler.addSlice(to: &sql) }
        return (sql, ValueQuery(kinds: selected.map(\.kind), isDistinct: plan.isDistinct && !isGrouped))
    }
}

/// The values that a plan selects, without rows.
struct ValueQuery {
    let kinds: [SlotKind]
    /// Whether duplicates are removed after the query.
    let isDistinct: Bool

    /// Whether GROUP BY removes duplicates: all rows of a tuple are then adjacent in the plan's order, except for their references.
    static func isGrouped(_ plan: ValuePlan, _ sort: [ResolvedSort]) -> Bool {
        let slots = plan.columns.compactMap { $0.path?.steps.isEmpty == true ? $0.path?.leafSlot : nil }
        let areExact = plan.columns.allSatisfy { expression in
            switch expression.path?.leafKind {
            case .double?, .float?, .date?, .uri?: false
            default: true
            }
        }
        return plan.isDistinct && !plan.columns.isEmpty && areExact
            && sort.allSatisfy { sort in sort.path.steps.isEmpty && sort.path.leafSlot.map(slots.contains) ?? false }
    }

    /// Returns the tuples of a result; offset and limit are applied after duplicates are removed.
    func tuples(_ result: ResultTable, _ plan: FetchPlan) -> [[Value]] {
        let all = (0..<result.count).map { row in kinds.enumerated().map { result.value(row, $0, $1) } }
        if !isDistinct { return all }
        var seen = TupleSet()
        return plan.slice(all.filter { seen.insert($0) })
    }
}
