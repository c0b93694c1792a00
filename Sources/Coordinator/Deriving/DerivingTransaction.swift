import StrataEvaluation
import StrataModel
import StrataStore

/// A transaction that keeps derived values right: with whatever is changed through it, those that depend on it change.
final class DerivingTransaction: StoreTransaction {
    let base: any StoreTransaction
    private let derivations: Derivations
    private let entry: StoreEntry
    private let expressions: [RowExpression]
    /// What was applied last, with the derived values of its own rows.
    private(set) var applied = ChangeSet()
    /// The objects that were changed in derived values only, with the slots, in all of the transaction.
    private(set) var derived: [RowID: (row: Row, slots: Set<Slot>)] = [:]

    init(_ base: any StoreTransaction, _ derivations: Derivations, _ entry: StoreEntry) {
        self.base = base
        self.derivations = derivations
        self.entry = entry
        // Compiled here, as the time is that of compiling.
        expressions = derivations.all.map { RowExpression($0.expression) }
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        applied = changes
        if derivations.ignore(changes) { return try base.apply(changes) }
        let all = try derive(changes)
        let conflicts = try base.apply(all)
        if conflicts.isEmpty {
            let own = changes.updated.count
            applied.inserted = all.inserted
            applied.updated = Array(all.updated.prefix(own))
            for update in applied.updated { derived[id(update.row.entityIndex, update.row.reference)] = nil }
            for deletion in changes.deleted { derived[id(deletion.entity, deletion.reference)] = nil }
            note(all.updated.dropFirst(own))
        }
        return conflicts
    }

    /// New rows with the values that are derived for them.
    func derived(_ rows: [Row]) throws -> [Row] {
        var changes = ChangeSet()
        changes.inserted = rows
        return derivations.ignore(changes) ? rows : try derive(changes).inserted
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        guard rows.contains(where: { derivations.concern($0.entityIndex) }) else { return try base.insertUncontested(rows) }
        var changes = ChangeSet()
        changes.inserted = rows
        let all = try derive(changes)
        let count = try base.insertUncontested(all.inserted)
        if count == 0 { return 0 }
        // Fewer rows give others other values.
        changes.inserted.removeLast(max(0, rows.count - count))
        var others = ChangeSet()
        others.updated = count == rows.count ? all.updated : try derive(changes).updated
        if !others.isEmpty { _ = try base.apply(others) }
        note(others.updated[...])
        return count
    }

    private func derive(_ changes: ChangeSet) throws -> ChangeSet {
        try base.read { reader in
            var pass = DerivationPass(derivations, expressions, entry, changes.links, reader)
            return try pass.derive(changes)
        }
    }

    /// Takes note of objects that are changed in derived values only.
    private func note(_ updates: ArraySlice<RowUpdate>) {
        for update in updates {
            let id = id(update.row.entityIndex, update.row.reference)
            derived[id] = (update.row, Set(update.changedSlots).union(derived[id]?.slots ?? []))
        }
    }

    private func id(_ entity: EntityIndex, _ reference: Int64) -> RowID { RowID(entity, reference, derivations.rules.model) }

    // The core goes through the rows where values depend on them.
    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        derivations.concern(anyOf: plan.entities) ? nil : try base.update(plan, assignments)
    }

    func delete(_ plan: FetchPlan) throws -> StoreAnswer? {
        derivations.concern(anyOf: plan.entities) ? nil : try base.delete(plan)
    }

    // MARK: - As the store does

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 { try base.reserveReferences(count, root: root) }
    func migrate(_ migration: StoreMigration) throws { try base.migrate(migration) }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }
    func metadata() throws -> StoreMetadata { try base.metadata() }
    func prepare() throws { try base.prepare() }
    func commit() throws { try base.commit() }
    var token: TransactionToken? { base.token }
    func rollback() { base.rollback() }
}
