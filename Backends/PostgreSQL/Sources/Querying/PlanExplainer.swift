import StrataEngine
import StrataSQL

/// Runs a plan's statement under EXPLAIN and reads the access paths from its lines.
struct PlanExplainer {
    let plan: FetchPlan
    let compiled: CompiledPlan
    let statement: SQLText
    let reader: PostgreSQLReader

    /// - Returns: `nil` where the statement fails because of values with which the core would go on.
    func explanation() throws -> PlanExplanation? {
        let sql = SQLText("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(statement)")
        guard let result = try compiled.mayFail ? reader.scope.attempt(sql, .explain) : reader.scope.execute(sql, .explain) else {
            return nil
        }
        let lines = (0..<result.count).compactMap { result.text($0, 0) }
        let indexes = lines.compactMap { name(in: $0) }
        let found = indexes.compactMap { index(named: $0) }
        let isByReference = !indexes.isEmpty && found.isEmpty && !isScan(lines)
        let access: [PlanExplanation.Access] =
            !found.isEmpty ? found.map { .index($0.title) } : isByReference ? [.references] : [.scan]
        var explanation = PlanExplanation(access: access, rowsRead: rowsRead(lines))
        compiled.explain(plan, in: &explanation)
        let slots = Set(found.flatMap { $0.elements.map(\.slot) })
        explanation.tested = compiled.decided.filter { conjunct in
            let slot = SlotCondition(conjunct, storeID: reader.storeID)?.slot
            return !isByReference && !(slot.map { slots.contains($0) } ?? false)
        }.map(\.description)
        if case .groups(let columns) = compiled.output { explanation.testsGroups = columns.testsGroups }
        explanation.isOfReplica = reader.scope.isOnReplica
        explanation.statement = statement.text
        explanation.statementPlan = lines
        return explanation
    }

    /// Returns the name of the index that a line says is used: `Index Scan using person_by_name on person t0 (…)`.
    private func name(in line: String) -> String? {
        guard line.contains("Index"), line.contains("Scan") else { return nil }
        let words = line.split(separator: " ").map(String.init)
        let keyword = words.firstIndex(of: "using") ?? (line.contains("Bitmap Index Scan") ? words.firstIndex(of: "on") : nil)
        guard let keyword, keyword + 1 < words.count else { return nil }
        let word = words[keyword + 1]
        guard word.count > 1, word.hasPrefix("\""), word.hasSuffix("\"") else { return word }
        return String(word.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    private func index(named name: String) -> ModelIndex? {
        reader.model.entities[plan.entity.root].hierarchy.flatMap { ModelIndex.declared(by: reader.model.entities[$0]) }
            .first { reader.schema.catalog.names[$0.key] == name }
    }

    private func isScan(_ lines: [String]) -> Bool { lines.contains { $0.contains("Seq Scan") } }

    /// Returns the number of rows that scans of tables returned or filtered out.
    private func rowsRead(_ lines: [String]) -> Int {
        var count = 0
        for line in lines {
            if line.contains("Rows Removed by Filter:") || line.contains("Rows Removed by Index Recheck:") {
                count += line.split(separator: " ").last.flatMap { Int($0) } ?? 0
            } else if line.contains("Scan"), !line.contains("Bitmap Index Scan"), let start = line.firstRange(of: "actual rows=") {
                count += Double(line[start.upperBound...].prefix { $0.isNumber || $0 == "." }).map { Int($0) } ?? 0
            }
        }
        return count
    }
}
