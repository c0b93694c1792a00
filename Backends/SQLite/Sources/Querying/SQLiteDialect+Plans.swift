import StrataSQL

/// Orders, groups and values of plans.
extension SQLiteDialect {
    // SQLite compares each parameter with all before it when it prepares a statement, which would take longer than to test the rows.
    static let mostParameters = 1024
    static let usesInexactConditions = false
    static let noLimit: Int64? = -1
    static let nullsFirst: StaticString = ""

    /// `+t0.Z_ENT IN (2)`: the plus keeps SQLite from using the index of entity numbers instead of one for the conditions.
    static func conditions(_ conditions: [SQLText], ofEntities numbers: [Int]) -> [SQLText] {
        conditions + [conditions.isEmpty ? "t0.Z_ENT IN (\(numbers: numbers))" : "+t0.Z_ENT IN (\(numbers: numbers))"]
    }

    /// `t0.ZNAME DESC`; for folded text `strata_key(3, t0.ZNAME)`.
    static func orderTerm(_ column: SQLExpression, _ sort: ResolvedSort) -> SQLText? {
        switch column.kind {
        case .integer, .boolean, .double, .float, .date, .uuid, .reference, .string, .uri: break
        case .binary, .transformable: if column.isExternal { return nil }
        case .decimal: return sort.ascending ? "strata_decimal_key(\(column.sql))" : "strata_decimal_key(\(column.sql)) DESC"
        case .entity, .order: return nil
        }
        let isFolded = column.kind == .string && TextOrder.preparesText(sort.options)
        let term: SQLText = isFolded ? "\(SQLFunctions.orderKey)\(number: sort.options.rawValue), \(column.sql))" : column.sql
        return sort.ascending ? term : "\(term) DESC"
    }

    static func selected(
        _ expression: ResolvedExpression, as use: SelectedValueUse, in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        compiler.expression(expression).flatMap { ColumnValue.canRead($0) ? $0 : nil }
    }

    static func groups(
        _ plan: GroupPlan, by keys: [SQLExpression], _ operands: [SQLExpression?], in compiler: inout ConditionCompiler
    ) -> GroupQuery? { GroupQuery(plan, by: keys, operands) }

    /// `SELECT t0.Z_PK, t0.ZNAME, t1.ZNAME FROM ZPERSON t0 LEFT JOIN ZPERSON t1 ON … WHERE … ORDER BY … LIMIT ?`.
    static func values(_ plan: ValuePlan, in compiler: inout PlanCompiler) -> (sql: SQLText, values: ValueQuery)? {
        let isSliced = compiler.wantsSlice && !plan.isDistinct
        guard let order = compiler.order(always: isSliced), let columns = compiler.compiler.selected(plan.columns, as: .value) else {
            return nil
        }
        var sql = compiler.select("SELECT \([SQLText("t0.Z_PK")] + columns.map(\.sql))")
        sql.add(order)
        if isSliced { compiler.addSlice(to: &sql) }
        return (sql, ValueQuery(columns: columns, isDistinct: plan.isDistinct))
    }
}

extension SQLiteStore {
    /// Returns a compiler of a plan over the rows of a table.
    ///
    /// - Parameter countsRows: Whether the statement counts the rows of the table that it reads.
    func compiler(
        _ plan: FetchPlan, _ table: EntityTable, _ extent: PlanCompiler.Extent = .everything, countsRows: Bool = false
    ) -> PlanCompiler {
        PlanCompiler(plan, table, in: planContext, extent: extent, testingFirst: countsRows ? "strata_count(t0.Z_PK)" : nil)
    }

    /// Returns the statement for a plan over the rows of a table.
    func compile(
        _ plan: FetchPlan, _ table: EntityTable, _ extent: PlanCompiler.Extent = .everything, countsRows: Bool = false
    ) -> CompiledPlan {
        compiler(plan, table, extent, countsRows: countsRows).compile(decoder(table, plan.entities).selection)
    }

    /// The tables that plans are compiled for, with those that are known to have orphan rows.
    var planContext: PlanContext {
        let foreign = orphans.roots.compactMap { schema.tables[$0] }.map { ($0.name, $0.numbers) }
        return PlanContext(schema, storeID: id, foreign: Dictionary(foreign) { first, _ in first })
    }
}

/// The values that a plan selects, without rows.
struct ValueQuery {
    let columns: [SQLExpression]
    let isDistinct: Bool

    /// Returns the tuples of a statement, in the order of the plan.
    func tuples(_ statement: Statement, _ plan: FetchPlan) throws -> [[Value]] {
        var tuples: [(reference: Int64, values: [Value])] = []
        var isAscending = true
        var seen = TupleSet()
        // The first of equal tuples is kept; in the order by reference it is known only after all were read.
        let isOrdered = !plan.sort.isEmpty
        let enough = isDistinct && isOrdered ? plan.slice.end() : nil
        while enough.map({ tuples.count < $0 }) ?? true, try statement.step(.fetch) {
            var values: [Value] = []
            values.reserveCapacity(columns.count)
            for (index, column) in columns.enumerated() {
                values.append(try ColumnValue.read(statement, Int32(truncatingIfNeeded: index + 1), column))
            }
            if isDistinct && isOrdered && !seen.insert(values) { continue }
            let reference = statement.integer(0)
            if let last = tuples.last, last.reference > reference { isAscending = false }
            tuples.append((reference, values))
        }
        if !isOrdered && !isAscending { tuples.sort { $0.reference < $1.reference } }
        let found = tuples.map(\.values)
        guard isDistinct else { return found }
        return plan.slice(isOrdered ? found : found.filter { seen.insert($0) })
    }
}
