/// The store that plans are compiled for.
public struct PlanContext<Dialect: SQLDialect>: Sendable {
    /// The tables of the store.
    public let schema: StoreSchema<Dialect>
    /// The ID of the store.
    public let storeID: StoreID
    /// The tables that have rows of other entities than the model's, by name, with the numbers of their entities.
    public let foreign: [Dialect.TableName: [Int]]
    /// Whether a statement is of use that fails where the core would go on.
    public let allowsFailures: Bool

    /// A store with the properties of the same names.
    public init(
        _ schema: StoreSchema<Dialect>, storeID: StoreID, foreign: [Dialect.TableName: [Int]] = [:], allowsFailures: Bool = true
    ) {
        self.schema = schema
        self.storeID = storeID
        self.foreign = foreign
        self.allowsFailures = allowsFailures
    }

    /// Returns a compiler of conditions on the rows of an entity, and of expressions over them, in the table `t0`.
    public func compiler(_ table: EntityTable<Dialect>, _ entity: EntityDescription) -> ConditionCompiler<Dialect> {
        ConditionCompiler(
            QueryScope(schema, table: table, entity: entity, foreign: foreign), storeID: storeID, allowsFailures: allowsFailures)
    }
}

/// Compiles a plan into a statement, as far as SQL does exactly what the core does.
///
/// A fetch of people over thirty who work in Sales, by name, ten of them after twenty, becomes
///
/// ```sql
/// SELECT t0.id, t0.entity FROM person t0 LEFT JOIN dept t1 ON t1.id = t0.dept_id
/// WHERE t0.age > ? AND t1.title = ? ORDER BY t0.name, t0.id LIMIT ? OFFSET ?
/// ```
public struct PlanCompiler<Dialect: SQLDialect> {
    /// How much of a plan is compiled.
    public enum Extent: Sendable {
        /// All that SQL does as the core does.
        case everything
        /// Nothing: the statement lists the rows of the entity, because the database takes no statement of the size that the plan needs.
        case nothing
    }

    /// The plan.
    public private(set) var plan: FetchPlan
    /// The table of the plan's entity, `t0`.
    public let table: EntityTable<Dialect>
    /// The compiler of the plan's conditions, and of the expressions that it selects.
    public var compiler: ConditionCompiler<Dialect>
    /// The conditions that the statement leaves to the core.
    public private(set) var remaining: [ResolvedPredicate] = []
    private var conditions: [SQLText<Dialect>] = []
    private var decided: [ResolvedPredicate] = []
    private let extent: Extent
    /// A compiler that joined no tables for conditions.
    private let firstCompiler: ConditionCompiler<Dialect>
    /// Whether the table has rows of other entities than the plan's.
    private let isMixed: Bool
    private let firstCondition: SQLText<Dialect>?

    /// A compiler of a plan over the rows of a table.
    ///
    /// - Parameters:
    ///   - plan: The plan to compile.
    ///   - table: The table with the plan's rows.
    ///   - context: The schema, and what else the plans of a store have in common.
    ///   - extent: The parts of the plan that the statement computes.
    ///   - condition: A condition that the statement tests before all others.
    public init(
        _ plan: FetchPlan, _ table: EntityTable<Dialect>, in context: PlanContext<Dialect>, extent: Extent = .everything,
        testingFirst condition: SQLText<Dialect>? = nil
    ) {
        self.plan = plan
        self.table = table
        self.extent = extent
        isMixed = plan.entities != table.hierarchy || context.foreign[table.name] != nil
        firstCondition = condition
        firstCompiler = context.compiler(table, plan.entity)
        compiler = firstCompiler
        var parameters = 0
        for part in plan.predicate?.conjuncts ?? [] {
            // A condition that is left to the core joins no table.
            var trial = compiler
            guard extent == .everything, let condition = trial.condition(part), condition.isExact || Dialect.usesInexactConditions,
                parameters + condition.sql.bindings.count <= Dialect.mostParameters
            else {
                remaining.append(part)
                continue
            }
            compiler = trial
            parameters += condition.sql.bindings.count
            conditions.append(condition.sql)
            if condition.isExact { decided.append(part) } else { remaining.append(part) }
        }
    }

    /// Returns the statement for the plan.
    ///
    /// - Parameter columns: The columns that the store selects of rows.
    public func compile(_ columns: @autoclosure () -> SQLText<Dialect>) -> CompiledPlan<Dialect> {
        guard extent == .everything, remaining.isEmpty else { return rows(columns()) }
        var compiler = self
        let compiled: CompiledPlan<Dialect>? =
            switch plan.result {
            case .rows: nil
            case .references: compiler.references()
            case .count: whole(count, .count)
            case .groups(let grouping): compiler.groups(grouping)
            case .values(let values): Dialect.values(values, in: &compiler).map { compiler.whole($0.sql, .values($0.values)) }
            }
        return compiled ?? rows(columns())
    }

    private func whole(
        _ sql: SQLText<Dialect>, _ output: CompiledPlan<Dialect>.Output, isOrdered: Bool = false
    ) -> CompiledPlan<Dialect> {
        CompiledPlan(
            sql: sql, output: output, remainder: .nothing, decided: decided, remaining: remaining, isOrdered: isOrdered,
            mayFail: compiler.mayFail)
    }

    /// Whether offset or limit leave some results out.
    public var wantsSlice: Bool { plan.limit != nil || plan.offset > 0 }

    // MARK: - Results

    /// `SELECT t0.id, t0.entity, t0.version, t0.name … FROM person t0 WHERE … ORDER BY … LIMIT ?`, the core doing the rest.
    public func rows(_ columns: SQLText<Dialect>) -> CompiledPlan<Dialect> {
        var compiler = self
        var order: SQLText<Dialect>? = ""
        var (wantsSlice, slicesRows) = (wantsSlice, true)
        switch plan.result {
        case .rows, .references: order = compiler.order(always: wantsSlice && remaining.isEmpty)
        case .count: break
        case .values(let values):
            order = compiler.order(always: wantsSlice && remaining.isEmpty)
            slicesRows = !values.isDistinct
        case .groups: wantsSlice = false
        }
        let isSliced = wantsSlice && slicesRows && order != nil && remaining.isEmpty
        var sql = compiler.select(SQLText("SELECT \(columns)"))
        if let order { sql.add(order) }
        if isSliced { addSlice(to: &sql) }
        let predicate: ResolvedPredicate? = remaining.count > 1 ? .and(remaining) : remaining.first
        return CompiledPlan(
            sql: sql, output: .rows,
            remainder: Remainder(predicate: predicate, needsSort: order == nil, needsSlice: wantsSlice && !isSliced), decided: decided,
            remaining: remaining, isOrdered: order?.text.isEmpty == false, mayFail: compiler.compiler.mayFail)
    }

    /// `SELECT t0.id, t0.entity FROM person t0 WHERE … ORDER BY … LIMIT ?`.
    private mutating func references() -> CompiledPlan<Dialect>? {
        guard let order = order(always: wantsSlice) else { return nil }
        var sql = select(SQLText("SELECT \(SQLText<Dialect>.references)"))
        sql.add(order)
        if wantsSlice { addSlice(to: &sql) }
        return whole(sql, .references, isOrdered: !order.text.isEmpty)
    }

    /// ` FROM person t0 WHERE …`, of which groups are made.
    private mutating func groups(_ grouping: GroupPlan) -> CompiledPlan<Dialect>? {
        guard let keys = compiler.selected(grouping.keys, as: .key) else { return nil }
        var operands: [SQLExpression<Dialect>?] = []
        for aggregate in grouping.aggregates {
            let use: SelectedValueUse = aggregate.function == .count ? .counted : .value
            let operand = aggregate.expression.flatMap { Dialect.selected($0, as: use, in: &compiler) }
            guard operand != nil || aggregate.expression == nil && aggregate.function == .count else { return nil }
            operands.append(operand)
        }
        return Dialect.groups(grouping, by: keys, operands, in: &compiler).map { whole(select(""), .groups($0)) }
    }

    /// `SELECT count(*) FROM person t0 WHERE …`.
    public var count: SQLText<Dialect> { select("SELECT count(*)") }

    // MARK: - Clauses

    /// Returns the order, ` ORDER BY t0.name, t0.age DESC, t0.id`; `nil` where the core has to sort.
    ///
    /// - Parameters:
    ///   - always: Whether the order of references is needed too, into which rows are else brought afterwards: a database may scan the table
    ///     in that order rather than use an index.
    ///   - last: The last term; by default the reference.
    public mutating func order(always: Bool, then last: SQLText<Dialect>? = nil) -> SQLText<Dialect>? {
        let last = last ?? SQLText("\(column: Dialect.keyColumn)")
        if plan.sort.isEmpty { return always ? SQLText(" ORDER BY \(last)") : "" }
        guard extent == .everything else { return nil }
        let before = compiler
        var sql: SQLText<Dialect> = " ORDER BY "
        for sort in plan.sort {
            guard let column = compiler.joinedValue(at: sort.path), let term = Dialect.orderTerm(column, sort) else {
                compiler = before
                return nil
            }
            sql.add("\(term), ")
        }
        sql.add(last)
        return sql
    }

    /// Adds ` LIMIT ? OFFSET ?`.
    public func addSlice(to sql: inout SQLText<Dialect>) {
        if let limit = plan.limit.map({ Int64(max(0, $0)) }) ?? Dialect.noLimit { sql.add(" LIMIT \(bind: Dialect.binding(limit))") }
        if plan.offset > 0 { sql.add(" OFFSET \(bind: Dialect.binding(Int64(plan.offset)))") }
    }

    /// Adds the tables and the conditions of the plan to the columns that a statement selects.
    public func select(_ columns: SQLText<Dialect>) -> SQLText<Dialect> { "\(columns)\(compiler.scope.source(0, allConditions))" }

    /// The conditions of the plan, and the one that leaves out other entities' rows.
    private var allConditions: [SQLText<Dialect>] {
        let conditions = isMixed ? Dialect.conditions(conditions, ofEntities: plan.entities.map { table.number(of: $0) }) : conditions
        return (firstCondition.map { [$0] } ?? []) + conditions
    }

    // MARK: - Changes

    /// Returns the clause by which a statement that changes the table `t0` takes all rows that the plan selects: ` WHERE t0.hours > ?`, or
    /// ` WHERE t0.id IN (SELECT id FROM (SELECT t0.id, t0.entity FROM …))` where other tables are joined, or not all rows are taken.
    ///
    /// - Returns: `nil` where something of the plan is left to the core.
    public func selection() -> SQLText<Dialect>? {
        guard remaining.isEmpty else { return nil }
        if compiler.scope.joinsNothing && !wantsSlice {
            return allConditions.isEmpty ? "" : SQLText(" WHERE \(allConditions, separator: " AND ")")
        }
        var compiler = self
        if !wantsSlice { compiler.plan.sort = [] }
        guard let references = compiler.references() else { return nil }
        return SQLText(" WHERE \(column: Dialect.keyColumn) IN (SELECT \(identifier: Dialect.keyColumn) FROM (\(references.sql)))")
    }

    /// `UPDATE person AS t0 SET version = …, age = ?, rank = t0.rank + ? WHERE …`; `nil` where something of the plan is left to the core.
    ///
    /// - Parameters:
    ///   - assignments: The values.
    ///   - constant: The value of the template in a slot, as the column has it.
    /// - Throws: What `constant` throws.
    public func update(
        _ assignments: RowAssignments, _ constant: (Slot, Dialect.Column) throws -> SQLText<Dialect>
    ) rethrows -> SQLText<Dialect>? {
        guard let selection = selection() else { return nil }
        var values = [SQLText<Dialect>("\(identifier: Dialect.versionColumn) = \(Dialect.nextVersion)")]
        for slot in assignments.slots {
            let column = table.column(slot, of: plan.entity.index)
            values.append(SQLText("\(identifier: column.name) = \(try constant(slot, column))"))
        }
        var compiler = firstCompiler
        for computation in assignments.computations {
            guard let slot = computation.attribute.slot, let value = Dialect.assignment(computation, in: &compiler) else { return nil }
            values.append(SQLText("\(identifier: table.column(slot, of: plan.entity.index).name) = \(value)"))
        }
        return SQLText("UPDATE \(table: table.name) AS t0 SET \(values)\(selection)")
    }

    /// `DELETE FROM person AS t0 WHERE …`; `nil` where something of the plan is left to the core.
    public func deletion() -> SQLText<Dialect>? {
        selection().map { SQLText("DELETE FROM \(table: table.name) AS t0\($0)") }
    }
}

extension SQLText {
    /// The reference of a row, and the number of its entity: `t0.id, t0.entity`.
    public static var references: SQLText { SQLText("\(column: Dialect.keyColumn), \(column: Dialect.entityColumn)") }
}
