import StrataModel
import StrataStore
import StrataText

/// Checks the references of a change set in the store: that destinations exist, and that no row references deleted
/// ones.
///
/// Rows that the change set itself inserts are known to exist: only others are searched, each once.
struct ReferenceCheck {
    let participant: SaveParticipant
    let rules: ReferenceRules
    private var changes: ChangeSet { participant.changes }
    private var entry: StoreEntry { participant.entry }
    private var model: ManagedObjectModel { rules.model }

    /// Returns the deletions whose delete rules apply to links to objects that are not deleted: deleting a row removes
    /// its links.
    ///
    /// - Complexity: A round trip for each relationship concerned.
    func linked(_ transaction: any StoreTransaction) throws -> [StoreConflict] {
        let guarded = changes.deleted.filter { !rules.followedLinks[$0.entity].isEmpty }
        if guarded.isEmpty { return [] }
        let deleted = Set(changes.deleted.map { RowID($0.entity, $0.reference, model) })
        let unlinked = Set(
            changes.links.filter { $0.kind == .remove }.map { LinkID(table: $0.table, .first, from: $0.link.first, to: $0.link.second) })
        return try transaction.read { reader in
            try Dictionary(grouping: guarded, by: \.entity).sortedByKey().flatMap { entity, deletions in
                try rules.followedLinks[entity].flatMap { relationship -> [StoreConflict] in
                    guard case .links(let table, let side) = relationship.storage, let inverse = model.inverse(of: relationship) else {
                        return []
                    }
                    let root = model.destination(of: relationship).root
                    let destinations = try reader.destinations(of: relationship, owners: deletions.map(\.reference))
                    return zip(deletions, destinations).compactMap { deletion, others in
                        let remaining = others.filter { other in
                            !deleted.contains(RowID(root: root, reference: other.reference))
                                && !unlinked.contains(LinkID(table: table, side, from: deletion.reference, to: other.reference))
                        }
                        if remaining.isEmpty { return nil }
                        return StoreConflict(
                            entity: entity, reference: deletion.reference, reason: .referenced(inverse, by: remaining))
                    }
                }
            }
        }
    }

    /// Returns the references to missing rows.
    ///
    /// - Complexity: O(n) in the changes, and a round trip for each entity hierarchy and each relationship concerned.
    func conflicts(_ transaction: any StoreTransaction) throws -> [StoreConflict] {
        var wanted = WantedRows(changes, model)
        forEachReference { relationship, reference, _ in wanted.add(model.entities[relationship.destination].root, reference) }
        let deletions = changes.deleted.filter { !rules.referrers[$0.entity].isEmpty }
        if wanted.isEmpty && deletions.isEmpty { return [] }
        return try transaction.read { reader in
            let missing = try self.missing(wanted, reader)
            return missing + (try remaining(deletions, missing, reader))
        }
    }

    /// Calls `body` with each new reference: its relationship, the destination, and the source.
    @inline(__always)
    private func forEachReference(_ body: (RelationshipDescription, Int64, ObjectReference) -> Void) {
        for row in changes.inserted {
            for reference in model.referenceSlots[row.entityIndex] {
                guard let destination = row.integer(reference.slot) else { continue }
                body(reference.relationship, destination, ObjectReference(entity: row.entityIndex, reference: row.reference))
            }
        }
        for update in changes.updated {
            for reference in model.referenceSlots[update.row.entityIndex] where update.changedSlots.contains(reference.slot) {
                guard let destination = update.row.integer(reference.slot) else { continue }
                body(reference.relationship, destination, ObjectReference(entity: update.row.entityIndex, reference: update.row.reference))
            }
        }
        for change in changes.links where change.kind == .put {
            let table = model.linkTables[change.table]
            for side in [LinkSide.first, .second] {
                let end = table.end(side)
                guard let relationship = model.entities[end.entity].properties[end.property].relationship else { continue }
                let owner = ObjectReference(entity: end.entity, reference: change.link.reference(side))
                body(relationship, change.link.reference(side.opposite), owner)
            }
        }
    }

    private func missing(_ wanted: WantedRows, _ reader: any StoreReader) throws -> [StoreConflict] {
        var entities: [RowID: EntityIndex] = [:]
        /// The hierarchies in which a row may be missing, or of another entity than its relationship's.
        var doubtful: Set<EntityIndex> = []
        for (root, references) in wanted.byRoot {
            let isHeld = entry.mayHave(anyOf: model.entities[root].hierarchy)
            let found = isHeld ? try reader.existing(root: root, references: references) : []
            // With one entity only, every row that exists is of it.
            if found.count == references.count && model.entities[root].hierarchy.count == 1 { continue }
            doubtful.insert(root)
            for row in found { entities[RowID(root: root, reference: row.reference)] = row.entity }
        }
        if doubtful.isEmpty { return [] }
        var conflicts: [StoreConflict] = []
        forEachReference { relationship, reference, owner in
            let destination = model.entities[relationship.destination]
            guard doubtful.contains(destination.root), wanted.contains(destination.root, reference) else { return }
            let entity = entities[RowID(root: destination.root, reference: reference)]
            if let entity, destination.hierarchy.contains(entity) { return }
            conflicts.append(
                StoreConflict(
                    entity: owner.entity, reference: owner.reference,
                    reason: .missingDestination(
                        relationship, ObjectReference(entity: entity ?? destination.index, reference: reference))))
        }
        return conflicts
    }

    private func remaining(_ deletions: [RowDeletion], _ missing: [StoreConflict], _ reader: any StoreReader) throws -> [StoreConflict] {
        if deletions.isEmpty { return [] }
        // References of the changes themselves were reported already.
        let named = Set(missing.map { RowID($0.entity, $0.reference, model) })
        var conflicts: [StoreConflict] = []
        var seen: Set<ObjectIdentifier> = []
        let relationships = Set(deletions.map(\.entity)).sorted().flatMap { rules.referrers[$0] }
        for reference in relationships where seen.insert(ObjectIdentifier(reference.relationship)).inserted {
            let destination = model.destination(of: reference.relationship)
            let gone = deletions.filter { destination.hierarchy.contains($0.entity) }
            var by: [Int64: [ObjectReference]] = [:]
            for row in try rules.rows(referencing: gone.map(\.reference), through: reference.relationship, reader, of: entry) {
                guard let target = row.integer(reference.slot),
                    !named.contains(RowID(row.entityIndex, row.reference, model))
                else { continue }
                by[target, default: []].append(ObjectReference(entity: row.entityIndex, reference: row.reference))
            }
            for deletion in gone {
                guard let referrers = by[deletion.reference] else { continue }
                conflicts.append(
                    StoreConflict(
                        entity: deletion.entity, reference: deletion.reference, reason: .referenced(reference.relationship, by: referrers)))
            }
        }
        return conflicts
    }
}

/// The rows that must exist and that a change set does not insert itself, by the root of their hierarchy.
private struct WantedRows {
    private struct Hierarchy {
        /// The references of the inserted rows: mostly consecutive ones.
        var range: ClosedRange<Int64>?
        var count: Int64 = 0
        /// All of them, where they are not consecutive.
        var all: Set<Int64> = []
        var references: [Int64] = []
        var seen: Set<Int64> = []

        var hasGaps: Bool { range.map { $0.upperBound - $0.lowerBound + 1 != count } ?? false }

        func inserts(_ reference: Int64) -> Bool {
            guard let range, range.contains(reference) else { return false }
            return all.isEmpty || all.contains(reference)
        }
    }

    private let inserted: [Row]
    private let model: ManagedObjectModel
    /// Empty before the first reference: many small saves have none.
    private var hierarchies: [Hierarchy] = []
    private(set) var isEmpty = true

    init(_ changes: ChangeSet, _ model: ManagedObjectModel) { (inserted, self.model) = (changes.inserted, model) }

    private mutating func noteInserted() {
        hierarchies = Array(repeating: Hierarchy(), count: model.entities.count)
        for row in inserted {
            let root = model.entities[row.entityIndex].root
            let range = hierarchies[root].range ?? row.reference...row.reference
            hierarchies[root].range = min(range.lowerBound, row.reference)...max(range.upperBound, row.reference)
            hierarchies[root].count += 1
        }
        guard hierarchies.contains(where: \.hasGaps) else { return }
        for row in inserted {
            let root = model.entities[row.entityIndex].root
            if hierarchies[root].hasGaps { hierarchies[root].all.insert(row.reference) }
        }
    }

    mutating func add(_ root: EntityIndex, _ reference: Int64) {
        if hierarchies.isEmpty { noteInserted() }
        if hierarchies[root].inserts(reference) || hierarchies[root].references.last == reference { return }
        guard hierarchies[root].seen.insert(reference).inserted else { return }
        hierarchies[root].references.append(reference)
        isEmpty = false
    }

    func contains(_ root: EntityIndex, _ reference: Int64) -> Bool { !isEmpty && hierarchies[root].seen.contains(reference) }

    /// The roots of the hierarchies with wanted rows, and the references of these.
    var byRoot: [(root: EntityIndex, references: [Int64])] {
        hierarchies.typedIndices(EntityIndex.self).compactMap { root in
            hierarchies[root].references.isEmpty ? nil : (root, hierarchies[root].references)
        }
    }
}
