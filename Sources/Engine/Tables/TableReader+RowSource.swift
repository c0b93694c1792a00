extension TableReader: RowSource {
    var sortsByIndex: Bool { false }

    func rowCount(root: EntityIndex) throws -> Int { table(root).rows.count }

    func indexes(root: EntityIndex) -> [IndexDescription] { schema.hierarchy(root).descriptions }

    func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)? {
        let table = table(root)
        return IndexRange(match, table.index(match.index.position, schema.hierarchy(root)), table.rows)
    }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        version.links[table].links(of: reference, on: side).map { $0.reference(side.opposite) }
    }

    func count(_ entities: Range<EntityIndex>, root: EntityIndex) throws -> Int? { table(root).count(entities, schema.hierarchy(root)) }

    func scan(root: EntityIndex, _ body: (Row) throws -> Bool) throws { try table(root).rows.forEach(body) }

    func scan(root: EntityIndex, from first: Int64, _ body: (Row) throws -> Bool) throws {
        try table(root).rows.forEach(from: first) { try $0.reference < first || body($0) }
    }

    func visit(root: EntityIndex, _ references: [Int64], _ body: (Row) throws -> Bool) throws {
        let rows = table(root).rows
        for reference in references {
            if let row = rows[reference], try !body(row) { return }
        }
    }

    func traverse(_ part: any IndexPart, root: EntityIndex, isBackward: Bool, _ body: (Row) throws -> Bool) throws -> Bool {
        guard let part = part as? IndexRange else { return false }
        try part.traverse(table(root).rows, isBackward: isBackward, body)
        return true
    }

    private func table(_ root: EntityIndex) -> HierarchyTable { version.hierarchies[schema.hierarchyOfEntity[root]] }
}
