import StrataSQL

/// Answers plans by running their statements on a connection.
struct StatementRunner {
    let store: SQLiteStore
    let connection: Connection

    /// Answers a plan: as much as SQL does exactly like the core, with the remainder.
    func answer(_ plan: FetchPlan) throws -> StoreAnswer {
        if let answer = try answerByCachedStatement(plan) { return answer }
        let table = try store.table(of: plan)
        switch plan.result {
        // These read each row, and find the orphans among them.
        case .rows, .references: break
        case .count, .groups, .values: try store.orphans.look(in: table, connection)
        }
        do { return try answerByNewStatement(plan) } catch is OrphanRows.Found {
            store.orphans.note(table)
            return try answerByNewStatement(plan)
        }
    }

    private func answerByNewStatement(_ plan: FetchPlan) throws -> StoreAnswer {
        do { return try answer(plan, .everything) } catch let error as StoreError where error.isAboutLimits {
            // More parameters, joins, levels or characters than SQLite allows, or an overflow of a sum: the core has no such limits.
            return try answer(plan, .nothing)
        }
    }

    /// Answers a plan with the statement that is kept for its shape; `nil` where there is none, or it exceeds a limit of SQLite.
    func answerByCachedStatement(_ plan: FetchPlan) throws -> StoreAnswer? {
        connection.keepStatements(of: store)
        do {
            guard let known = try connection.storeStatements.plans.bind(plan, storeID: store.id) else { return nil }
            return try answer(plan, known, .nothing)
        } catch is OrphanRows.Found {
            store.orphans.note(try store.table(of: plan))
            return nil
        } catch let error as StoreError where error.isAboutLimits {
            return nil
        }
    }

    private func answer(_ plan: FetchPlan, _ extent: PlanCompiler.Extent) throws -> StoreAnswer {
        let table = try store.table(of: plan)
        let compiled = store.compile(plan, table, extent)
        if case .groups(let query) = compiled.output { return .groups(try query.groups(compiled.sql, connection)) }
        let statement = try connection.statement(compiled.sql)
        let shape = extent == .everything && compiled.isWhole ? PlanShape(plan, storeID: store.id) : nil
        let isKept = shape.map { compiled.sql.bindings == $0.bindings } ?? false
        let prepared = PreparedPlan(isKept ? shape : nil, statement, compiled.output, store.decoder(table, plan.entities))
        if isKept {
            connection.keepStatements(of: store)
            connection.storeStatements.plans.keep(prepared)
        }
        return try answer(plan, prepared, compiled.remainder)
    }

    private func answer(_ plan: FetchPlan, _ prepared: PreparedPlan, _ remainder: Remainder) throws -> StoreAnswer {
        let statement = prepared.statement
        defer { statement.clear() }
        switch prepared.output {
        case .rows:
            let rows = try rows(prepared.decoder, statement, sorting: plan.sort.isEmpty)
            StoreReading.note(rowsRead: rows.count)
            return .rows(rows, remainder)
        case .references:
            let references = try references(plan, statement)
            StoreReading.note(rowsRead: references.count)
            return .references(references)
        case .count: return .count(plan.slice(try statement.step(.fetch) ? Int(statement.integer(0)) : 0))
        case .values(let query): return .values(try query.tuples(statement, plan))
        case .groups: return .groups([])
        }
    }

    /// - Parameter sorting: Whether to sort the rows by reference.
    private func rows(_ decoder: RowDecoder, _ statement: Statement, sorting: Bool) throws -> [Row] {
        var rows: [Row] = []
        var writer = GrowingWriter()
        var isAscending = true
        var last = Int64.min
        while try statement.step(.fetch) {
            let row = try writer.row(decoder, statement)
            isAscending = isAscending && row.reference > last
            last = row.reference
            rows.append(row)
        }
        if sorting && !isAscending { rows.sort { $0.reference < $1.reference } }
        return rows
    }

    private func references(_ plan: FetchPlan, _ statement: Statement) throws -> [ObjectReference] {
        var found = try store.table(of: plan).references(statement) { throw OrphanRows.Found() }
        if plan.sort.isEmpty && !zip(found, found.dropFirst()).allSatisfy({ $0.reference < $1.reference }) {
            found.sort { $0.reference < $1.reference }
        }
        return found
    }
}

extension EntityTable {
    /// Returns the references, with the entities' numbers, in a statement's result; orphan rows are left out.
    func references(_ statement: Statement, onOrphan: () throws -> Void) throws -> [ObjectReference] {
        var found: [ObjectReference] = []
        while try statement.step(.fetch) {
            guard let entity = entity(ofNumber: statement.integer(1)) else {
                try onOrphan()
                continue
            }
            found.append(ObjectReference(entity: entity, reference: statement.integer(0)))
        }
        return found
    }
}
