import FoundationEssentials
import StrataModel
import StrataStore

/// Writes a change set as bytes and reads it back, for the files that finish an interrupted save over several stores.
///
/// Rows are written as they are; the model's digest goes first, for rows mean nothing under another model.
enum ChangeSetCoding {
    static func encode(_ changes: ChangeSet, model: ManagedObjectModel) throws -> [UInt8] {
        var out = ByteWriter()
        out.write(digest(of: model))
        out.write(rows: changes.inserted)
        out.write(rows: changes.updated.map(\.row))
        for update in changes.updated {
            out.write(UInt64(update.changedSlots.count))
            for slot in update.changedSlots { out.write(UInt64(slot)) }
        }
        out.write(UInt64(changes.deleted.count))
        for deletion in changes.deleted {
            out.write(UInt64(deletion.entity))
            out.write(UInt64(bitPattern: deletion.reference))
            out.write(UInt64(deletion.expectedVersion))
        }
        out.write(UInt64(changes.links.count))
        for change in changes.links {
            out.write(UInt64(change.table))
            out.write(UInt64(change.kind.rawValue))
            out.write(UInt64(bitPattern: change.link.first))
            out.write(UInt64(bitPattern: change.link.second))
            out.write(optional: change.link.orderInFirst)
            out.write(optional: change.link.orderInSecond)
        }
        return out.bytes
    }

    /// - Returns: `nil` where the bytes are no change set of the model.
    static func decode(_ bytes: ArraySlice<UInt8>, model: ManagedObjectModel) -> ChangeSet? {
        var reader = ByteReader(bytes)
        guard reader.bytes(32).map(Array.init) == digest(of: model) else { return nil }
        var changes = ChangeSet()
        guard let inserted = reader.rows(model), let updated = reader.rows(model) else { return nil }
        changes.inserted = inserted
        for row in updated {
            guard let count = reader.count() else { return nil }
            var slots: [Int] = []
            for _ in 0..<count {
                guard let slot = reader.count(), slot < model.entities[row.entityIndex].layout.slots.count else { return nil }
                slots.append(slot)
            }
            changes.updated.append(RowUpdate(row: row, changedSlots: slots))
        }
        guard let deletions = reader.count() else { return nil }
        for _ in 0..<deletions {
            guard let entity = reader.count(), entity < model.entities.count, let reference = reader.integer(),
                let version = reader.integer()
            else { return nil }
            changes.deleted.append(
                RowDeletion(entity: entity, reference: reference, expectedVersion: UInt32(truncatingIfNeeded: version))
            )
        }
        guard let links = reader.count() else { return nil }
        for _ in 0..<links {
            guard let table = reader.count(), table < model.linkTables.count, let raw = reader.integer(),
                let kind = LinkChange.Kind(rawValue: UInt8(truncatingIfNeeded: raw)), let first = reader.integer(),
                let second = reader.integer(), let orderInFirst = reader.optional(), let orderInSecond = reader.optional()
            else { return nil }
            let link = Link(first: first, second: second, orderInFirst: orderInFirst, orderInSecond: orderInSecond)
            changes.links.append(LinkChange(table: table, kind: kind, link: link))
        }
        return reader.isAtEnd ? changes : nil
    }

    private static func digest(of model: ManagedObjectModel) -> [UInt8] {
        SHA2.digest256(model.entities.flatMap { Array($0.name.utf8) + $0.versionHash })
    }
}

/// Appends numbers and bytes, all little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
    mutating func write(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

    mutating func write(optional number: Int64?) {
        write(number == nil ? 0 : 1)
        if let number { write(UInt64(bitPattern: number)) }
    }

    mutating func write(text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func write(rows: [Row]) {
        write(UInt64(rows.count))
        for row in rows {
            write(UInt64(row.byteCount))
            bytes.append(contentsOf: row.bytes)
        }
    }
}

/// Reads what a ``ByteWriter`` wrote; every method answers `nil` where the bytes end too early.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer() -> Int64? {
        bytes(8).map { Int64(bitPattern: $0.reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
    }

    /// A number of things, each of which takes at least a byte of what is left, or an index.
    mutating func count() -> Int? { integer().flatMap { $0 >= 0 && $0 <= Int64(Int32.max) ? Int($0) : nil } }

    mutating func optional() -> Int64?? {
        switch integer() {
        case 0: .some(nil)
        case 1: integer().map { .some($0) }
        default: nil
        }
    }

    mutating func text() -> String? { count().flatMap { bytes($0) }.map { String(decoding: $0, as: UTF8.self) } }

    mutating func rows(_ model: ManagedObjectModel) -> [Row]? {
        guard let count = count() else { return nil }
        var writer = RowWriter()
        var rows: [Row] = []
        for _ in 0..<count {
            guard let length = self.count(), let bytes = bytes(length),
                let row = bytes.withUnsafeBytes({ writer.copy(bytes: $0, model: model) })
            else { return nil }
            rows.append(row)
        }
        return rows
    }
}
