import StrataEngine

/// A save in a segment, by the indexes of the file.
struct SegmentBody {
    /// The changes of rows and links.
    struct Changes {
        let deleted: [(entity: Int64, reference: Int64)]
        /// The bytes of the rows, and their number.
        let rows: Range<Int>
        let rowCount: Int
        let links: [(table: Int, kind: LinkChange.Kind, link: Link)]
        let external: [ExternalSection.Entry]
    }

    enum Step {
        case changes(Changes)
        case record(HistoryRecord)
        case deleteHistory(HistoryRecord)
    }

    /// The numbers by which steps and their absence are written.
    private enum Kind: UInt32 {
        case changes = 0
        case record = 1
        case deleteHistory = 2
    }

    /// The value of `StoreMetadata.savesKey`; empty in a file that was not saved to.
    let lineage: [UInt8]
    /// The metadata, where the save changes them.
    let metadata: StoreMetadata?
    let lastReferences: [(root: Int64, reference: Int64)]
    let steps: [Step]

    /// The change sets among the steps.
    var changes: [Changes] { steps.compactMap { if case .changes(let changes) = $0 { changes } else { nil } } }

    /// Reads the body of a segment in the bytes of a file.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ errors: BinaryErrors) throws {
        var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[range]))
        lineage = unsafe Array(try reader.content())
        metadata = try reader.number(UInt32.self) == 0 ? nil : MetadataCodec(truth: .asTag).read(&reader)
        var lastReferences: [(Int64, Int64)] = []
        for _ in 0..<(try reader.count(ofSize: 12)) {
            lastReferences.append((Int64(try reader.number(UInt32.self)), try reader.number()))
        }
        self.lastReferences = lastReferences
        var steps: [Step] = []
        for _ in 0..<(try reader.count(ofSize: 4)) {
            guard let kind = Kind(rawValue: try reader.number()) else { throw MalformedBytes() }
            switch kind {
            case .changes: steps.append(.changes(try SegmentBody.changes(&reader, range.lowerBound, errors)))
            case .record: steps.append(.record(try HistorySection.record(&reader)))
            case .deleteHistory: steps.append(.deleteHistory(try HistorySection.record(&reader)))
            }
        }
        self.steps = steps
    }

    private static func changes(_ reader: inout ByteReader, _ start: Int, _ errors: BinaryErrors) throws -> Changes {
        var deleted: [(Int64, Int64)] = []
        for _ in 0..<(try reader.count(ofSize: 12)) { deleted.append((Int64(try reader.number(UInt32.self)), try reader.number())) }
        var links: [(Int, LinkChange.Kind, Link)] = []
        for _ in 0..<(try reader.count(ofSize: 8 + FileLayout.linkSize)) {
            let table: UInt32 = try reader.number()
            guard let kind = LinkChange.Kind(rawValue: UInt8(truncatingIfNeeded: try reader.number(UInt32.self))) else {
                throw MalformedBytes()
            }
            links.append((Int(table), kind, try LinkSection.link(&reader, errors)))
        }
        let external = try ExternalSection.entries(&reader)
        let count: UInt64 = try reader.number()
        let length: UInt64 = try reader.number()
        unsafe _ = try reader.take(-reader.offset & 7)
        guard length <= UInt64(reader.left), length & 7 == 0, count <= length / UInt64(RowLayout.headerSize) else { throw MalformedBytes() }
        let rows = start + reader.offset..<start + reader.offset + Int(length)
        unsafe _ = try reader.take(Int(length))
        return Changes(deleted: deleted, rows: rows, rowCount: Int(count), links: links, external: external)
    }

    /// Packs a save.
    ///
    /// - Parameter external: What takes the values in files of their own out of rows; `nil` for a save without rows.
    static func write(_ save: TableSave, _ external: ExternalRows? = nil, to writer: inout ByteWriter) throws {
        if case .data(let lineage) = save.lineage { writer.put(content: lineage) } else { writer.put(count: 0) }
        writer.put(UInt32(save.metadata == nil ? 0 : 1))
        if var metadata = save.metadata {
            metadata.userInfo[StoreMetadata.savesKey] = nil
            if metadata.historyRecords != nil { metadata.historyRecords = [] }
            try MetadataCodec(truth: .asTag).write(metadata, to: &writer)
        }
        writer.put(count: save.lastReference.count)
        for (root, reference) in save.lastReference.sorted(by: { $0.key < $1.key }) {
            writer.put(UInt32(root.rawValue))
            writer.put(reference)
        }
        writer.put(count: save.steps.count)
        for step in save.steps {
            switch step {
            case .changes(let changes):
                writer.put(Kind.changes.rawValue)
                if let external { try write(changes, external, to: &writer) }
            case .record(let record):
                writer.put(Kind.record.rawValue)
                HistorySection.write(record, to: &writer)
            case .deleteHistory(let mark):
                writer.put(Kind.deleteHistory.rawValue)
                HistorySection.write(mark, to: &writer)
            }
        }
    }

    private static func write(_ changes: ChangeSet, _ external: ExternalRows, to writer: inout ByteWriter) throws {
        writer.put(count: changes.deleted.count)
        for deletion in changes.deleted {
            writer.put(UInt32(deletion.entity.rawValue))
            writer.put(deletion.reference)
        }
        writer.put(count: changes.links.count)
        for change in changes.links {
            writer.put(UInt32(change.table))
            writer.put(UInt32(change.kind.rawValue))
            LinkSection.write(change.link, to: &writer)
        }
        var external = external
        let rows = try (changes.updated.map(\.row) + changes.inserted).map { try external.row($0) }
        ExternalSection.write(external.entries, to: &writer)
        if external.entries.isEmpty { writer.put(count: 0) }
        writer.put(UInt64(rows.count))
        writer.put(UInt64(rows.reduce(0) { $0 + $1.byteCount }))
        writer.pad()
        for row in rows { unsafe writer.put(raw: row.bytes) }
    }
}
