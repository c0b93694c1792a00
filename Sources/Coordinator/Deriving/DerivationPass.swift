import StrataStore

/// The computation of a change's derived values, in its transaction.
///
/// No other transaction writes meanwhile, so the values are consistent with what is read.
struct DerivationPass {
    private let derivations: Derivations
    private let entry: StoreEntry
    private let expressions: [RowExpression]
    private let rows: ChangedRows
    private let search: DerivationSearch
    private var writer = RowWriter()
    private var model: ManagedObjectModel { derivations.rules.model }

    /// - Parameter expressions: Those of the derivations, compiled for the transaction.
    init(
        _ derivations: Derivations, _ expressions: [RowExpression], _ entry: StoreEntry, _ links: [LinkChange], _ reader: any StoreReader
    ) {
        self.derivations = derivations
        self.expressions = expressions
        self.entry = entry
        rows = ChangedRows(links, derivations.rules.model, reader, of: entry)
        search = DerivationSearch(rows: rows, rules: derivations.rules, entry: entry)
    }

    /// Returns the changes with all derived values: those of the objects themselves, and of dependent ones, which keep
    /// their versions; throws `StoreError` with `wrongValue` for a value that an attribute cannot hold; what reading
    /// throws.
    mutating func derive(_ changes: ChangeSet) throws -> ChangeSet {
        try note(changes)
        for (derived, expression) in zip(derivations.all, expressions) { try derive(derived, expression) }
        return derived(changes)
    }

    /// Returns rows with updated derived values, where they change.
    ///
    /// Called for each derivation in the order of dependence.
    mutating func recompute(_ index: Int, _ stored: [Row]) throws -> [RowUpdate] {
        let derived = derivations.all[index]
        var updates: [RowUpdate] = []
        for row in stored where derived.entity.hierarchy.contains(row.entityIndex) {
            guard let new = try self.row(row, derived, try value(derived, expressions[index], row)) else { continue }
            updates.append(RowUpdate(row: new, changedSlots: [derived.slot], keepsVersion: true))
        }
        return updates
    }

    private func note(_ changes: ChangeSet) throws {
        for row in changes.inserted where derivations.concern(row.entityIndex) { rows.note(.init(old: nil, new: row), rows.id(row)) }
        var stored: [RowID: Row] = [:]
        for (root, references) in changes.references(model, where: derivations.concern) {
            for row in try model.checked(try rows.reader.rows(root: root, references: references), .save) { stored[rows.id(row)] = row }
        }
        // The store detects a row that is missing as a conflict.
        for update in changes.updated {
            guard let old = stored[rows.id(update.row)] else { continue }
            rows.note(.init(old: old, new: update.row, slots: Set(update.changedSlots)), rows.id(old))
        }
        for deletion in changes.deleted {
            let id = RowID(deletion.entity, deletion.reference, model)
            if let old = stored[id] { rows.note(.init(old: old, new: nil), id) }
        }
    }

    private func derived(_ changes: ChangeSet) -> ChangeSet {
        var all = changes
        all.inserted = changes.inserted.map { rows[rows.id($0)]?.new ?? $0 }
        all.updated = changes.updated.map { update in
            guard let change = rows[rows.id(update.row)], let new = change.new else { return update }
            return RowUpdate(row: new, changedSlots: change.slots.sorted(), keepsVersion: update.keepsVersion)
        }
        let others = rows.changes.values.filter { !$0.isSaved && !$0.slots.isEmpty }
        all.updated += others.compactMap { change in
            change.new.map { RowUpdate(row: $0, changedSlots: change.slots.sorted(), keepsVersion: true) }
        }
        .sorted { Row.precede($0.row, $1.row) }
        return all
    }

    private mutating func derive(_ derived: DerivedExpression, _ expression: RowExpression) throws {
        let tallies = derived.tally.map { DerivationTally($0, rows) }
        var concerned: Set<RowID> = []
        for (id, change) in rows.changed(derived.entity) where change.new != nil {
            if isConcerned(change, derived) {
                concerned.insert(id)
            } else if let old = change.old, let new = change.new, change.isSaved {
                // A context may save an older value.
                try set(new, derived, old.value(derived.slot, derived.attribute.slotKind), id)
            }
        }
        for source in derived.sources { concerned.formUnion(try search.owners(source, of: derived.entity)) }
        try load(concerned.filter { rows[$0] == nil })
        for id in concerned.sorted(by: { $0.reference < $1.reference }) {
            guard let change = rows[id], let row = change.new, derived.entity.hierarchy.contains(row.entityIndex) else { continue }
            if let tallied = tallies?.value(change, derived) {
                try set(row, derived, try fitted(tallied, derived), id)
            } else {
                try set(row, derived, try value(derived, expression, row), id)
            }
        }
    }

    private func isConcerned(_ change: ChangedRows.Change, _ derived: DerivedExpression) -> Bool {
        if change.old == nil || derived.isTimestamp && change.isSaved { return true }
        return derived.sources.contains { $0.steps.isEmpty && $0.slot.map(change.slots.contains) == true }
    }

    /// Reads rows that the change itself does not touch.
    private func load(_ ids: Set<RowID>) throws {
        for (root, ids) in Dictionary(grouping: ids, by: \.root) {
            let stored = try rows.reader.rows(root: root, references: ids.map(\.reference))
            for row in try model.checked(stored, .save) { rows.note(.init(old: row, new: row, isSaved: false), rows.id(row)) }
        }
    }

    private func value(_ derived: DerivedExpression, _ expression: RowExpression, _ row: Row) throws -> Value {
        do { return try fitted(try expression.value(row, rows), derived) } catch let error as QueryError {
            throw StoreError(
                .wrongValue, .save, "the value cannot be derived", entity: derived.entity.name, key: derived.attribute.name,
                underlying: error)
        }
    }

    private func fitted(_ value: Value, _ derived: DerivedExpression) throws(StoreError) -> Value {
        var value = value
        if case .date(let date) = value, derived.attribute.type == .double { value = .double(date.timeIntervalSinceReferenceDate) }
        guard let fitted = derived.attribute.type.coerce(value) else {
            throw StoreError(
                .wrongValue, .save, "the derived value \(value.excerpt) is no \(derived.attribute.type)", entity: derived.entity.name,
                key: derived.attribute.name)
        }
        return fitted
    }

    /// Sets a derived value of a row, which is written where the store's row has another one.
    ///
    /// A saved row may have a value that differs from the store's: a derived value that another save or a batch update
    /// changed is no conflict.
    private mutating func set(_ row: Row, _ derived: DerivedExpression, _ value: Value, _ id: RowID) throws {
        guard var change = rows[id] else { return }
        let new = try self.row(row, derived, value) ?? row
        change.new = new
        if let old = change.old, old.slot(derived.slot, derived.attribute.slotKind, equals: new) {
            change.slots.remove(derived.slot)
        } else if change.old != nil {
            change.slots.insert(derived.slot)
        }
        rows.note(change, id)
    }

    /// Returns a row with another value of a derived attribute; `nil` where it has that value.
    private mutating func row(_ row: Row, _ derived: DerivedExpression, _ value: Value) throws -> Row? {
        let kind = derived.attribute.slotKind
        if value.isNull && row.isNull(derived.slot) { return nil }
        if kind.isVariable && !row.isNull(derived.slot) {
            // Written anew, so that unused bytes are not kept.
            writer.begin(model.entities[row.entityIndex], with: row, version: row.version) { $0 != derived.slot }
        } else {
            writer.begin(copying: row)
        }
        if value.isNull { writer.clear(derived.slot) } else { writer.set(value, at: derived.slot, kind) }
        let new = writer.finish()
        return new.slot(derived.slot, kind, equals: row) ? nil : new
    }
}
