import StrataStore

/// Finds the objects whose derived values a change may affect.
///
/// It may find more, but never less: it follows references both in the store and after the change.
struct DerivationSearch {
    let rows: ChangedRows
    let rules: ReferenceRules
    let entry: StoreEntry
    private var model: ManagedObjectModel { rules.model }

    /// Returns the objects that reference changed ones, through the relationships of a source.
    func owners(_ source: DerivedExpression.Source, of entity: EntityDescription) throws -> Set<RowID> {
        guard let end = source.steps.last?.destination else { return [] }
        var reached = Set(rows.changed(end).filter { isConcerned($0.change, source.slot) }.map(\.id))
        for index in source.steps.indices.reversed() {
            let step = source.steps[index]
            let owner = index == 0 ? entity : source.steps[index - 1].destination
            var owners = try ends(reached, step, owner)
            owners.formUnion(changed(step, owner))
            if index > 0 { owners.formUnion(rows.changed(owner).filter { $0.change.new == nil }.map(\.id)) }
            reached = owners
        }
        return reached
    }

    private func isConcerned(_ change: ChangedRows.Change, _ slot: Slot?) -> Bool {
        change.new == nil || slot.map(change.slots.contains) == true
    }

    private func changed(_ step: ResolvedCollection.Step, _ owner: EntityDescription) -> [RowID] {
        switch step.relationship.storage {
        case .toOne(let slot, _, _):
            return rows.changed(owner).filter { $0.change.slots.contains(slot) }.map(\.id)
        case .inverse(let property):
            guard let slot = inverseSlot(step, property) else { return [] }
            return rows.changed(step.destination).flatMap { _, change -> [RowID] in
                guard change.old == nil || change.new == nil || change.slots.contains(slot) else { return [] }
                return ends(change, slot, owner)
            }
        case .links(let table, let side):
            return rows.links.filter { $0.table == table }.map { RowID(root: owner.root, reference: $0.link.reference(side)) }
        case .none: return []
        }
    }

    private func ends(_ reached: Set<RowID>, _ step: ResolvedCollection.Step, _ owner: EntityDescription) throws -> Set<RowID> {
        if reached.isEmpty { return [] }
        let references = reached.map(\.reference).sorted()
        switch step.relationship.storage {
        case .toOne(let slot, _, _):
            let stored = try rules.rows(referencing: references, through: step.relationship, rows.reader, of: entry)
            let known = Set(references)
            let changed = rows.changed(owner).filter { $0.change.new?.integer(slot).map(known.contains) == true }
            return Set(stored.map(rows.id)).union(changed.map(\.id))
        case .inverse(let property):
            guard let slot = inverseSlot(step, property) else { return [] }
            var found = Set(reached.compactMap { rows[$0] }.flatMap { ends($0, slot, owner) })
            let others = references.filter { rows[RowID(root: step.destination.root, reference: $0)] == nil }
            for row in try rows.reader.rows(root: step.destination.root, references: others) {
                if let reference = row.integer(slot) { found.insert(RowID(root: owner.root, reference: reference)) }
            }
            return found
        case .links(let table, let side):
            let known = Set(references)
            let changed = rows.links.filter { $0.table == table && known.contains($0.link.reference(side.opposite)) }
            var found = Set(changed.map { RowID(root: owner.root, reference: $0.link.reference(side)) })
            guard let inverse = model.inverse(of: step.relationship) else { return found }
            for id in reached where rows[id].map({ $0.old != nil }) ?? true {
                for owner in try rows.reader.destinations(of: inverse, owner: id.reference) {
                    found.insert(RowID(owner.entity, owner.reference, model))
                }
            }
            return found
        case .none: return []
        }
    }

    /// Returns the destinations of a row before and after its change.
    private func ends(_ change: ChangedRows.Change, _ slot: Slot, _ owner: EntityDescription) -> [RowID] {
        [change.old, change.new].compactMap { $0?.integer(slot) }.map { RowID(root: owner.root, reference: $0) }
    }

    private func inverseSlot(_ step: ResolvedCollection.Step, _ property: Int) -> Slot? {
        guard case .toOne(let slot, _, _)? = step.destination.properties[property].relationship?.storage else { return nil }
        return slot
    }
}
