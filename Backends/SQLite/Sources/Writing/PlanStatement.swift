import StrataModel
import StrataSQL
import StrataStore

/// Changes or deletes all rows that a plan selects with one statement, where that has the outcome that the core would come to.
///
/// A statement that fails half-way leaves what it changed to be rolled back.
struct PlanStatement {
    let plan: FetchPlan
    let table: EntityTable
    unowned let transaction: SQLiteTransaction
    private var connection: Connection { transaction.connection }

    // MARK: - Updates

    /// Changes the rows: `UPDATE ZSTEP AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1 & 4294967295, ZHOURS = ? WHERE t0.ZTITLE = ?`, with
    /// ` RETURNING Z_PK, Z_ENT` where the plan asks for references.
    ///
    /// - Returns: `nil` where SQL does not compute what the core does.
    /// - Throws: Also where a row gets a value that does not fit, or one that a constraint keeps unique.
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
    /// - Returns: `nil` where there is more to see to: links, external values, an order that the references are asked for in.
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
                && [link.first, link.second].contains { end in plan.entities.overlaps(model.entities[end.entity].tree) }
        }
    }

    /// The greatest reference in the table.
    func greatestReference() throws -> Int64 { try connection.integer("SELECT max(Z_PK) FROM \(table: table.name)", .save) ?? 0 }

    // MARK: - Running

    private func run(_ change: SQLText, template: Row? = nil, _ binder: RowBinder? = nil) throws -> StoreAnswer {
        var sql = change
        let wantsReferences = if case .references = plan.result { true } else { false }
        if wantsReferences { sql.add(" RETURNING Z_PK, Z_ENT") }
        let statement = try connection.statement(sql.text)
        defer { statement.clear() }
        if let template, let binder { try binder.bind(template, to: statement, from: 1, transaction.external) }
        try statement.bind(sql.bindings, from: 1 + (binder?.columns.count ?? 0))
        guard wantsReferences else {
            while try statement.step(.save) {}
            return .count(connection.changes)
        }
        let references = try table.references(statement) {}
        return .references(references.sorted { $0.reference < $1.reference })
    }
}
