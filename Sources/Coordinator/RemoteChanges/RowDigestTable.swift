import StrataStore

/// The digest of a row that the listeners know.
struct RowDigest: Sendable {
    let entity: EntityIndex
    let version: UInt32
    let digests: [UInt32]
    /// The references of the objects whose to-many relationships the row is a member of, 0 for none; see
    /// ``TrackedSchema/owners(of:)``.
    let owners: [Int64]
    /// The values that are preserved after a deletion; `nil` where the entity preserves none.
    let tombstone: Row?
}

/// The digests of the rows of an entity hierarchy: 24 bytes for each row, 4 for each slot, and 8 for each to-many
/// relationship it can be a member of.
struct RowDigestTable: Sendable {
    private(set) var references: [Int64] = []
    private var entities: [UInt32] = []
    private var versions: [UInt32] = []
    private var ends: [UInt32] = []
    private var digests: [UInt32] = []
    private var ownerEnds: [UInt32] = []
    private var owners: [Int64] = []
    private var tombstones: [Int64: Row] = [:]

    var count: Int { references.count }

    mutating func reserve(_ count: Int, like other: RowDigestTable) {
        references.reserveCapacity(count)
        entities.reserveCapacity(count)
        versions.reserveCapacity(count)
        ends.reserveCapacity(count)
        digests.reserveCapacity(other.digests.count)
        ownerEnds.reserveCapacity(count)
        owners.reserveCapacity(other.owners.count)
    }

    func index(of reference: Int64) -> Int? {
        var (low, high) = (0, references.count)
        while low < high {
            let middle = (low + high) / 2
            if references[middle] < reference { low = middle + 1 } else { high = middle }
        }
        return low < references.count && references[low] == reference ? low : nil
    }

    func entity(at index: Int) -> EntityIndex { EntityIndex(entities[index]) }
    func version(at index: Int) -> UInt32 { versions[index] }

    func row(at index: Int) -> RowDigest {
        RowDigest(
            entity: entity(at: index), version: versions[index], digests: Array(digests[range(at: index)]), owners: owners(at: index),
            tombstone: tombstones[references[index]])
    }

    subscript(reference: Int64) -> RowDigest? { index(of: reference).map { row(at: $0) } }

    /// Returns the owners of a row, see ``RowDigest/owners``.
    func owners(at index: Int) -> [Int64] { Array(owners[(index == 0 ? 0 : Int(ownerEnds[index - 1]))..<Int(ownerEnds[index])]) }

    private func range(at index: Int) -> Range<Int> { (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) }

    /// Appends a row with a greater reference than all before.
    mutating func append(_ row: Row, _ schema: TrackedSchema) {
        let entity = schema.model.entities[row.entityIndex]
        entity.layout.addDigests(of: row, to: &digests)
        owners += schema.owners(of: row)
        finish(row.reference, row.entityIndex, row.version)
        if !entity.preservedAttributes.isEmpty { tombstones[row.reference] = RowDeletion(row, of: entity).tombstone }
    }

    mutating func append(from other: RowDigestTable, at index: Int) {
        digests += other.digests[other.range(at: index)]
        owners += other.owners(at: index)
        let reference = other.references[index]
        finish(reference, other.entity(at: index), other.versions[index])
        if let tombstone = other.tombstones[reference] { tombstones[reference] = tombstone }
    }

    /// Appends an unreadable row: only its existence is known.
    mutating func append(unreadable row: RowVersion, _ model: ManagedObjectModel) {
        digests += repeatElement(0, count: model.entities[row.entity].layout.slots.count)
        finish(row.reference, row.entity, row.version)
    }

    private mutating func finish(_ reference: Int64, _ entity: EntityIndex, _ version: UInt32) {
        references.append(reference)
        entities.append(UInt32(truncatingIfNeeded: entity.rawValue))
        versions.append(version)
        ends.append(UInt32(truncatingIfNeeded: digests.count))
        ownerEnds.append(UInt32(truncatingIfNeeded: owners.count))
    }
}

extension RowLayout {
    fileprivate func addDigests(of row: Row, to digests: inout [UInt32]) {
        for (slot, description) in indexedSlots {
            if row.isNull(slot) {
                // A value that cannot be read differs from nil.
                digests.append(description.kind.isVariable && row.isUnavailable(slot) ? 1 : 0)
            } else if description.kind.isVariable {
                digests.append(unsafe row.bytes(slot).map { unsafe CRC32C.checksum(of: $0) ^ 0x9E37_79B9 } ?? 0)
            } else {
                let word = (row.rawWord(slot) ^ 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
                digests.append(UInt32(truncatingIfNeeded: word >> 32) ^ UInt32(truncatingIfNeeded: word))
            }
        }
    }
}

extension RowDigest {
    /// The digest of an unreadable row: only its existence is known.
    init(unreadable entity: EntityIndex, _ model: ManagedObjectModel) {
        let digests = [UInt32](repeating: 0, count: model.entities[entity].layout.slots.count)
        self.init(entity: entity, version: 0, digests: digests, owners: [], tombstone: nil)
    }

    init(_ row: Row, _ schema: TrackedSchema) {
        let entity = schema.model.entities[row.entityIndex]
        var digests: [UInt32] = []
        digests.reserveCapacity(entity.layout.slots.count)
        entity.layout.addDigests(of: row, to: &digests)
        self.init(
            entity: row.entityIndex, version: row.version, digests: digests, owners: schema.owners(of: row),
            tombstone: RowDeletion(row, of: entity).tombstone)
    }

    /// Returns the slots whose contents differ; `nil` for rows of different entities.
    func differences(from other: RowDigest) -> [Slot]? {
        guard entity == other.entity, digests.count == other.digests.count else { return nil }
        return zip(digests, other.digests).enumerated().compactMap { $1.0 == $1.1 ? nil : Slot(rawValue: $0) }
    }
}
