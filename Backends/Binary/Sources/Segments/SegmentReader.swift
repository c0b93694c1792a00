import StrataEngine

/// Reads the saves that were appended to a file.
struct SegmentReader {
    private let reader: RowReader
    private let file: MappedFile

    init(_ reader: RowReader, _ file: MappedFile) { (self.reader, self.file) = (reader, file) }

    func save(_ body: SegmentBody) throws -> TableSave {
        let steps = try body.steps.map { step -> TableSave.Step in
            switch step {
            case .changes(let changes): .changes(try self.changes(changes))
            case .record(let record): .record(record)
            case .deleteHistory(let mark): .deleteHistory(mark)
            }
        }
        var save = TableSave(steps, lineage: .data(Data(body.lineage)))
        save.metadata = body.metadata
        for (root, reference) in body.lastReferences { save.lastReference[try reader.entity(root)] = reference }
        return save
    }

    private func changes(_ changes: SegmentBody.Changes) throws -> ChangeSet {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: file.bytes[changes.rows])
        let source = unsafe reader.source(bytes, of: file)
        var rows: [Row] = []
        rows.reserveCapacity(changes.rowCount)
        var offset = 0
        for _ in 0..<changes.rowCount {
            let row = try reader.row(at: offset, upTo: changes.rows.count, in: source, root: nil)
            rows.append(row)
            offset += row.byteCount
        }
        let links = try changes.links.map { change -> LinkChange in
            guard change.table < reader.mapping.tables.count else { throw MalformedBytes() }
            guard let table = reader.mapping.tables[change.table] else {
                throw reader.errors.incompatible("the model lacks a many-to-many relationship of the file")
            }
            return LinkChange(table: table.index, kind: change.kind, link: table.isSwapped ? change.link.swapped : change.link)
        }
        let deleted = try changes.deleted.map { deletion in
            RowDeletion(entity: try reader.entity(deletion.entity), reference: deletion.reference, expectedVersion: 0)
        }
        return ChangeSet(inserted: rows, deleted: deleted, links: links)
    }
}
