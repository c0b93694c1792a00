/// The changes of a transaction in a store's history.
///
/// The bytes do not depend on the model: entities and properties have their names, once in each transaction. Numbers
/// are written by seven bits in each byte, the lowest first; texts are UTF-8 behind their length.
///
/// | content | bytes |
/// |---|---|
/// | version | one byte: 1, or 2 with before-images |
/// | in version 2 the before-images, see ``HistoryValues``, behind their number of bytes | number, bytes |
/// | number of entities | number |
/// | for each entity: its name | text |
/// | the number of properties, and their names; a composite value counts as one | number, texts |
/// | the number of sets of changed properties; for each the number of properties, and their indexes | numbers |
/// | the number of preserved attributes; for each its name, and the raw value of its `SlotKind` | number, texts and bytes |
/// | then, for each group of changes of one kind in objects of one entity: 4 × the index of the entity + the kind | number |
/// | the number of runs of consecutive references | number |
/// | for each run: the distance from the end of the run before (from 0), its sign in the lowest bit; its length | numbers |
/// | of updates, until there are as many as objects: the index of a set, and the number of objects in a row with it | numbers |
/// | of deletions, where the entity has preserved attributes, for each object: a bitmap of those with a value, the first in the lowest bit; then each value: the eight bytes of its slot, or the number of bytes and the bytes | bytes |
/// | at the end: CRC-32C of all before it | four bytes |
public struct HistoryBody: Sendable {
    /// The kind of a change.
    public typealias Kind = HistoryChangeKind

    /// An entity with the names that its changes use.
    public struct Entity: Sendable {
        /// The name of the entity.
        public let name: String
        /// The names of changed properties.
        public let properties: [String]
        /// The sets of changed properties, as indexes of their names.
        public let sets: [[Int]]
        /// The names of the preserved attributes, with the kinds of their values.
        public let preserved: [(name: String, kind: SlotKind)]
    }

    /// A preserved value, as it is in a slot of a row.
    public enum Preserved: Sendable, Hashable {
        /// The eight bytes of a slot with the value itself.
        case word(UInt64)
        /// The bytes of a slot with bytes.
        case bytes([UInt8])
    }

    /// A change of an object.
    public struct Change: Sendable {
        /// The kind of the change.
        public let kind: Kind
        /// The index of the object's entity in ``HistoryBody/entities``.
        public let entity: Int
        /// The reference of the object.
        public let reference: Int64
        /// The index of the set of changed properties, for an update.
        public let set: Int?
        /// The preserved values, for a deletion; `nil` for those that were null.
        public let tombstone: [Preserved?]
    }

    /// The version of the format without before-images, and that with them.
    static let (version, versionWithValues) = (UInt8(1), UInt8(2))
    /// The greatest number of changes of a transaction: more are damage.
    static let most = 1 << 28

    /// The entities of the changed objects.
    public let entities: [Entity]
    /// The changes, in the order of the transaction.
    public let changes: [Change]
    /// The before-images; `nil` without them, and where they were not asked for.
    public let values: HistoryValues?

    /// Reads the bytes of a ``HistoryBodyWriter``.
    ///
    /// - Parameters:
    ///   - bytes: The body of a record.
    ///   - path: The path of the store's file, for errors.
    ///   - includesValues: Whether the before-images are read, too.
    /// - Throws: ``StoreError`` with `corrupt` where they are damaged, `unsupportedVersion` where a later version wrote them.
    public init(_ bytes: [UInt8], path: String?, includesValues: Bool = false) throws(StoreError) {
        do { self = try unsafe bytes.withUnsafeBytes { try unsafe HistoryBody($0, includesValues) } } catch is LaterVersion {
            throw StoreError(.unsupportedVersion, .fetch, "a later version wrote a transaction of the history", path: path)
        } catch {
            throw StoreError(.corrupt, .fetch, "malformed transaction in the history", path: path)
        }
    }

    private struct LaterVersion: Error {}

    private init(_ bytes: UnsafeRawBufferPointer, _ includesValues: Bool) throws {
        var reader = try unsafe ByteReader<UInt32>(sealed: bytes, as: UInt32.self)
        let version = try reader.byte()
        guard version == HistoryBody.version || version == HistoryBody.versionWithValues else { throw LaterVersion() }
        let images = try unsafe version == HistoryBody.versionWithValues ? reader.take(reader.short()) : nil
        values = try unsafe includesValues ? images.map { try unsafe HistoryValues($0) } : nil
        var entities: [Entity] = []
        for _ in 0..<(try reader.short()) {
            let name = try reader.text(reader.varint())
            var properties: [String] = []
            for _ in 0..<(try reader.short()) { properties.append(try reader.text(reader.varint())) }
            var sets: [[Int]] = []
            for _ in 0..<(try reader.short()) {
                var set: [Int] = []
                for _ in 0..<(try reader.short()) { set.append(try reader.short(below: properties.count)) }
                sets.append(set)
            }
            var preserved: [(String, SlotKind)] = []
            for _ in 0..<(try reader.short()) {
                let name = try reader.text(reader.varint())
                guard let kind = SlotKind(rawValue: try reader.byte()) else { throw MalformedBytes() }
                preserved.append((name, kind))
            }
            entities.append(Entity(name: name, properties: properties, sets: sets, preserved: preserved))
        }
        var changes: [Change] = []
        while !reader.isAtEnd {
            let head = try reader.varint()
            guard let kind = Kind(rawValue: UInt8(head & 3)), head >> 2 < UInt64(entities.count) else { throw MalformedBytes() }
            try reader.group(kind, Int(head >> 2), entities, &changes)
        }
        (self.entities, self.changes) = (entities, changes)
    }
}

extension ByteReader {
    /// Reads a group of changes.
    fileprivate mutating func group(
        _ kind: HistoryBody.Kind, _ entity: Int, _ entities: [HistoryBody.Entity], _ changes: inout [HistoryBody.Change]
    ) throws(MalformedBytes) {
        var runs: [Range<Int64>] = []
        var (end, count) = (Int64(0), 0)
        for _ in 0..<(try short()) {
            let (first, isBefore) = end.addingReportingOverflow(try signed())
            guard let length = Int64(exactly: try varint()), length > 0, length <= HistoryBody.most - changes.count - count, !isBefore,
                !first.addingReportingOverflow(length).overflow
            else { throw MalformedBytes() }
            end = first + length
            count += Int(length)
            runs.append(first..<end)
        }
        var (set, left) = (0, 0)
        if kind == .update {
            (set, left) = try sets(below: entities[entity].sets.count)
        }
        for reference in runs.joined() {
            var tombstone: [HistoryBody.Preserved?] = []
            if kind == .update {
                if left == 0 { (set, left) = try sets(below: entities[entity].sets.count) }
                left -= 1
            } else if kind == .delete, !entities[entity].preserved.isEmpty {
                tombstone = try self.tombstone(entities[entity])
            }
            changes.append(
                HistoryBody.Change(
                    kind: kind, entity: entity, reference: reference, set: kind == .update ? set : nil, tombstone: tombstone))
        }
        guard left == 0 else { throw MalformedBytes() }
    }

    private mutating func sets(below count: Int) throws(MalformedBytes) -> (Int, Int) {
        let set = try short(below: count)
        let length = try short(below: HistoryBody.most)
        guard length > 0 else { throw MalformedBytes() }
        return (set, length)
    }

    private mutating func tombstone(_ entity: HistoryBody.Entity) throws(MalformedBytes) -> [HistoryBody.Preserved?] {
        let present = unsafe Array(try take((entity.preserved.count + 7) / 8))
        var values: [HistoryBody.Preserved?] = []
        for (index, attribute) in entity.preserved.enumerated() {
            if present[index / 8] & 1 << (index % 8) == 0 {
                values.append(nil)
            } else if attribute.kind.isVariable {
                values.append(.bytes(unsafe Array(try take(short()))))
            } else {
                values.append(.word(try number()))
            }
        }
        return values
    }
}
