import StrataStore

/// The application of delete rules to rows of one store.
struct BatchDeleter {
    let rules: ReferenceRules
    private var model: ManagedObjectModel { rules.model }
    let reader: any StoreReader
    let entry: StoreEntry
    private(set) var deleted: [RowID: Row] = [:]
    /// The rows that lose a destination, with the slots to clear.
    private(set) var cleared: [RowID: (row: Row, slots: Set<Slot>)] = [:]

    static func changes(
        deleting rows: [Row], _ rules: ReferenceRules, _ reader: any StoreReader, _ entry: StoreEntry
    ) throws -> ChangeSet {
        if !Set(rows.lazy.map(\.entityIndex)).contains(where: { reachesOthers($0, rules) }) {
            return ChangeSet(deleted: rows.map { RowDeletion($0, of: rules.model.entities[$0.entityIndex]) })
        }
        var deleter = BatchDeleter(rules: rules, reader: reader, entry: entry)
        try deleter.delete(rows)
        return deleter.changes()
    }

    /// Returns whether deleting objects of an entity may change or delete other rows.
    static func reachesOthers(_ entity: EntityIndex, _ rules: ReferenceRules) -> Bool {
        !rules.referrers[entity].isEmpty || rules.model.entities[entity].properties.contains { $0.relationship.map(isCascade) ?? false }
    }

    /// Returns whether deleting objects of some entities needs their rows, for other rows or for tombstones.
    static func needsRows(_ entities: Range<EntityIndex>, _ rules: ReferenceRules) -> Bool {
        entities.contains { reachesOthers($0, rules) || !rules.model.entities[$0].preservedAttributes.isEmpty }
    }

    private static func isCascade(_ relationship: RelationshipDescription) -> Bool {
        !relationship.isTransient && relationship.deleteRule == .cascade
    }

    private func id(_ row: Row) -> RowID { RowID(row.entityIndex, row.reference, model) }

    /// Deletes rows and applies their rules.
    ///
    /// - Complexity: O(n) in the rows reached; one fetch for each relationship of each level of the cascade.
    private mutating func delete(_ rows: [Row]) throws {
        var wave = take(rows)
        while !wave.isEmpty {
            var next: [Row] = []
            for (index, owners) in Dictionary(grouping: wave, by: \.entityIndex).sortedByKey() {
                for case .relationship(let relationship) in model.entities[index].properties where BatchDeleter.isCascade(relationship) {
                    next += take(try model.checked(try destinations(relationship, owners), .fetch))
                }
                // Whatever the rule: a dangling reference would be worse.
                for reference in rules.referrers[index] where !isFollowed(to: reference) { try clear(reference, owners) }
            }
            wave = next
        }
    }

    private mutating func take(_ rows: [Row]) -> [Row] { rows.filter { deleted.updateValue($0, forKey: id($0)) == nil } }

    /// Returns whether all rows with a reference are deleted with its destination.
    private func isFollowed(to reference: ReferenceSlot) -> Bool {
        reference.inverse.map { $0.isToMany && BatchDeleter.isCascade($0) } ?? false
    }

    /// Records the rows whose destinations are deleted.
    private mutating func clear(_ reference: ReferenceSlot, _ owners: [Row]) throws {
        guard case .toOne(let slot, let entity, let order) = reference.relationship.storage else { return }
        for row in try rules.rows(referencing: owners.map(\.reference), through: reference.relationship, reader, of: entry) {
            cleared[id(row), default: (row, [])].slots.formUnion([slot, entity, order].compactMap(\.self))
        }
    }

    private func destinations(_ relationship: RelationshipDescription, _ owners: [Row]) throws -> [Row] {
        let destination = model.destination(of: relationship)
        switch relationship.storage {
        case .none: return []
        case .toOne(let slot, _, _):
            let references = Set(owners.compactMap { $0.integer(slot) }).sorted()
            return references.isEmpty ? [] : try reader.rows(root: destination.root, references: references)
        case .inverse(let property):
            guard let inverse = destination.properties[property].relationship, case .toOne = inverse.storage else { return [] }
            return try rules.rows(referencing: owners.map(\.reference), through: inverse, reader, of: entry)
        case .links:
            return try reader.destinationsWithRows(of: relationship, root: destination.root, owners: owners.map(\.reference)).rows
        }
    }

    private func changes() -> ChangeSet {
        var changes = ChangeSet()
        var writer = RowWriter()
        changes.deleted = deleted.values.sorted(by: Row.precede).map { RowDeletion($0, of: model.entities[$0.entityIndex]) }
        for (id, (row, slots)) in cleared.sorted(by: { Row.precede($0.value.row, $1.value.row) }) where deleted[id] == nil {
            let entity = model.entities[row.entityIndex]
            writer.begin(entity, with: row, version: row.version &+ 1) { !slots.contains($0) }
            changes.updated.append(RowUpdate(row: writer.finish(), changedSlots: slots.sorted()))
        }
        return changes
    }
}
