import StrataEvaluation
import StrataModel
import StrataStore

/// A transaction that keeps derived values right: with whatever is changed through it, those that depend on it change.
final class DerivingTransaction: StoreTransaction {
    let base: any StoreTransaction
    private let model: ManagedObjectModel
    private let entry: StoreEntry
    private var derivations: Derivations? { entry.derivations }
    private let expressions: [RowExpression]
    /// What was applied last, with the derived values of its own rows.
    private(set) var applied = ChangeSet()
    /// The objects that were changed in derived values only, with the slots, in all of the transaction.
    private(set) var derived: [RowID: (row: Row, slots: Set<Slot>)] = [:]

    init(_ base: any StoreTransaction, _ entry: StoreEntry, _ model: ManagedObjectModel) {
        self.base = base
        self.entry = entry
        self.model = model
        // Compiled here, as the time is that of compiling.
        expressions = entry.derivations?.all.map { RowExpression($0.expression) } ?? []
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        applied = changes
        let all = try derive(changes)
        let conflicts = try base.apply(all)
        if !conflicts.isEmpty { return conflicts }
        if derivations != nil {
            let own = changes.updated.count
            applied.inserted = all.inserted
            applied.updated = Array(all.updated.prefix(own))
            for update in applied.updated { derived[id(update.row)] = nil }
            for deletion in changes.deleted { derived[RowID(deletion.entity, deletion.reference, model)] = nil }
            for update in all.updated.dropFirst(own) { note(update.row, Set(update.changedSlots)) }
        }
        try followOwnChanges()
        return []
    }

    /// New rows with the values that are derived for them.
    func derived(_ rows: [Row]) throws -> [Row] {
        var changes = ChangeSet()
        changes.inserted = rows
        return try derive(changes).inserted
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        var changes = ChangeSet()
        changes.inserted = rows
        let all = try derive(changes)
        let count = try base.insertUncontested(all.inserted)
        // An answer that no store may give is refused by who asked.
        if count <= 0 || count > rows.count { return count }
        // Fewer rows give others other values.
        changes.inserted.removeLast(rows.count - count)
        var others = ChangeSet()
        others.updated = count == rows.count ? all.updated : try derive(changes).updated
        try put(others)
        applied = changes
        applied.inserted = Array(all.inserted.prefix(count))
        for update in others.updated { note(update.row, Set(update.changedSlots)) }
        try followOwnChanges()
        return count
    }

    private func derive(_ changes: ChangeSet) throws -> ChangeSet {
        guard let derivations, !derivations.ignore(changes) else { return changes }
        return try base.read { reader in
            var pass = DerivationPass(derivations, expressions, entry, changes.links, reader)
            return try pass.derive(changes)
        }
    }

    /// Takes note of an object that is changed in derived values only.
    private func note(_ row: Row, _ slots: Set<Slot>) { derived[id(row)] = (row, slots.union(derived[id(row)]?.slots ?? [])) }

    private func id(_ row: Row) -> RowID { RowID(row.entityIndex, row.reference, model) }

    // MARK: - What the store changes by itself

    /// Takes note of what triggers changed.
    ///
    /// Those of Core Data's derived attributes count what came and went, be it counted already: the
    /// values that were computed here are put back.
    private func followOwnChanges() throws {
        let changes = base.takeOwnChanges()
        if changes.isEmpty { return }
        var properties: [RowID: Set<String>] = [:]
        for change in changes {
            properties[RowID(change.object.entity, change.object.reference, model), default: []].insert(change.property)
        }
        let inserted = Dictionary(applied.inserted.indices.map { (id(applied.inserted[$0]), $0) }) { first, _ in first }
        let updated = Dictionary(applied.updated.indices.map { (id(applied.updated[$0].row), $0) }) { first, _ in first }
        var mended = ChangeSet()
        for (root, ids) in Dictionary(grouping: properties.keys, by: \.root) {
            let rows = try base.read { try model.checked(try $0.rows(root: root, references: ids.map(\.reference)), .save) }
            for row in rows {
                let id = id(row)
                let (new, changed) = (inserted[id], updated[id])
                let computed = new.map { applied.inserted[$0] } ?? changed.map { applied.updated[$0].row } ?? derived[id]?.row
                let update = computed.flatMap { mend(row, as: $0) }
                if let update { mended.updated.append(update) }
                let now = update?.row ?? row
                if let new { applied.inserted[new] = now }
                if let changed { applied.updated[changed] = RowUpdate(row: now, changedSlots: applied.updated[changed].changedSlots) }
                if new == nil && changed == nil {
                    let attributes = model.entities[row.entityIndex].attributes.filter { properties[id]?.contains($0.name) == true }
                    note(now, Set(attributes.compactMap(\.slot)))
                }
            }
        }
        try put(mended)
        _ = base.takeOwnChanges()
    }

    /// Changes derived values only, which meet no other version.
    ///
    /// - Throws: `StoreError` with `constraint` where a uniqueness constraint is over them and keeps them out.
    private func put(_ changes: ChangeSet) throws {
        if changes.isEmpty { return }
        let conflicts = try base.apply(changes)
        guard conflicts.isEmpty else {
            throw StoreError(
                .constraint, .save, "duplicate key: derived values violate a uniqueness constraint", path: entry.store.path,
                conflicts: conflicts)
        }
    }

    /// What gives a row the derived values that were computed for it; `nil` where it has them.
    private func mend(_ row: Row, as computed: Row) -> RowUpdate? {
        let entity = model.entities[row.entityIndex]
        let wrong = entity.derivedAttributes.filter { attribute in
            attribute.slot.map { !row.slot($0, attribute.slotKind, equals: computed) } ?? false
        }
        let slots = wrong.compactMap(\.slot)
        if slots.isEmpty { return nil }
        var writer = RowWriter(forOneRowOf: row.byteCount + computed.byteCount)
        writer.begin(entity, reference: row.reference, version: row.version)
        for (slot, description) in entity.layout.placedSlots {
            writer.copy(slot, description.kind, from: slots.contains(slot) ? computed : row)
        }
        return RowUpdate(row: writer.finish(), changedSlots: slots.sorted(), keepsVersion: true)
    }

    // The core goes through the rows where values depend on them.
    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        if derivations?.concern(anyOf: plan.entities) == true { return nil }
        let answer = try base.update(plan, assignments)
        try followOwnChanges()
        return answer
    }

    func delete(_ plan: FetchPlan) throws -> StoreAnswer? {
        if derivations?.concern(anyOf: plan.entities) == true { return nil }
        let answer = try base.delete(plan)
        try followOwnChanges()
        return answer
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

extension StoreTransaction {
    /// The transaction as the store made it, which derives nothing.
    var ofStore: any StoreTransaction { (self as? DerivingTransaction)?.base ?? self }
}
