import StrataModel
import StrataQuery
import StrataStore

/// Follows the delete rules of rows of one store.
struct BatchDeleter {
    private struct Key: Hashable {
        let root: Int
        let reference: Int64
    }

    private let model: ManagedObjectModel
    private let reader: any StoreReader
    private let scopes: ObjectIDScopes
    private var deleted: [Key: Row] = [:]
    /// The rows that lose a destination, with the slots that are cleared.
    private var cleared: [Key: (row: Row, slots: Set<Int>)] = [:]

    /// Everything that changes where rows, each once, are deleted.
    static func changes(
        deleting rows: [Row], _ model: ManagedObjectModel, _ reader: any StoreReader, _ scopes: ObjectIDScopes
    ) throws -> ChangeSet {
        if !Set(rows.lazy.map(\.entityIndex)).contains(where: { reachesOthers($0..<($0 + 1), model) }) {
            var changes = ChangeSet()
            changes.deleted = rows.map { deletion(of: $0) }
            return changes
        }
        var deleter = BatchDeleter(model, reader, scopes)
        try deleter.delete(rows)
        return deleter.changes()
    }

    private init(_ model: ManagedObjectModel, _ reader: any StoreReader, _ scopes: ObjectIDScopes) {
        self.model = model
        self.reader = reader
        self.scopes = scopes
    }

    /// Whether delete rules lead from objects of some entities to changes of other rows, or to the deletion of more.
    static func reachesOthers(_ entities: Range<Int>, _ model: ManagedObjectModel) -> Bool {
        entities.contains { index in
            model.entities[index].properties.contains { property in property.relationship.map { isFollowed($0, model) } ?? false }
        }
    }

    private static func isFollowed(_ relationship: RelationshipDescription, _ model: ManagedObjectModel) -> Bool {
        if relationship.isTransient || relationship.deleteRule == .noAction { return false }
        if relationship.deleteRule == .cascade { return true }
        if case .toOne? = model.inverse(of: relationship)?.storage { return true }
        return false
    }

    private func key(_ row: Row) -> Key { Key(root: model.entities[row.entityIndex].root, reference: row.reference) }

    /// Deletes rows and what their rules reach.
    ///
    /// - Complexity: O(n) in the rows reached; one fetch for each relationship of each level of the cascade.
    private mutating func delete(_ rows: [Row]) throws {
        var wave = take(rows)
        while !wave.isEmpty {
            var next: [Row] = []
            for (index, owners) in Dictionary(grouping: wave, by: \.entityIndex).sorted(by: { $0.key < $1.key }) {
                for property in model.entities[index].properties {
                    guard let relationship = property.relationship, BatchDeleter.isFollowed(relationship, model) else { continue }
                    if relationship.deleteRule == .cascade {
                        next += take(try destinations(relationship, owners))
                    } else if case .toOne(let slot, let entity, let order)? = model.inverse(of: relationship)?.storage {
                        clear(try destinations(relationship, owners), [slot, entity, order].compactMap(\.self), owners)
                    }
                }
            }
            wave = next
        }
    }

    /// Takes note of rows to delete, and returns those that are new.
    private mutating func take(_ rows: [Row]) -> [Row] { rows.filter { deleted.updateValue($0, forKey: key($0)) == nil } }

    /// - Parameter slots: The slot of the destination's reference first.
    private mutating func clear(_ rows: [Row], _ slots: [Int], _ owners: [Row]) {
        let gone = Set(owners.map(\.reference))
        for row in rows {
            guard let reference = row.integer(slots[0]), gone.contains(reference) else { continue }
            cleared[key(row), default: (row, [])].slots.formUnion(slots)
        }
    }

    private func destinations(_ relationship: RelationshipDescription, _ owners: [Row]) throws -> [Row] {
        let destination = model.destination(of: relationship)
        switch relationship.storage {
        case .none: return []
        case .toOne(let slot, _, _):
            let references = Set(owners.compactMap { $0.integer(slot) }).sorted()
            return references.isEmpty ? [] : try reader.rows(root: destination.root, references: references)
        case .inverse(let property) where owners.count > 8:
            guard let inverse = destination.properties[property].relationship, !inverse.isHidden else { break }
            let owner = model.entities[relationship.declaringEntity]
            var rows: [Row] = []
            for start in stride(from: 0, to: owners.count, by: 1000) {
                let ids = owners[start..<min(start + 1000, owners.count)].map {
                    Value.objectID(ObjectID(scope: scopes[owner.index], reference: $0.reference))
                }
                var plan = FetchPlan(destination)
                plan.predicate = try QueryPredicate.comparison(
                    QueryComparison(.keyPath(inverse.name), .isIn, .constant(.list(ids)))
                ).resolved(for: destination, in: model)
                guard case .rows(let found, _) = try reader.answer(plan) else { continue }
                rows += found
            }
            return rows
        case .inverse, .links: break
        }
        return try owners.flatMap { try reader.destinations(of: relationship, root: destination.root, owner: $0) }
    }

    /// Everything that changes.
    private func changes() -> ChangeSet {
        var changes = ChangeSet()
        var writer = RowWriter()
        func precedes(_ a: Row, _ b: Row) -> Bool { (a.entityIndex, a.reference) < (b.entityIndex, b.reference) }
        changes.deleted = deleted.values.sorted(by: precedes).map { BatchDeleter.deletion(of: $0) }
        for (key, (row, slots)) in cleared.sorted(by: { precedes($0.value.row, $1.value.row) }) where deleted[key] == nil {
            let entity = model.entities[row.entityIndex]
            writer.begin(entity, reference: row.reference, version: row.version &+ 1)
            for (slot, description) in entity.layout.slots.enumerated() where !slots.contains(slot) {
                writer.copy(slot, description.kind, from: row)
            }
            changes.updated.append(RowUpdate(row: writer.finish(), changedSlots: slots.sorted()))
        }
        return changes
    }

    private static func deletion(of row: Row) -> RowDeletion {
        RowDeletion(entity: row.entityIndex, reference: row.reference, expectedVersion: row.version)
    }
}
