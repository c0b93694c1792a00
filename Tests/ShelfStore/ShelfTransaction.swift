import StrataEngine
import StrataModel
import StrataStore

/// A transaction: a state of its own, which takes the place of the store's.
final class ShelfTransaction: StoreTransaction {
    private let store: ShelfStore
    private var state: ShelfState
    private var model: ManagedObjectModel { state.schema.model }
    private var isOver = false

    init(_ store: ShelfStore, _ state: ShelfState) {
        self.store = store
        self.state = state
    }

    /// A transaction that is dropped is rolled back, and releases the write lock.
    deinit { rollback() }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        let last = state.lastReference[root] ?? 0
        let (end, overflow) = last.addingReportingOverflow(Int64(count))
        guard !overflow else { throw StoreError(.tooLarge, .save, "the store has no references left") }
        state.lastReference[root] = end
        return last + 1
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        /// The rows that change and those that go, by hierarchy.
        var changed: [EntityIndex: [Int64: Row?]] = [:]
        for deletion in changes.deleted {
            conflicts += check(deletion.entity, deletion.reference, deletion.expectedVersion)
            changed[root(deletion.entity), default: [:]][deletion.reference] = .some(nil)
            removeLinks(of: deletion)
        }
        for update in changes.updated {
            conflicts += check(update.row.entityIndex, update.row.reference, update.expectedVersion)
            changed[root(update.row.entityIndex), default: [:]][update.row.reference] = update.row
        }
        for row in changes.inserted {
            let root = root(row.entityIndex)
            changed[root, default: [:]][row.reference] = row
            // References of new rows need not come from this transaction: conversions and recovery bring theirs along.
            state.lastReference[root] = max(state.lastReference[root] ?? 0, row.reference)
        }
        for (root, rows) in changed {
            state.hierarchies[root] = (state.hierarchies[root] ?? ShelfHierarchy()).with(rows, state.schema.indexes[root] ?? [])
        }
        for change in changes.links { apply(change) }
        if let metadata = changes.metadata { state.metadata = metadata }
        // Versions come first: a constraint that a stale row breaks may not be broken by the one that takes its place.
        return conflicts.isEmpty ? changed.flatMap { duplicates($0.key, $0.value) } : conflicts
    }

    private func root(_ entity: EntityIndex) -> EntityIndex { model.entities[entity].root }

    private func check(_ entity: EntityIndex, _ reference: Int64, _ version: UInt32) -> [StoreConflict] {
        guard let row = state.row(root: root(entity), reference: reference) else {
            return [StoreConflict(entity: entity, reference: reference, reason: .deleted)]
        }
        return row.version == version ? [] : [StoreConflict(entity: entity, reference: reference, reason: .changed(row))]
    }

    /// Rows that have, in the elements of a unique index, what another one has.
    private func duplicates(_ root: EntityIndex, _ changed: [Int64: Row?]) -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        for index in state.schema.indexes[root] ?? [] where index.isUnique {
            let entity = model.entities[index.entities.lowerBound]
            let names = index.elements.map { entity.properties[entity.layout.slots[$0.slot].property].name }
            let entries = state.entries(index, root: root)
            for (a, b) in zip(entries, entries.dropFirst()) where a.keys == b.keys {
                // The change is told of, not what was there before.
                let (mine, other) = changed[b.row.reference] == nil ? (a.row, b.row) : (b.row, a.row)
                conflicts.append(
                    StoreConflict(
                        entity: mine.entityIndex, reference: mine.reference, reason: .constraint(names, other: other.reference)))
            }
        }
        return conflicts
    }

    // MARK: - Links

    private func removeLinks(of deletion: RowDeletion) {
        for table in model.linkTables {
            for side in [LinkSide.first, .second] where root(table.end(side).entity) == root(deletion.entity) {
                state.links[table.index]?.removeAll { $0.reference(side) == deletion.reference }
            }
        }
    }

    private func apply(_ change: LinkChange) {
        let link = change.link
        var links = state.links[change.table] ?? []
        let position = links.firstIndex { $0.first == link.first && $0.second == link.second }
        switch (change.kind, position) {
        case (.put, let position?), (.order, let position?):
            // An order that is not given stays.
            links[position].orderInFirst = link.orderInFirst ?? links[position].orderInFirst
            links[position].orderInSecond = link.orderInSecond ?? links[position].orderInSecond
        case (.put, nil): links.append(link)
        case (.remove, let position?): links.remove(at: position)
        case (.remove, nil), (.order, nil): break
        }
        state.links[change.table] = links
    }

    // MARK: - Ending

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try body(ShelfReader(state)) }
    func metadata() throws -> StoreMetadata { state.metadata }

    func prepare() throws { try store.checkOpen(.save) }

    func commit() throws {
        guard !isOver else { throw StoreError(.closed, .save, "the transaction is over") }
        try store.replace(with: state)
        end()
    }

    func rollback() { end() }

    private func end() {
        if isOver { return }
        isOver = true
        store.writeLock.release()
    }
}
