/// The before-images of a transaction: the rows and links that it changed, as they were before.
///
/// The bytes do not depend on the indexes of the model. Numbers and texts are written as in ``HistoryBody``.
///
/// | content | bytes |
/// |---|---|
/// | number of entities | number |
/// | for each entity: its name; the number of slots, and for each the name of its property and the raw value of its `SlotKind` | text, number, texts and bytes |
/// | number of link tables; for each the names of the entity and of the relationship of its first end | number, texts |
/// | number of rows | number |
/// | for each row: 2 × the index of its entity, + 1 for a whole row | number |
/// | the distance of the reference from that of the row before (from 0), its sign in the lowest bit; the version | numbers |
/// | the number of values; for each 2 × the index of its slot, + 1 where it is not null; then the eight bytes of its slot, or the number of bytes and the bytes; of a destination's entity the index of it above | numbers, bytes |
/// | number of links | number |
/// | for each link: 8 × the index of its table, + 4 where it existed, + 2 and + 1 with an order key among the destinations of its first and its second object; its two references, their signs in the lowest bits; the order keys, eight bytes each | numbers, bytes |
///
/// A row of an updated object has the values that the transaction changes; that of a deleted one is whole, and lacks values that are
/// null. An order key that a link lacks is as after the transaction. A later image of a row or link in one transaction adds only what the earlier ones lack.
public struct HistoryValues: Sendable {
    /// An entity with the slots that its rows use.
    public struct Entity: Sendable {
        /// The name of the entity.
        public let name: String
        /// The names of the slots' properties, with the kinds of their values.
        public let slots: [(property: String, kind: SlotKind)]
    }

    /// A row before the transaction.
    public struct Image: Sendable {
        /// The index of the row's entity in ``HistoryValues/entities``.
        public let entity: Int
        /// The reference of the row.
        public let reference: Int64
        /// The version of the row.
        public let version: UInt32
        /// Whether the values are all that the row had.
        public let isWhole: Bool
        /// The values by the indexes of their slots in the entity; `nil` for null.
        public let values: [(slot: Int, value: HistoryBody.Preserved?)]
    }

    /// The entities of the rows, and of their destinations.
    public let entities: [Entity]
    /// The tables of the links, by the relationship of the first end.
    public let tables: [(entity: String, relationship: String)]
    /// The rows.
    public let rows: [Image]
    /// The links, by the indexes of their tables; with whether they existed.
    public let links: [(table: Int, link: Link, existed: Bool)]

    init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = unsafe ByteReader<UInt32>(bytes)
        var entities: [Entity] = []
        for _ in 0..<(try reader.short()) {
            let name = try reader.text(reader.varint())
            var slots: [(String, SlotKind)] = []
            for _ in 0..<(try reader.short()) {
                let property = try reader.text(reader.varint())
                guard let kind = SlotKind(rawValue: try reader.byte()) else { throw MalformedBytes() }
                slots.append((property, kind))
            }
            entities.append(Entity(name: name, slots: slots))
        }
        var tables: [(String, String)] = []
        for _ in 0..<(try reader.short()) { tables.append((try reader.text(reader.varint()), try reader.text(reader.varint()))) }
        var rows: [Image] = []
        var reference: Int64 = 0
        for _ in 0..<(try reader.short()) {
            rows.append(try reader.image(entities, after: reference))
            reference = rows[rows.count - 1].reference
        }
        var links: [(Int, Link, Bool)] = []
        for _ in 0..<(try reader.short()) {
            let head = try reader.varint()
            guard head >> 3 < UInt64(tables.count) else { throw MalformedBytes() }
            var link = Link(first: try reader.signed(), second: try reader.signed())
            if head & 2 != 0 { link.orderInFirst = OrderKey(rawValue: try reader.number()) }
            if head & 1 != 0 { link.orderInSecond = OrderKey(rawValue: try reader.number()) }
            links.append((Int(head >> 3), link, head & 4 != 0))
        }
        guard reader.isAtEnd else { throw MalformedBytes() }
        (self.entities, self.tables, self.rows, self.links) = (entities, tables, rows, links)
    }
}

extension ByteReader {
    fileprivate mutating func image(_ entities: [HistoryValues.Entity], after last: Int64) throws(MalformedBytes) -> HistoryValues.Image {
        let head = try varint()
        guard head >> 1 < UInt64(entities.count) else { throw MalformedBytes() }
        let slots = entities[Int(head >> 1)].slots
        let (reference, isBeyond) = last.addingReportingOverflow(try signed())
        guard !isBeyond, let version = UInt32(exactly: try varint()) else { throw MalformedBytes() }
        var values: [(slot: Int, value: HistoryBody.Preserved?)] = []
        for _ in 0..<(try short()) {
            let value = try short(below: 2 * slots.count)
            let kind = slots[value >> 1].kind
            if value & 1 == 0 {
                values.append((value >> 1, nil))
            } else if kind.isVariable {
                let bytes = unsafe Array(try take(short()))
                guard kind != .uuid || bytes.count == 16 else { throw MalformedBytes() }
                values.append((value >> 1, .bytes(bytes)))
            } else {
                let word: UInt64 = try number()
                guard kind != .entity || word < UInt64(entities.count) else { throw MalformedBytes() }
                values.append((value >> 1, .word(word)))
            }
        }
        return HistoryValues.Image(
            entity: Int(head >> 1), reference: reference, version: version, isWhole: head & 1 != 0, values: values)
    }
}
