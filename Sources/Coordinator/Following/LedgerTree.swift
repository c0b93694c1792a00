import StrataFiles
import StrataModel
import StrataStore

/// What is known of one row, once it was told.
struct LedgerRow: Sendable {
    let entity: EntityIndex
    let version: UInt32
    /// A digest of the content of each slot.
    let digests: [UInt32]
    /// The references of the objects whose to-many relationships the row is a member of, 0 for none; see ``FollowedShape/memberships``.
    let owners: [Int64]
    /// What the row leaves where it goes; `nil` where its entity preserves nothing.
    let tombstone: Row?

    /// What is known of a row.
    init(_ row: Row, _ shape: FollowedShape) {
        let entity = shape.model.entities[row.entityIndex]
        var digests: [UInt32] = []
        digests.reserveCapacity(entity.layout.slots.count)
        entity.layout.addDigests(of: row, to: &digests)
        self.init(
            entity: row.entityIndex, version: row.version, digests: digests, owners: shape.owners(of: row),
            tombstone: RowDeletion(row, of: entity).tombstone)
    }

    init(entity: EntityIndex, version: UInt32, digests: [UInt32], owners: [Int64], tombstone: Row?) {
        self.entity = entity
        self.version = version
        self.digests = digests
        self.owners = owners
        self.tombstone = tombstone
    }
}

/// What is known of the rows of one entity's tree: for each 24 bytes, 4 for each slot, and 8 for each to-many relationship it can be a member of.
struct LedgerTree: Sendable {
    /// Ascending.
    private(set) var references: [Int64] = []
    private var entities: [UInt32] = []
    private var versions: [UInt32] = []
    /// Where the digests of each row end.
    private var ends: [UInt32] = []
    private var digests: [UInt32] = []
    /// Where the owners of each row end.
    private var ownerEnds: [UInt32] = []
    private var owners: [Int64] = []
    private var tombstones: [Int64: Row] = [:]

    var count: Int { references.count }

    mutating func reserve(_ count: Int, like other: LedgerTree) {
        references.reserveCapacity(count)
        entities.reserveCapacity(count)
        versions.reserveCapacity(count)
        ends.reserveCapacity(count)
        digests.reserveCapacity(other.digests.count)
        ownerEnds.reserveCapacity(count)
        owners.reserveCapacity(other.owners.count)
    }

    /// The place of a row; `nil` where there is none.
    func place(of reference: Int64) -> Int? {
        var (low, high) = (0, references.count)
        while low < high {
            let middle = (low + high) / 2
            if references[middle] < reference { low = middle + 1 } else { high = middle }
        }
        return low < references.count && references[low] == reference ? low : nil
    }

    func entity(at place: Int) -> EntityIndex { EntityIndex(entities[place]) }
    func version(at place: Int) -> UInt32 { versions[place] }

    func row(at place: Int) -> LedgerRow {
        LedgerRow(
            entity: entity(at: place), version: versions[place], digests: Array(digests[range(at: place)]), owners: owners(at: place),
            tombstone: tombstones[references[place]])
    }

    subscript(reference: Int64) -> LedgerRow? { place(of: reference).map { row(at: $0) } }

    /// The owners of a row, see ``LedgerRow/owners``.
    func owners(at place: Int) -> [Int64] { Array(owners[(place == 0 ? 0 : Int(ownerEnds[place - 1]))..<Int(ownerEnds[place])]) }

    private func range(at place: Int) -> Range<Int> { (place == 0 ? 0 : Int(ends[place - 1]))..<Int(ends[place]) }

    // MARK: - Making one

    /// Adds a row with a greater reference than all before.
    mutating func append(_ row: Row, _ shape: FollowedShape) {
        let entity = shape.model.entities[row.entityIndex]
        entity.layout.addDigests(of: row, to: &digests)
        owners += shape.owners(of: row)
        note(row.reference, row.entityIndex, row.version)
        if !entity.preservedAttributes.isEmpty { tombstones[row.reference] = RowDeletion(row, of: entity).tombstone }
    }

    /// Adds a row as it is in another tree.
    mutating func append(from other: LedgerTree, at place: Int) {
        digests += other.digests[other.range(at: place)]
        owners += other.owners(at: place)
        let reference = other.references[place]
        note(reference, other.entity(at: place), other.versions[place])
        if let tombstone = other.tombstones[reference] { tombstones[reference] = tombstone }
    }

    /// Adds a row that cannot be read: nothing is known but that it is there.
    mutating func append(unreadable row: RowVersion, _ model: ManagedObjectModel) {
        digests += repeatElement(0, count: model.entities[row.entity].layout.slots.count)
        note(row.reference, row.entity, row.version)
    }

    private mutating func note(_ reference: Int64, _ entity: EntityIndex, _ version: UInt32) {
        references.append(reference)
        entities.append(UInt32(truncatingIfNeeded: entity.rawValue))
        versions.append(version)
        ends.append(UInt32(truncatingIfNeeded: digests.count))
        ownerEnds.append(UInt32(truncatingIfNeeded: owners.count))
    }
}

extension RowLayout {
    /// Adds a digest of the content of each slot of a row.
    fileprivate func addDigests(of row: Row, to digests: inout [UInt32]) {
        for (slot, description) in placedSlots {
            if row.isNull(slot) {
                // A value that cannot be read is not the same as none.
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

extension LedgerRow {
    /// A row of which nothing is known but that it is there.
    static func unread(_ entity: EntityIndex) -> LedgerRow {
        LedgerRow(entity: entity, version: 0, digests: [], owners: [], tombstone: nil)
    }

    /// The slots whose contents differ; `nil` for rows of different entities.
    func differences(from other: LedgerRow) -> [Slot]? {
        guard entity == other.entity, digests.count == other.digests.count else { return nil }
        return zip(digests, other.digests).enumerated().compactMap { $1.0 == $1.1 ? nil : Slot(rawValue: $0) }
    }
}
