import StrataStore

/// The rows of a store with changes that are not applied yet.
///
/// Used by one thread, within one read of the store.
final class ChangedRows: RowResolver {
    struct Change {
        /// The row in the store; `nil` of a new one.
        var old: Row?
        /// The new row; `nil` of a deleted one.
        var new: Row?
        var slots: Set<Slot> = []
        /// Whether the object itself is saved, not only values derived of others.
        var isSaved = true
    }

    let model: ManagedObjectModel
    let reader: any StoreReader
    private let entry: StoreEntry
    private(set) var changes: [RowID: Change] = [:]
    let links: [LinkChange]
    /// The changed rows among the current destinations, of relationships that were searched.
    private var members: [RelationshipID: [RowID]] = [:]
    private var askedFor: Set<RelationshipID> = []

    init(_ links: [LinkChange], _ model: ManagedObjectModel, _ reader: any StoreReader, of entry: StoreEntry) {
        self.entry = entry
        self.links = links
        self.model = model
        self.reader = reader
    }

    var storeID: StoreID? { reader.storeID }

    func id(_ row: Row) -> RowID { RowID(row.entityIndex, row.reference, model) }

    subscript(id: RowID) -> Change? { changes[id] }

    /// Records the change of a row; a row that was recorded before has the same destinations.
    func note(_ change: Change, _ id: RowID) {
        if changes.updateValue(change, forKey: id) != nil { return }
        members = [:]
        askedFor = []
    }

    /// Returns the changed rows of an entity and its sub-entities, in no order.
    func changed(_ entity: EntityDescription) -> [(id: RowID, change: Change)] {
        changes.compactMap { id, change in
            entity.hierarchy.contains((change.new ?? change.old)?.entityIndex ?? -1) ? (id, change) : nil
        }
    }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        if let change = changes[RowID(root: root, reference: reference)] { return change.new }
        return holds(root) ? try reader.row(root: root, reference: reference) : nil
    }

    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        // A store whose configuration lacks the destinations has no table of them.
        var isThere = holds(root)
        if let change = changes[id(owner)] { isThere = isThere && change.old != nil }
        let stored = isThere ? try reader.destinations(of: relationship, root: root, owner: owner) : []
        switch relationship.storage {
        case .inverse(let property):
            guard case .toOne(let slot, _, let order)? = model.destination(of: relationship).properties[property].relationship?.storage
            else { return stored }
            let kept = stored.filter { changes[id($0)] == nil }
            let joined = changedMembers(of: relationship, slot, owner.reference).compactMap { changes[$0]?.new }
            return sorted(kept + joined, by: order)
        case .links(let table, let side):
            return try linked(stored, table, side, root, owner.reference)
        case .toOne, .none: return stored
        }
    }

    private func holds(_ root: EntityIndex) -> Bool { entry.mayHave(anyOf: model.entities[root].hierarchy) }

    private func changedMembers(of relationship: RelationshipDescription, _ slot: Slot, _ owner: Int64) -> [RowID] {
        func key(_ owner: Int64) -> RelationshipID {
            RelationshipID(entity: relationship.declaringEntity, reference: owner, property: relationship.index)
        }
        // 0 is no object's reference: it marks the relationship as searched.
        if askedFor.insert(key(0)).inserted {
            for (id, change) in changed(model.destination(of: relationship)) {
                if let owner = change.new?.integer(slot) { members[key(owner), default: []].append(id) }
            }
        }
        return members[key(owner)] ?? []
    }

    private func sorted(_ rows: [Row], by order: Slot?) -> [Row] {
        rows.sorted { a, b in
            if let order, let first = a.order(order), let second = b.order(order), first != second { return first < second }
            return a.reference < b.reference
        }
    }

    private func linked(_ stored: [Row], _ table: Int, _ side: LinkSide, _ root: EntityIndex, _ owner: Int64) throws -> [Row] {
        var rows = stored.compactMap { row -> Row? in
            if let change = changes[id(row)] { return change.new }
            return row
        }
        for change in links where change.table == table && change.link.reference(side) == owner {
            let other = change.link.reference(side.opposite)
            let index = rows.firstIndex { $0.reference == other }
            switch change.kind {
            case .remove: if let index { rows.remove(at: index) }
            case .put: if index == nil, let row = try row(root: root, reference: other) { rows.append(row) }
            case .order: break
            }
        }
        return rows
    }
}
