import StrataModel

/// The rows that the core traverses to test what the server did not: after a condition reads the destination of one, those of the next rows
/// are read in the same round trip.
struct ReadAhead {
    /// The maximum number of rows read at once.
    static let mostRows = 1_000

    private struct Candidates {
        var rows: [Row] = []
        /// The index of each, by its reference.
        var indexes: [Int64: Int] = [:]
    }

    /// The rows of a hierarchy that reference those of another one: the index of the first for each.
    private struct ReferencingRows {
        var count = 0
        var indexes: [Int64: Int] = [:]
    }

    private let model: ManagedObjectModel
    /// The rows noted since the last read.
    private var noted: [[Row]] = []
    /// By the root of the hierarchy.
    private var candidates: [EntityIndex: Candidates] = [:]
    /// What was read already: an entry that the reader has evicted is read alone.
    private var readOwners: [ObjectIdentifier: Set<Int64>] = [:]
    private var readReferences: [EntityIndex: Set<Int64>] = [:]
    /// The slots of an entity's to-one references to a hierarchy.
    private var slots: [Pair: [Slot]] = [:]
    /// By the roots of both hierarchies.
    private var referencing: [Pair: ReferencingRows] = [:]

    private struct Pair: Hashable {
        let entity: EntityIndex
        let root: EntityIndex
    }

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Notes the rows that the core is about to traverse, in place of earlier ones.
    mutating func begin(_ rows: [Row]) {
        self = ReadAhead(model)
        note(rows)
    }

    /// Notes rows that the traversal reached.
    mutating func note(_ rows: [Row]) {
        if !rows.isEmpty { noted.append(rows) }
    }

    private mutating func takeNoted() {
        for row in noted.joined() {
            let root = model.entities[row.entityIndex].root
            let index = candidates[root]?.rows.count ?? 0
            if candidates[root, default: Candidates()].indexes.setIfAbsent(row.reference, index) { candidates[root]?.rows.append(row) }
        }
        noted = []
    }

    /// Returns the owners whose destinations are read together with those of one.
    mutating func owners(with owner: Row, of relationship: RelationshipDescription) -> [Int64] {
        takeNoted()
        let key = ObjectIdentifier(relationship)
        guard readOwners[key, default: []].insert(owner.reference).inserted,
            let candidates = candidates[model.entities[owner.entityIndex].root], let index = candidates.indexes[owner.reference]
        else { return [owner.reference] }
        var owners = [owner.reference]
        for rows in [candidates.rows[index...], candidates.rows[..<index]] {
            for row in rows where owners.count < ReadAhead.mostRows {
                if readOwners[key, default: []].insert(row.reference).inserted { owners.append(row.reference) }
            }
        }
        return owners
    }

    /// Returns the references that are looked up together with one.
    mutating func references(with reference: Int64, root: EntityIndex) -> [Int64] {
        takeNoted()
        var references = [reference]
        if candidates.isEmpty || !readReferences[root, default: []].insert(reference).inserted { return references }
        for (hierarchy, candidates) in candidates {
            guard let index = index(in: candidates.rows, of: hierarchy, referencing: reference, root) else { continue }
            let asking = candidates.rows[index]
            let relationships = slots(of: asking.entityIndex, to: root).filter { asking.integer($0) == reference }
            for row in candidates.rows[index...].prefix(10 * ReadAhead.mostRows) where references.count < ReadAhead.mostRows {
                for slot in slots(of: row.entityIndex, to: root) where relationships.contains(slot) {
                    guard let next = row.integer(slot) else { continue }
                    if readReferences[root, default: []].insert(next).inserted { references.append(next) }
                }
            }
        }
        return references
    }

    /// Returns the index of the first of some rows that references an object; O(n) once, O(1) afterwards.
    private mutating func index(in rows: [Row], of hierarchy: EntityIndex, referencing reference: Int64, _ root: EntityIndex) -> Int? {
        let pair = Pair(entity: hierarchy, root: root)
        var known = referencing.removeValue(forKey: pair) ?? ReferencingRows()
        for index in known.count..<rows.count {
            for slot in slots(of: rows[index].entityIndex, to: root) {
                if let next = rows[index].integer(slot) { _ = known.indexes.setIfAbsent(next, index) }
            }
        }
        known.count = rows.count
        defer { referencing[pair] = known }
        return known.indexes[reference]
    }

    private mutating func slots(of entity: EntityIndex, to root: EntityIndex) -> [Slot] {
        let pair = Pair(entity: entity, root: root)
        if let known = slots[pair] { return known }
        let found = model.entities[entity].properties.compactMap { property -> Slot? in
            guard let relationship = property.relationship, case .toOne(let slot, _, _) = relationship.storage else { return nil }
            return model.destination(of: relationship).root == root ? slot : nil
        }
        slots[pair] = found
        return found
    }
}

extension Dictionary {
    /// - Returns: Whether there was no value.
    fileprivate mutating func setIfAbsent(_ key: Key, _ value: Value) -> Bool {
        if self[key] != nil { return false }
        self[key] = value
        return true
    }
}
