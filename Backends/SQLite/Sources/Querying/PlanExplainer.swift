import CStrataSQLite
import StrataSQL

/// Runs a plan and explains its execution.
struct PlanExplainer {
    private let plan: FetchPlan
    private let table: EntityTable
    private let reader: SQLiteReader

    /// Returns the explanation of a plan over the rows of a table.
    static func explain(_ plan: FetchPlan, _ table: EntityTable, _ reader: SQLiteReader) throws -> PlanExplanation {
        let explainer = PlanExplainer(plan: plan, table: table, reader: reader)
        do { return try explainer.explain(.everything) } catch let error as StoreError where error.isAboutLimits {
            return try explainer.explain(.nothing)
        }
    }

    private func explain(_ extent: PlanCompiler.Extent) throws -> PlanExplanation {
        let compiled = reader.store.compile(plan, table, extent)
        let sql = try text(of: compiled)
        let statement = try reader.connection.prepare(sql.text)
        var counted = plan
        // Groups read the same rows as a count.
        if case .groups = plan.result { counted.result = .count }
        let counting = try text(of: reader.store.compile(counted, table, extent, countsRows: true))
        let lines = try reader.connection.queryPlan(of: statement)
        var explanation = PlanExplanation(access: access(lines), rowsRead: try reader.connection.rowsRead(by: counting))
        compiled.explain(plan, in: &explanation)
        explanation.tested =
            explanation.access.contains(.scan) ? explanation.decided : try tested(compiled, extent, lines).map(\.description)
        explanation.statement = statement.text
        explanation.statementPlan = lines
        explanation.literalStatement = try literalStatement(statement, sql)
        return explanation
    }

    /// Returns the statement with its values; `nil` where it calls Strata's functions.
    private func literalStatement(_ statement: Statement, _ sql: SQLText) throws -> String? {
        let needsProgram = sql.text.contains("strata_") || sql.bindings.contains { if case .set = $0 { true } else { false } }
        return needsProgram ? nil : try statement.expanded(sql.bindings)
    }

    private func text(of compiled: CompiledPlan) throws -> SQLText {
        guard case .groups(let query) = compiled.output else { return compiled.sql }
        return try query.choice(compiled.sql, reader.connection).sql
    }

    // MARK: - Access

    /// The maximum number of conditions that are tried without an index, as a statement is prepared for each.
    private static let mostConditions = 32

    /// Returns the decided conditions that no index answers: the query plan is the same without them.
    private func tested(_ compiled: CompiledPlan, _ extent: PlanCompiler.Extent, _ lines: [String]) throws -> [ResolvedPredicate] {
        let ways = self.ways(lines)
        return try compiled.decided.enumerated().filter { index, _ in
            if index >= PlanExplainer.mostConditions { return true }
            var rest = compiled.decided
            rest.remove(at: index)
            var plan = plan
            plan.predicate = .and(rest + compiled.remaining)
            let statement = try reader.connection.prepare(try text(of: reader.store.compile(plan, table, extent)).text)
            return self.ways(try reader.connection.queryPlan(of: statement)) == ways
        }.map(\.element)
    }

    /// Returns the lines about the rows of the fetched entity, without whether the index covers all columns.
    private func ways(_ lines: [String]) -> [[Substring]] {
        lines.map { $0.split(separator: " ").filter { $0 != "COVERING" } }.filter { $0.contains("t0") }
    }

    /// Returns the access path of the fetched entity, from the lines of EXPLAIN QUERY PLAN.
    private func access(_ lines: [String]) -> [PlanExplanation.Access] {
        lines.flatMap { line -> [PlanExplanation.Access] in
            let words = line.split(separator: " ").map(String.init)
            guard let kind = words.first, kind == "SCAN" || kind == "SEARCH", words.contains("t0") else { return [] }
            var found: [PlanExplanation.Access] = kind == "SCAN" ? [.scan] : []
            if let keyword = words.firstIndex(of: "INDEX"), keyword + 1 < words.count {
                found.append(.index(words[keyword + 1]))
            } else if kind == "SEARCH" {
                found.append(.references)
            }
            return found
        }
    }
}

/// Counts the rows that a statement reads: `strata_count(key)` is true for each.
final class RowCounter {
    private(set) var count = 0

    /// Registers the function on a connection.
    func register(on handle: OpaquePointer) {
        // Not deterministic, so that it is called for every row.
        unsafe sqlite3_create_function_v2(
            handle, "strata_count", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passRetained(self).toOpaque(),
            { context, _, _ in
                if let counter = unsafe sqlite3_user_data(context) {
                    unsafe Unmanaged<RowCounter>.fromOpaque(counter).takeUnretainedValue().count += 1
                }
                unsafe sqlite3_result_int(context, 1)
            }, nil, nil, { if let counter = unsafe $0 { unsafe Unmanaged<RowCounter>.fromOpaque(counter).release() } })
    }
}
