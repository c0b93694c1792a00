import StrataEvaluation
import StrataModel
import StrataStore

/// Applies changes in a transaction of a store, with derived values, and records the store's own changes.
final class StoreWriter {
    let transaction: any StoreTransaction
    let model: ManagedObjectModel
    let entry: StoreEntry
    /// The origin of the changes, for the history.
    let origin: TransactionOrigin
    /// The expressions of derived attributes, compiled for each transaction, whose time they contain.
    private let expressions: [RowExpression]
    /// The changes that were applied last, with the derived values of their own rows.
    @safe @exclusivity(unchecked) var applied = ChangeSet()
    /// The rows of the transaction that changed in derived values only, with their changed slots.
    @safe @exclusivity(unchecked) private(set) var derived: [RowID: (row: Row, slots: Set<Slot>)] = [:]

    /// The transaction that was added to the history; `nil` without one.
    @safe @exclusivity(unchecked) var historyRecord: HistoryRecord?
    /// Its number, which remote-change tracking knows as the coordinator's own.
    @safe @exclusivity(unchecked) var ownTransaction: (history: TrackedHistory, number: Int64)?
    /// The before-images for the history; `nil` where it keeps none.
    @safe @exclusivity(unchecked) var images: HistoryValuesWriter?

    init(
        _ transaction: any StoreTransaction, _ entry: StoreEntry, _ model: ManagedObjectModel,
        _ origin: TransactionOrigin = TransactionOrigin()
    ) {
        self.transaction = transaction
        self.origin = origin
        self.entry = entry
        self.model = model
        expressions = entry.derivations?.all.map { RowExpression($0.expression) } ?? []
        images = entry.keepsHistoryValues ? HistoryValuesWriter(model) : nil
    }

    /// Applies changes, and those of dependent derived values.
    ///
    /// - Returns: The conflicts; the transaction can only be rolled back then.
    /// - Throws: `StoreError`; as ``DerivationPass/derive(_:)``.
    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        applied = changes
        let all = try entry.rehashing(derive(changes), in: transaction, model)
        try addImages(changedBy: all)
        let conflicts = try transaction.apply(all)
        if !conflicts.isEmpty { return conflicts }
        if entry.derivations != nil {
            let own = changes.updated.count
            applied.inserted = all.inserted
            applied.updated = Array(all.updated.prefix(own))
            for update in applied.updated { derived[id(update.row)] = nil }
            for deletion in changes.deleted { derived[RowID(deletion.entity, deletion.reference, model)] = nil }
            for update in all.updated.dropFirst(own) { note(update.row, Set(update.changedSlots)) }
        }
        try recordOwnChanges()
        return []
    }

    /// Returns new rows with their derived values.
    func derived(_ rows: [Row]) throws -> [Row] { try derive(ChangeSet(inserted: rows)).inserted }

    /// Inserts rows up to the first that violates a uniqueness constraint, see
    /// `StoreTransaction.insertUncontested(_:)`; returns the number of inserted rows.
    func insertUncontested(_ rows: [Row]) throws -> Int {
        var changes = ChangeSet(inserted: rows)
        let all = try derive(changes)
        let count = try transaction.insertUncontested(all.inserted)
        // The caller rejects a number that no store may return.
        if count <= 0 || count > rows.count { return count }
        try entry.rehash(in: transaction, model)
        // Derived values depend on the number of rows.
        changes.inserted.removeLast(rows.count - count)
        let others = count == rows.count ? all.updated : try derive(changes).updated
        try addImages(changedBy: ChangeSet(updated: others))
        try entry.put(others, in: transaction, .save)
        applied = changes
        applied.inserted = Array(all.inserted.prefix(count))
        for update in others { note(update.row, Set(update.changedSlots)) }
        try recordOwnChanges()
        return count
    }

    private func derive(_ changes: ChangeSet) throws -> ChangeSet {
        guard let derivations = entry.derivations, !derivations.ignore(changes) else { return changes }
        return try transaction.read { reader in
            var pass = DerivationPass(derivations, expressions, entry, changes.links, reader)
            return try pass.derive(changes)
        }
    }

    func note(_ row: Row, _ slots: Set<Slot>) { derived[id(row)] = (row, slots.union(derived[id(row)]?.slots ?? [])) }

    func id(_ row: Row) -> RowID { RowID(row.entityIndex, row.reference, model) }

    /// Updates the rows of a plan in the store's own way; `nil` where the core has to, as with dependent derived
    /// values, and for before-images.
    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        try byStore(plan) { try transaction.update(plan, assignments) }
    }

    /// Deletes the rows of a plan in the store's own way; `nil` where the core has to, as with dependent derived
    /// values.
    func delete(_ plan: FetchPlan) throws -> StoreAnswer? {
        try byStore(plan) { try transaction.delete(plan) }
    }

    private func byStore(_ plan: FetchPlan, _ change: () throws -> StoreAnswer?) throws -> StoreAnswer? {
        if images != nil || entry.derivations?.concern(anyOf: plan.entities) == true { return nil }
        let answer = try change()
        if answer != nil { try entry.rehash(in: transaction, model) }
        try recordOwnChanges()
        return answer
    }
}
