import StrataEngine

/// The rows of a new file, and the sections that describe them.
struct WrittenRows {
    /// The rows of each hierarchy, in the order of their section.
    private(set) var rows: [[Row]] = []
    private(set) var hierarchies = ByteWriter()
    private(set) var blocks = ByteWriter()
    private(set) var external = ByteWriter()
    private var rowsLength = 0

    /// The length of all sections together.
    var length: Int { rowsLength + hierarchies.bytes.count + blocks.bytes.count + external.bytes.count }

    init(_ contents: TableContents, _ model: ManagedObjectModel, _ values: ExternalValues) throws {
        var stripped = ExternalRows(model, values)
        var section = HierarchySection()
        section.counts = Array(repeating: 0, count: model.entities.count)
        for root in Set(contents.rows.keys).union(contents.lastReference.keys).sorted() {
            let found = try stripped.rows(contents.rows[root] ?? [], root: root)
            let (count, length) = BlockSection.write(found, at: rowsLength, to: &blocks)
            section.hierarchies.append(
                .init(
                    entity: root.rawValue, blockCount: count, count: found.count, length: length,
                    lastReference: max(contents.lastReference[root] ?? 0, found.last?.reference ?? 0)))
            for row in found { section.counts[row.entityIndex.rawValue] += 1 }
            rows.append(found)
            rowsLength += length
        }
        section.write(to: &hierarchies)
        ExternalSection.write(stripped.entries, to: &external)
        external.pad()
    }
}
