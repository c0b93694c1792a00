/// Packs the before-images of a transaction, as ``HistoryValues`` describes.
public struct HistoryValuesWriter {
    private struct Names {
        let entity: EntityDescription
        var slots: [Slot] = []
        var indices: [Slot: Int] = [:]
    }

    private let model: ManagedObjectModel
    private var entities: [Names] = []
    private var indices: [EntityIndex: Int] = [:]
    private var tables: [Int] = []
    private var rows: [UInt8] = []
    private var rowCount = 0
    private var lastReference: Int64 = 0
    private var links: [UInt8] = []
    private var linkCount = 0

    /// Creates a writer for rows of a model's objects.
    public init(_ model: ManagedObjectModel) { self.model = model }

    /// Adds a row as it was before the transaction.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - slots: The slots that the transaction changes; `nil` where it deletes the row.
    public mutating func add(_ row: Row, slots: [Slot]?) {
        let index = index(of: row.entityIndex)
        let layout = entities[index].entity.layout
        rows.put(varint: UInt64(index) << 1 | (slots == nil ? 1 : 0))
        rows.put(signed: row.reference &- lastReference)
        rows.put(varint: UInt64(row.version))
        let present = slots ?? layout.indexedSlots.map(\.slot).filter { !row.isNull($0) }
        rows.put(varint: UInt64(present.count))
        withExtendedLifetime(row) {
            for slot in present { add(slot, layout.slots[slot].kind, of: row, index) }
        }
        lastReference = row.reference
        rowCount += 1
    }

    private mutating func add(_ slot: Slot, _ kind: SlotKind, of row: Row, _ entity: Int) {
        var name = entities[entity].indices[slot]
        if name == nil {
            name = entities[entity].slots.count
            entities[entity].indices[slot] = name
            entities[entity].slots.append(slot)
        }
        // An index that the model does not have is of a malformed row.
        let destination =
            kind == .entity ? row.integer(slot).flatMap { model.entities.indices.contains(Int($0)) ? EntityIndex($0) : nil } : nil
        let isNull = row.isNull(slot) || kind == .entity && destination == nil
        rows.put(varint: UInt64(name ?? 0) << 1 | (isNull ? 0 : 1))
        if isNull { return }
        if kind.isVariable, let bytes = unsafe row.bytes(slot) {
            rows.put(varint: UInt64(bytes.count))
            unsafe rows.append(contentsOf: bytes)
        } else if let destination {
            rows.put(word: UInt64(index(of: destination)))
        } else {
            rows.put(word: row.rawWord(slot))
        }
    }

    /// Adds a link as it was before the transaction.
    public mutating func add(_ link: Link, of table: LinkTable, existed: Bool) {
        let index = tables.firstIndex(of: table.index) ?? tables.count
        if index == tables.count { tables.append(table.index) }
        let (first, second) = existed ? (link.orderInFirst, link.orderInSecond) : (nil, nil)
        links.put(varint: UInt64(index) << 3 | (existed ? 4 : 0) | (first == nil ? 0 : 2) | (second == nil ? 0 : 1))
        links.put(signed: link.first)
        links.put(signed: link.second)
        if let first { links.put(word: UInt64(bitPattern: first.rawValue)) }
        if let second { links.put(word: UInt64(bitPattern: second.rawValue)) }
        linkCount += 1
    }

    /// Returns the bytes.
    func finish() -> [UInt8] {
        var out: [UInt8] = []
        out.put(varint: UInt64(entities.count))
        for names in entities {
            out.put(short: names.entity.name)
            out.put(varint: UInt64(names.slots.count))
            for slot in names.slots {
                let description = names.entity.layout.slots[slot]
                out.put(short: names.entity.properties[description.property].name)
                out.append(description.kind.rawValue)
            }
        }
        out.put(varint: UInt64(tables.count))
        for table in tables {
            let end = model.linkTables[table].first
            out.put(short: model.entities[end.entity].name)
            out.put(short: model.entities[end.entity].properties[end.property].name)
        }
        out.put(varint: UInt64(rowCount))
        out += rows
        out.put(varint: UInt64(linkCount))
        out += links
        return out
    }

    private mutating func index(of entity: EntityIndex) -> Int {
        if let known = indices[entity] { return known }
        indices[entity] = entities.count
        entities.append(Names(entity: model.entities[entity]))
        return entities.count - 1
    }
}
