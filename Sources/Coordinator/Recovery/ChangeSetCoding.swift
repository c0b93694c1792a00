import StrataStore

/// Lengths, counts and all small numbers take eight bytes.
typealias ByteReader = StrataFiles.ByteReader<UInt64>
typealias ByteWriter = StrataFiles.ByteWriter<UInt64>

/// The coding of a change set as bytes, for recovering an interrupted two-phase commit.
///
/// Rows are written as they are; the model's digest comes first, as rows depend on the model. Tombstones, where
/// deletions have them, come last.
enum ChangeSetCoding {
    static func encode(_ changes: ChangeSet, model: ManagedObjectModel) throws -> [UInt8] {
        var out = ByteWriter()
        out.put(raw: digest(of: model))
        out.put(rows: changes.inserted)
        out.put(rows: changes.updated.map(\.row))
        for update in changes.updated {
            out.put(count: update.changedSlots.count)
            for slot in update.changedSlots { out.put(UInt64(slot.rawValue)) }
        }
        out.put(count: changes.deleted.count)
        for deletion in changes.deleted {
            out.put(UInt64(deletion.entity.rawValue))
            out.put(deletion.reference)
            out.put(UInt64(deletion.expectedVersion))
        }
        out.put(count: changes.links.count)
        for change in changes.links {
            out.put(UInt64(change.table))
            out.put(UInt64(change.kind.rawValue))
            out.put(change.link.first)
            out.put(change.link.second)
            out.put(optional: change.link.orderInFirst?.rawValue)
            out.put(optional: change.link.orderInSecond?.rawValue)
        }
        // Only where there are any: the bytes of a model without preserved attributes are the same with and without
        // them.
        let tombstones = changes.deleted.compactMap(\.tombstone)
        if !tombstones.isEmpty { out.put(rows: tombstones) }
        return out.bytes
    }

    /// - Throws: `MalformedBytes` where the bytes are no change set of the model.
    static func decode(_ bytes: UnsafeRawBufferPointer, model: ManagedObjectModel) throws(MalformedBytes) -> ChangeSet {
        var reader = unsafe ByteReader(bytes)
        let digest = try unsafe Array(reader.take(32))
        // An earlier version of Strata may have prepared the save.
        guard digest == self.digest(of: model) || digest == earlierDigest(of: model) else { throw MalformedBytes() }
        var changes = ChangeSet()
        changes.inserted = try reader.rows(model)
        for row in try reader.rows(model) {
            var slots: [Slot] = []
            for _ in 0..<(try reader.count(ofSize: 8)) {
                let slot = Slot(try reader.index())
                guard model.entities[row.entityIndex].layout.slots.typedIndices().contains(slot) else { throw MalformedBytes() }
                slots.append(slot)
            }
            changes.updated.append(RowUpdate(row: row, changedSlots: slots))
        }
        for _ in 0..<(try reader.count(ofSize: 24)) {
            let entity = EntityIndex(try reader.index())
            let reference: Int64 = try reader.number()
            let version: UInt64 = try reader.number()
            guard model.entities.typedIndices().contains(entity) else { throw MalformedBytes() }
            changes.deleted.append(
                RowDeletion(entity: entity, reference: reference, expectedVersion: UInt32(truncatingIfNeeded: version))
            )
        }
        for _ in 0..<(try reader.count(ofSize: 48)) {
            let (table, kind) = (try reader.index(), try reader.number(UInt64.self))
            guard table < model.linkTables.count, let kind = LinkChange.Kind(rawValue: UInt8(truncatingIfNeeded: kind)) else {
                throw MalformedBytes()
            }
            let (first, second) = (try reader.number(Int64.self), try reader.number(Int64.self))
            let orders = (try reader.optional().map(OrderKey.init(rawValue:)), try reader.optional().map(OrderKey.init(rawValue:)))
            let link = Link(first: first, second: second, orderInFirst: orders.0, orderInSecond: orders.1)
            changes.links.append(LinkChange(table: table, kind: kind, link: link))
        }
        if !reader.isAtEnd { try bury(&changes, under: try reader.rows(model), model) }
        guard reader.isAtEnd else { throw MalformedBytes() }
        return changes
    }

    private static func bury(_ changes: inout ChangeSet, under tombstones: [Row], _ model: ManagedObjectModel) throws(MalformedBytes) {
        let byID = Dictionary(tombstones.map { (RowID($0.entityIndex, $0.reference, model), $0) }) { first, _ in first }
        for (index, deletion) in changes.deleted.enumerated() {
            guard let tombstone = byID[RowID(deletion.entity, deletion.reference, model)] else { continue }
            guard tombstone.entityIndex == deletion.entity else { throw MalformedBytes() }
            changes.deleted[index] = RowDeletion(
                entity: deletion.entity, reference: deletion.reference, expectedVersion: deletion.expectedVersion, tombstone: tombstone)
        }
    }

    private static func digest(of model: ManagedObjectModel) -> [UInt8] {
        let layout = model.layoutHashes(of: model.entities.typedIndices())
        return digest(of: model) { $0.versionHash + (layout[$0.name] ?? []) }
    }

    private static func earlierDigest(of model: ManagedObjectModel) -> [UInt8] {
        let hashes = model.declarationHashesByName
        return digest(of: model) { hashes[$0.name] ?? [] }
    }

    private static func digest(of model: ManagedObjectModel, _ hash: (EntityDescription) -> [UInt8]) -> [UInt8] {
        SHA2.digest256(model.entities.flatMap { Array($0.name.utf8) + hash($0) })
    }
}

extension ByteWriter {
    fileprivate mutating func put(rows: [Row]) {
        put(count: rows.count)
        for row in rows { unsafe put(content: row.bytes) }
    }
}

extension ByteReader {
    fileprivate mutating func rows(_ model: ManagedObjectModel) throws(MalformedBytes) -> [Row] {
        var writer = RowWriter()
        var rows: [Row] = []
        for _ in 0..<(try count(ofSize: RowLayout.headerSize)) {
            guard let row = unsafe writer.copy(bytes: try content(), model: model) else { throw MalformedBytes() }
            rows.append(row)
        }
        return rows
    }
}
