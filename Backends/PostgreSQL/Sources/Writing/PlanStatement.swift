import StrataSQL

/// Updates or deletes all rows that a plan selects in one statement, where the result is that of the core.
struct PlanStatement {
    private let plan: FetchPlan
    private let compiler: PlanCompiler
    private let table: EntityTable
    private let transaction: PostgreSQLTransaction

    init(_ plan: FetchPlan, _ transaction: PostgreSQLTransaction) throws {
        self.plan = plan
        self.transaction = transaction
        table = try transaction.table(of: plan.entity.index)
        compiler = PlanCompiler(plan, table, in: PlanContext(transaction.schema, storeID: transaction.store.id))
    }

    /// Whether the server evaluates the condition, and no order is required.
    private var isSelection: Bool {
        if !compiler.remaining.isEmpty || plan.limit != nil || plan.offset > 0 { return false }
        switch plan.result {
        case .count: return true
        case .references: return plan.sort.isEmpty
        case .rows, .groups, .values: return false
        }
    }

    /// ```sql
    /// UPDATE "s"."person" AS t0 SET "_version" = (t0."_version" + 1) & 4294967295, "age" = ($1)[1]
    /// WHERE t0."name" = ANY($2) RETURNING t0."_id", t0."_entity"
    /// ```
    ///
    /// - Returns: `nil` where only the core computes the values, or a uniqueness constraint includes an assigned attribute.
    func update(_ assignments: RowAssignments) throws -> StoreAnswer? {
        let computed = assignments.computations.compactMap(\.attribute.slot)
        guard isSelection, computed.count == assignments.computations.count, !areUnique(assignments.slots + computed) else { return nil }
        // The core writes row by row, which changes the form of an index over long keys.
        if LongKeyIndexing(transaction: transaction).concerns(assignments.template, assignments.slots) { return nil }
        let statement = try compiler.update(assignments) { slot, column in
            var value = ArrayValues(column.type)
            try value.append { try transaction.put(slot, of: assignments.template, column, to: &$0) }
            return "(\(bind: value.parameter))[1]"
        }
        let written = Set(plan.entities.flatMap { entity in (assignments.slots + computed).map { table.column($0, of: entity) } })
            .map { WrittenColumn($0) }
        return try statement.flatMap { try answer($0, .update, written, mayFail: !computed.isEmpty)?.answer }
    }

    /// `DELETE FROM "s"."person" AS t0 WHERE t0."age" > $1 RETURNING t0."_id", t0."_entity"`, and the links of the deleted rows.
    func delete() throws -> StoreAnswer? {
        guard isSelection, let sql = compiler.deletion(), let (references, answer) = try answer(sql, .delete) else { return nil }
        if !references.isEmpty {
            try RowDeleter(transaction: transaction).deleteLinks(of: references.map(\.reference), plan.entity, areGone: true)
        }
        return answer
    }

    private func areUnique(_ slots: [Slot]) -> Bool {
        plan.entities.contains { entity in
            transaction.model.entities[entity].uniquenessConstraints.contains { $0.slots.contains(where: slots.contains) }
        }
    }

    private func answer(
        _ statement: SQLText, _ kind: TransactionLog.Kind, _ written: [WrittenColumn] = [], mayFail: Bool = false
    ) throws -> (references: [ObjectReference], answer: StoreAnswer)? {
        let connection = transaction.connection
        var statements: [SQLText] = [.counting(compiler.count, ifWatched: table.name), "\(statement) RETURNING \(SQLText.references)"]
        if !written.isEmpty { statements.append("SELECT \(SQLText.checkingTypes(written, of: table.name))") }
        let mayFail = mayFail || compiler.compiler.mayFail
        let answers = try mayFail ? connection.attempt(statements, .save) : connection.execute(statements, .save)
        guard let answers else { return nil }
        let result = try transaction.explained(table.name, written) {
            if !written.isEmpty { _ = try answers.result(2, .save) }
            return try answers.result(1, .save)
        }
        try transaction.check(result.count, answers.result(0, .save), table.name)
        let references = try PostgreSQLReader(transaction.store, connection).references(result, table, .save)
            .sorted { $0.reference < $1.reference }
        transaction.log.note(kind, table, references.map(\.reference))
        if case .count = plan.result { return (references, .count(references.count)) }
        return (references, .references(references))
    }
}

/// Computed values of batch updates, where the server computes what the core does.
///
/// The statement fails for a value that does not fit its attribute: the core then does the whole update, and reports the value.
extension PostgreSQLDialect {
    static var nextVersion: SQLText { "(\(column: versionColumn) + 1) & 4294967295" }

    /// Returns the expression assigned to a column, `(t0."age" + $1)::smallint::bigint`; `nil` where only the core computes it.
    static func assignment(_ computation: RowAssignments.Computation, in compiler: inout ConditionCompiler) -> SQLText? {
        let attribute = computation.attribute
        guard let value = compiler.expression(computation.expression)?.withoutNaN else { return nil }
        let (end, absence): (StaticString, StaticString)
        switch (attribute.type, value.kind) {
        case (.integer16, .integer): (end, absence) = (")::smallint::bigint", "")
        case (.integer32, .integer): (end, absence) = (")::integer::bigint", "")
        case (.integer64, .integer): (end, absence) = (")", "")
        case (.double, .integer), (.double, .double), (.double, .float), (.date, .date):
            // The core decides which of two zeros is the minimum or maximum of a collection.
            if computation.expression.goesThroughCollections { return nil }
            (end, absence) = (")::double precision", "::double precision")
        case (.string, .string), (.boolean, .boolean): return attribute.isOptional ? value.sql : nil
        default: return nil
        }
        let sql = SQLText("(\(value.sql)\(end)")
        if attribute.isOptional { return sql }
        // The sum overflows, so that the statement fails where a required attribute would get null.
        return SQLText("coalesce(\(sql), (\(column: keyColumn) + 9223372036854775807)\(absence))")
    }
}

extension ResolvedExpression {
    fileprivate var goesThroughCollections: Bool {
        var isFound = false
        forEachCollection { _ in isFound = true }
        return isFound
    }
}
