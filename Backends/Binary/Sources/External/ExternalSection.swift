import StrataFiles
import StrataModel

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
        if reader.left == 0 { return [] }
        let entries = try entries(&reader)
        try reader.end()
        return entries
    }

    /// Reads entries behind their number.
    static func entries(_ reader: inout ByteReader) throws(MalformedBytes) -> [Entry] {
        var entries: [Entry] = []
        for _ in 0..<(try reader.count(ofSize: 20)) {
            let root: UInt32 = try reader.number()
            let slot: UInt32 = try reader.number()
            let reference: Int64 = try reader.number()
            entries.append(Entry(root: Int(root), reference: reference, slot: Slot(slot), name: try reader.text()))
        }
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
}
