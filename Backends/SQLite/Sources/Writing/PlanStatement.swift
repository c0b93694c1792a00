import StrataSQL

/// Updates or deletes all rows that a plan selects in one statement, where the result is that of the core.
///
/// The changes of a statement that fails have to be rolled back.
struct PlanStatement {
    let plan: FetchPlan
    let table: EntityTable
    unowned let transaction: SQLiteTransaction
    private var connection: Connection { transaction.connection }

    // MARK: - Updates

    /// Updates the rows: `UPDATE ZSTEP AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1 & 4294967295, ZHOURS = ? WHERE t0.ZTITLE = ?`, with
    /// ` RETURNING Z_PK, Z_ENT` where the plan asks for references.
    ///
    /// - Returns: `nil` where SQL does not compute what the core does.
    /// - Throws: Also where a row gets a value that does not fit, or violates a uniqueness constraint.
    func update(_ assignments: RowAssignments) throws -> StoreAnswer? {
        let slots = assignments.slots + assignments.computations.compactMap(\.attribute.slot)
        guard slots.allSatisfy({ !column($0).isExternal && column($0).isPresent }) else { return nil }
        let binder = try RowBinder(assignments.slots, of: plan.entity, table, transaction.store)
        // The parameters of the template's values come first.
        return try transaction.store.compiler(plan, table).update(assignments) { _, _ in "?" }
            .map { try run($0, template: assignments.template, binder) }
    }

    private func column(_ slot: Slot) -> Column { table.column(slot, of: plan.entity.index) }

    // MARK: - Deletions

    /// Deletes the rows: `DELETE FROM ZSTEP AS t0 WHERE t0.ZHOURS > ?`.
    ///
    /// - Returns: `nil` where links or external values have to be deleted, too, or references are requested in an order.
    func delete() throws -> StoreAnswer? {
        let columns = plan.entities.flatMap { table.columns(of: $0) }
        if Set(columns).contains(where: { table.columns[$0].isExternal && table.columns[$0].isPresent }) || haveLinks { return nil }
        if case .references = plan.result, !plan.sort.isEmpty { return nil }
        return try transaction.store.compiler(plan, table).deletion().map { try run($0) }
    }

    /// Whether objects of the plan's entities may be linked in a many-to-many relationship.
    private var haveLinks: Bool {
        let model = transaction.store.model
        return model.linkTables.contains { link in
            transaction.store.schema.joins[link.index] != nil
                && [link.first, link.second].contains { end in plan.entities.overlaps(model.entities[end.entity].hierarchy) }
        }
    }

    /// Returns the greatest reference in the table.
    func greatestReference() throws -> Int64 { try connection.integer("SELECT max(Z_PK) FROM \(table: table.name)", .save) ?? 0 }

    // MARK: - Running

    private func run(_ change: SQLText, template: Row? = nil, _ binder: RowBinder? = nil) throws -> StoreAnswer {
        var sql = change
        let wantsReferences = if case .references = plan.result { true } else { false }
        if wantsReferences { sql.add(" RETURNING Z_PK, Z_ENT") }
        let statement = try connection.statement(sql.text)
        defer { statement.clear() }
        if let template, let binder { try binder.bind(template, to: statement, from: 1, transaction) }
        try statement.bind(sql.bindings, from: 1 + (binder?.columns.count ?? 0))
        guard wantsReferences else {
            while try statement.step(.save) {}
            return .count(connection.changes)
        }
        let references = try table.references(statement) {}
        return .references(references.sorted { $0.reference < $1.reference })
    }
}

/// Computed values of batch updates, where SQL computes what the core does.
///
/// A value of another type, or one that does not fit its attribute, calls `strata_core()`, which ends the statement:
/// the core then does the whole update, and reports the value.
extension SQLiteDialect {
    static var nextVersion: SQLText { "IFNULL(Z_OPT, 0) + 1 & 4294967295" }

    /// Returns the expression assigned to a column; `nil` where only the core computes it:
    /// `CASE WHEN ((t0.ZAGE + ?) BETWEEN ? AND ? OR (t0.ZAGE + ?) IS NULL) THEN (t0.ZAGE + ?) ELSE strata_core() END`.
    static func assignment(_ computation: RowAssignments.Computation, in compiler: inout ConditionCompiler) -> SQLText? {
        let attribute = computation.attribute
        // A subquery could read rows that the statement changed already.
        guard let value = compiler.expression(computation.expression), compiler.scope.isOneTable, !value.isExternal else { return nil }
        let isNeeded = !attribute.isOptional || value.mayHideNaN
        var conditions: [SQLText] = []
        switch (attribute.type, value.kind) {
        case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer):
            // An integer that overflowed is a floating-point number.
            if attribute.type == .integer64 && value.isCertainlyInteger { break }
            guard let range = attribute.type.integerRange else { return nil }
            let bounds: SQLText = " BETWEEN \(bind: .integer(range.lowerBound)) AND \(bind: .integer(range.upperBound))"
            conditions = [met(value.sql, bounds, orNull: !isNeeded)]
        case (.double, .integer), (.double, .double), (.double, .float), (.date, .date):
            // NaN is a text, which is greater than all numbers; a literal out of the range of floating-point numbers is infinity.
            conditions = value.numbers.map { met($0, " <= 9e999", orNull: !isNeeded) }
        case (.string, .string), (.boolean, .boolean):
            if !value.numbers.isEmpty { return nil }
        default: return nil
        }
        let isMet: SQLText? = conditions.isEmpty ? nil : "CASE WHEN \(conditions, separator: " AND ") THEN \(value.sql)"
        if isNeeded { return "IFNULL(\(isMet.map { "\($0) END" } ?? value.sql), strata_core())" }
        return isMet.map { "\($0) ELSE strata_core() END" } ?? value.sql
    }

    private static func met(_ value: SQLText, _ condition: SQLText, orNull: Bool) -> SQLText {
        orNull ? "(\(value)\(condition) OR \(value) IS NULL)" : "(\(value)\(condition))"
    }
}
