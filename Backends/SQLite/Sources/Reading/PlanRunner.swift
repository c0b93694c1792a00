import CSQLite
import StrataModel
import StrataQuery
import StrataStore

/// Runs the statements of plans.
struct PlanRunner {
    private let plan: FetchPlan
    private let table: EntityTable
    private let reader: SQLiteReader
    private var connection: Connection { reader.connection }

    private init(_ plan: FetchPlan, _ table: EntityTable, _ reader: SQLiteReader) {
        self.plan = plan
        self.table = table
        self.reader = reader
    }

    /// Answers a plan: what SQL does exactly as the core does, and what remains.
    static func answer(_ plan: FetchPlan, _ table: EntityTable, _ reader: SQLiteReader) throws -> StoreAnswer {
        let runner = PlanRunner(plan, table, reader)
        let shape = PlanShape(plan, storeUUID: reader.store.uuid)
        do {
            if let shape, let known = reader.connection.plans.plan(shape) {
                try known.statement.bind(shape.bindings)
                return try runner.answer(known.output, known.statement, .nothing)
            }
            return try runner.answer(.everything, shape)
        } catch let error as StoreError {
            // More parameters, joins, levels or characters than SQLite takes, or a sum out of its range: the core has no such limits.
            guard let failure = error.underlying as? SQLiteFailure, failure.isAboutLimits else { throw error }
            return try runner.answer(.nothing, nil)
        }
    }

    private func answer(_ extent: PlanCompiler.Extent, _ shape: PlanShape?) throws -> StoreAnswer {
        let compiled = PlanCompiler.compile(plan, table, reader.store, extent)
        if case .groups(let query) = compiled.output {
            return .groups(try query.groups(compiled.sql, connection))
        }
        let statement = try connection.statement(compiled.sql)
        if let shape, compiled.isWhole, compiled.sql.bindings == shape.bindings {
            connection.plans.keep(PreparedPlan(statement: statement, output: compiled.output), for: shape)
        }
        return try answer(compiled.output, statement, compiled.remainder)
    }

    private func answer(_ output: CompiledPlan.Output, _ statement: Statement, _ remainder: Remainder) throws -> StoreAnswer {
        defer { statement.clear() }
        switch output {
        case .rows(let decoder): return .rows(try rows(decoder, statement), remainder)
        case .references: return .references(try references(statement))
        case .count: return .count(PlanEvaluator.sliced(try statement.step("fetch") ? Int(statement.integer(0)) : 0, plan))
        case .values(let query): return .values(try query.tuples(statement, plan))
        case .groups: return .groups([])
        }
    }

    private func rows(_ decoder: RowDecoder, _ statement: Statement) throws -> [Row] {
        var rows: [Row] = []
        var writer = GrowingWriter()
        var isAscending = true
        var last = Int64.min
        while try statement.step("fetch") {
            let row = try writer.row(decoder, statement)
            isAscending = isAscending && row.reference > last
            last = row.reference
            rows.append(row)
        }
        if plan.sort.isEmpty && !isAscending { rows.sort { $0.reference < $1.reference } }
        return rows
    }

    private func references(_ statement: Statement) throws -> [ObjectReference] {
        var found = try reader.references(statement, table)
        if plan.sort.isEmpty && !zip(found, found.dropFirst()).allSatisfy({ $0.reference < $1.reference }) {
            found.sort { $0.reference < $1.reference }
        }
        return found
    }
}

/// A statement that answers every plan of one shape.
struct PreparedPlan {
    let statement: Statement
    let output: CompiledPlan.Output
}
