import StrataEngine
import StrataFiles
import StrataModel
import StrataStore

/// The values that are in files of their own, and their rows.
struct ExternalSection {
    /// A value in a file of its own.
    struct Entry {
        /// The index, in the file, of the root of the row's entity hierarchy.
        let root: Int
        let reference: Int64
        let slot: Slot
        let name: String
    }

    static func read(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) -> [Entry] {
        var reader = unsafe ByteReader(bytes)
        var entries: [Entry] = []
        if reader.left == 0 { return [] }
        for _ in 0..<(try reader.count(ofSize: 20)) {
            let root: UInt32 = try reader.number()
            let slot: UInt32 = try reader.number()
            let reference: Int64 = try reader.number()
            entries.append(Entry(root: Int(root), reference: reference, slot: Slot(slot), name: try reader.text()))
        }
        try reader.end()
        return entries
    }

    static func write(_ entries: [Entry], to writer: inout ByteWriter) {
        if entries.isEmpty { return }
        writer.put(UInt32(truncatingIfNeeded: entries.count))
        for entry in entries {
            writer.put(UInt32(truncatingIfNeeded: entry.root))
            writer.put(UInt32(truncatingIfNeeded: entry.slot.rawValue))
            writer.put(entry.reference)
            writer.put(text: entry.name)
        }
    }

    /// Replaces the rows that lack values by complete ones.
    static func fill(
        _ contents: inout TableContents,
        _ entries: [Entry],
        _ mapping: SchemaMapping,
        _ model: ManagedObjectModel,
        _ external: ExternalValues,
        _ errors: BinaryErrors
    ) throws {
        var index = 0
        while index < entries.count {
            let entry = entries[index]
            var end = index + 1
            while end < entries.count, entries[end].root == entry.root, entries[end].reference == entry.reference { end += 1 }
            guard entry.root < mapping.entities.count, let root = mapping.entities[entry.root],
                let position = contents.rows[root].flatMap({ position(of: entry.reference, in: $0) }),
                let row = contents.rows[root]?[position]
            else { throw errors.corrupt("a value in a file of its own belongs to no row") }
            contents.rows[root]?[position] = try filled(row, entries[index..<end], root, model, external, errors)
            index = end
        }
    }

    private static func filled(
        _ row: Row,
        _ entries: ArraySlice<Entry>,
        _ root: EntityIndex,
        _ model: ManagedObjectModel,
        _ external: ExternalValues,
        _ errors: BinaryErrors
    ) throws -> Row {
        let layout = model.entities[row.entityIndex].layout
        var values: [Slot: Result<[UInt8], UnavailableValue>] = [:]
        for entry in entries {
            guard layout.slots.typedIndices().contains(entry.slot), layout.slots[entry.slot].kind.isVariable, row.isNull(entry.slot) else {
                throw errors.corrupt("a value in a file of its own belongs to no attribute")
            }
            let location = ExternalValues.Location(root: root, reference: row.reference, slot: entry.slot)
            values[entry.slot] = try external.value(named: entry.name, at: location)
        }
        let size = values.values.reduce(row.byteCount) { $0 + ((try? $1.get().count) ?? 0) }
        guard size < Int(Int32.max) else { throw StoreError(.tooLarge, errors.operation, "a row is too long", path: errors.path) }
        var writer = RowWriter(forOneRowOf: size + 16)
        writer.begin(layout, entityIndex: row.entityIndex, reference: row.reference, version: row.version)
        for (slot, description) in layout.indexedSlots {
            switch values[slot] {
            case .success(let bytes): unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
            case .failure(let unavailable): writer.set(unavailable, at: slot)
            case nil: writer.copy(slot, description.kind, from: row)
            }
        }
        return writer.finish()
    }

    private static func position(of reference: Int64, in rows: [Row]) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].reference < reference { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].reference == reference ? low : nil
    }
}
