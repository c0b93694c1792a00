import StrataStore

extension StoreEntry {
    /// Returns the derived values of a store that differ from those that its rows give, as problems.
    ///
    /// Times are not compared, nor values that Core Data's triggers or other derivations made. A sum of floating-point
    /// numbers may differ in its last digits, as it was made change by change.
    ///
    /// - Throws: `StoreError` where a row cannot be read.
    func derivedValueProblems(_ model: ManagedObjectModel, _ reader: any StoreReader, limit: Int) throws -> [StoreProblem] {
        guard limit > 0, let derivations, case let metadata = try store.metadata(), !metadata.isForeign,
            metadata.derivations == model.derivations
        else { return [] }
        let expressions = derivations.all.map { RowExpression($0.expression) }
        var problems: [StoreProblem] = []
        for (index, derived) in derivations.all.enumerated() where !derived.isTimestamp && mayHave(anyOf: derived.entity.hierarchy) {
            let kind = derived.attribute.slotKind
            for some in try reader.answer(FetchPlan(derived.entity, .references)).requireReferences().slices(of: 2048) {
                var pass = DerivationPass(derivations, expressions, self, [], reader)
                let rows = try reader.rows(root: derived.entity.root, references: some.map(\.reference))
                let stored = Dictionary(rows.map { ($0.reference, $0) }) { first, _ in first }
                for update in try pass.recompute(index, try model.checked(rows, .verify)) {
                    let value = stored[update.row.reference]?.value(derived.slot, kind) ?? .null
                    if value.isNearlyEqual(to: update.row.value(derived.slot, kind)) { continue }
                    problems.append(
                        StoreProblem(
                            .value, "the value is not the derived one", entity: model.entities[update.row.entityIndex].name,
                            reference: update.row.reference, key: derived.attribute.name))
                    if problems.count == limit { return problems }
                }
            }
        }
        return problems
    }
}

extension Value {
    /// Returns whether two numbers differ in no more than the rounding of sums.
    fileprivate func isNearlyEqual(to other: Value) -> Bool {
        guard case .double(let a) = self, case .double(let b) = other else { return false }
        return (a - b).magnitude <= 1e-6 * max(a.magnitude, b.magnitude)
    }
}
