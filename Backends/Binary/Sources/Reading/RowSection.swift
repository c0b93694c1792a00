import StrataEngine

/// The rows of a file that was written as a whole.
struct RowSection {
    private let reader: RowReader
    private let sections: FileSections
    private let hierarchies: HierarchySection

    init(_ reader: RowReader, _ sections: FileSections) throws {
        self.reader = reader
        self.sections = sections
        hierarchies = try unsafe HierarchySection(
            try sections.checked(.hierarchies), entityCount: reader.schema.entities.count, hasBlocks: sections.hasBlocks, reader.errors)
    }

    /// Adds the rows, and the greatest references, to the contents.
    ///
    /// - Parameter isWhole: Whether the rows of a file with blocks are read now.
    func read(to contents: inout TableContents, isWhole: Bool) throws {
        let errors = reader.errors
        let bytes = unsafe sections.hasBlocks ? sections.bytes(.rows) : try sections.checked(.rows)
        let blocks = unsafe sections.hasBlocks ? try BlockSection.read(try sections.checked(.blocks), hierarchies.hierarchies, errors) : []
        let source = unsafe reader.source(bytes, of: sections.file)
        var offset = 0
        for (index, hierarchy) in hierarchies.hierarchies.enumerated() {
            guard let root = reader.mapping.entities[hierarchy.entity], reader.model.entities[root].root == root else {
                if hierarchy.count == 0 { continue }
                throw errors.incompatible(
                    "the model has no such entity, or another shape of it", entity: reader.schema.entities[hierarchy.entity].name)
            }
            guard hierarchy.length <= bytes.count - offset, hierarchy.count <= hierarchy.length / RowLayout.headerSize,
                contents.lastReference[root] == nil
            else { throw errors.corrupt("the entity hierarchies are longer than the rows") }
            contents.lastReference[root] = hierarchy.lastReference
            let end = offset + hierarchy.length
            var rows: [Row] = []
            if sections.hasBlocks {
                let found = RowBlocks(root, blocks[index], source, reader, sections)
                guard found.greatestReference <= hierarchy.lastReference else {
                    throw errors.corrupt("malformed block of rows", entity: reader.model.entities[root].name)
                }
                if isWhole {
                    for block in 0..<found.blockCount { rows += try found.rows(ofBlock: block) }
                } else if hierarchy.count > 0 {
                    contents.blocks[root] = found
                }
            } else {
                rows = try read(hierarchy, root, offset..<end, source)
            }
            if !rows.isEmpty { contents.rows[root] = rows }
            offset = end
        }
        guard offset == bytes.count else { throw errors.corrupt("there are rows without an entity hierarchy") }
        for (index, count) in hierarchies.counts.enumerated() {
            if let entity = reader.mapping.entities[index] { contents.counts[entity] = count }
        }
        if isWhole { try checkCounts(contents) }
    }

    /// Reads the rows of a file without blocks, back to back.
    private func read(
        _ hierarchy: HierarchySection.Hierarchy, _ root: EntityIndex, _ range: Range<Int>, _ source: RowReader.Source
    ) throws -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(hierarchy.count)
        var offset = range.lowerBound
        var previous: Int64 = 0
        while offset < range.upperBound {
            let row = try reader.row(at: offset, upTo: range.upperBound, in: source, root: root)
            guard row.reference > previous, row.reference <= hierarchy.lastReference else {
                throw reader.errors.corrupt("malformed row", entity: reader.model.entities[root].name)
            }
            rows.append(row)
            previous = row.reference
            offset += row.byteCount
        }
        guard rows.count == hierarchy.count else { throw reader.errors.corrupt("there are more or fewer rows than the file says") }
        return rows
    }

    private func checkCounts(_ contents: TableContents) throws(StoreError) {
        if hierarchies.counts.isEmpty { return }
        var counts: [EntityIndex: Int] = [:]
        for rows in contents.rows.values {
            for row in rows { counts[row.entityIndex, default: 0] += 1 }
        }
        for (index, count) in hierarchies.counts.enumerated() where count != reader.mapping.entities[index].map({ counts[$0] ?? 0 }) ?? 0 {
            throw reader.errors.corrupt("there are more or fewer rows than the file says", entity: reader.schema.entities[index].name)
        }
    }
}
