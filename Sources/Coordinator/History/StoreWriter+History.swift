import StrataPlatform
import StrataStore
import Synchronization

extension StoreWriter {
    /// Adds a transaction to the history of the store, where it has one and something changed.
    ///
    /// - Parameter fill: Adds the changes to the body.
    func appendHistory(_ kind: HistoryOrigin.Kind, _ fill: (inout HistoryBodyWriter) throws -> Void) throws {
        guard entry.keepsHistory else { return }
        var body = HistoryBodyWriter(model)
        try fill(&body)
        if body.isEmpty { return }
        try append(
            HistoryRecord(
                time: origin.date.timeIntervalSinceReferenceDate, origin: entry.history.encodedOrigin(kind, origin),
                body: body.finish(images)))
    }

    private func append(_ record: HistoryRecord) throws {
        historyRecord = record
        var number = try transaction.append(record)
        if let tracked = entry.tracker?.history.withLock(\.self), number > 0 {
            tracked.note(own: number)
            ownTransaction = (tracked, number)
        }
        // A store that numbers its transactions later: the policy is applied by their count.
        if number == 0 { number = entry.history.appendCount.add(1, ordering: .relaxed).newValue }
        entry.history.byteCount.add(record.byteCount, ordering: .relaxed)
        if number & StoreEntry.purgeInterval == 0 { try entry.applyHistoryPolicy(in: transaction, after: number) }
    }

    /// Forgets the number of the transaction that was added, which took no effect: another one may get it next.
    func forgetOwnTransaction() {
        guard let (history, number) = ownTransaction else { return }
        history.forget(own: number)
        ownTransaction = nil
    }
}

extension HistoryOrigin {
    /// The name of this process.
    static let thisProcess = CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
}

extension SaveParticipant {
    /// Adds the changes of the save to the history of the store.
    func appendHistory(_ kind: HistoryOrigin.Kind, _ model: ManagedObjectModel) throws {
        try writer.appendHistory(kind) { body in
            for row in changes.inserted { body.insert(row.entityIndex, row.reference) }
            var others = OtherChanges(self, model)
            for update in changes.updated {
                let (entity, reference) = (update.row.entityIndex, update.row.reference)
                if let properties = others.take(entity, reference, update.changedSlots) {
                    body.update(entity, reference, properties: properties)
                } else {
                    body.update(entity, reference, slots: update.changedSlots)
                }
            }
            for (id, change) in try others.left(existingIn: writer.transaction) {
                body.update(change.entity, id.reference, properties: change.properties)
            }
            for deletion in changes.deleted { body.delete(deletion.entity, deletion.reference, tombstone: deletion.tombstone) }
            if case .deleted(let references)? = ownChange {
                for object in references { body.delete(object.entity, object.reference, tombstone: nil) }
            }
        }
    }
}

/// The objects of a save that change by other means than their updated rows: by links, by rows of their members, by
/// derivation, or by a statement of the store.
private struct OtherChanges {
    private struct Change {
        var entity: EntityIndex
        var properties: [Int]
    }

    private let model: ManagedObjectModel
    private var changes: [RowID: Change] = [:]
    /// The inserted and deleted objects, which are not updated too.
    private var excluded = RowRuns()

    init(_ participant: SaveParticipant, _ model: ManagedObjectModel) {
        self.model = model
        let (all, derived) = (participant.changes, participant.derived)
        var isUpdatedByStore = false
        if case .updated? = participant.ownChange { isUpdatedByStore = true }
        if all.links.isEmpty && participant.relationships.isEmpty && derived.isEmpty && !isUpdatedByStore { return }
        for row in all.inserted { excluded.insert(model.entities[row.entityIndex].root, row.reference) }
        for deletion in all.deleted { excluded.insert(model.entities[deletion.entity].root, deletion.reference) }
        for change in all.links {
            let table = model.linkTables[change.table]
            for (end, reference) in [(table.first, change.link.first), (table.second, change.link.second)] {
                add(end.entity, reference, [end.property])
            }
        }
        for change in participant.relationships { add(change.entity, change.reference, [change.property]) }
        for (row, slots) in derived.values { add(row.entityIndex, row.reference, properties(row.entityIndex, slots.sorted())) }
        if case .updated(let references, let names)? = participant.ownChange {
            for object in references {
                let entity = model.entities[object.entity]
                add(object.entity, object.reference, names.compactMap { entity.property(named: $0)?.index })
            }
        }
    }

    private func properties(_ entity: EntityIndex, _ slots: [Slot]) -> [Int] {
        slots.map { model.entities[entity].layout.slots[$0].property }
    }

    private mutating func add(_ entity: EntityIndex, _ reference: Int64, _ properties: [Int]) {
        let id = RowID(entity, reference, model)
        if excluded.contains(id) { return }
        var change = changes[id] ?? Change(entity: entity, properties: [])
        // The end of a link may name an ancestor of the entity, which lacks properties; indexes of inherited ones are the same in both.
        if model.entities[entity].properties.count > model.entities[change.entity].properties.count { change.entity = entity }
        change.properties += properties
        changes[id] = change
    }

    /// Returns all changed properties of an object with an updated row; `nil` where there are no others than its slots.
    mutating func take(_ entity: EntityIndex, _ reference: Int64, _ slots: [Slot]) -> [Int]? {
        if changes.isEmpty { return nil }
        return changes.removeValue(forKey: RowID(entity, reference, model)).map { properties(entity, slots) + $0.properties }
    }

    /// Returns the objects without an updated row, in the order of their references.
    ///
    /// A save of a stale context takes members from objects that others have deleted: these are left out.
    func left(existingIn transaction: any StoreTransaction) throws -> [(id: RowID, change: (entity: EntityIndex, properties: [Int]))] {
        if changes.isEmpty { return [] }
        let existing = try transaction.read { reader in
            try Dictionary(grouping: changes.keys, by: \.root).sortedByKey().map { root, ids in
                (root, Set(try reader.existing(root: root, references: ids.map(\.reference)).map(\.reference)))
            }
        }
        return existing.flatMap { root, references in
            references.sorted().compactMap { reference in
                let id = RowID(root: root, reference: reference)
                return changes[id].map { (id, ($0.entity, $0.properties)) }
            }
        }
    }
}

/// Rows of a store, as a few runs of consecutive references: new rows mostly have them.
private struct RowRuns {
    private var runs: [(root: EntityIndex, first: Int64, end: Int64)] = []
    /// The rows, where there are many runs.
    private var others: Set<RowID> = []
    private static let mostRuns = 8

    mutating func insert(_ root: EntityIndex, _ reference: Int64) {
        if let last = runs.last, last.root == root, last.end == reference {
            runs[runs.count - 1].end += 1
        } else if runs.count < RowRuns.mostRuns, reference < .max {
            runs.append((root, reference, reference + 1))
        } else {
            others.insert(RowID(root: root, reference: reference))
        }
    }

    func contains(_ id: RowID) -> Bool {
        runs.contains { $0.root == id.root && $0.first <= id.reference && id.reference < $0.end } || !others.isEmpty && others.contains(id)
    }
}
