import StrataModel
import StrataQuery
import StrataStore

extension TableReader: RowSource {
    var sortsByIndex: Bool { false }

    func rowCount(root: Int) throws -> Int { table(root).rows.count }

    func indexes(root: Int) -> [IndexDescription] { schema.tree(root).descriptions }

    func find(_ match: IndexMatch, root: Int) throws -> (any IndexPart)? {
        let table = table(root)
        return IndexRange(match, table.index(match.index.place, schema.tree(root)), table.rows)
    }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        version.links[table].links(of: reference, on: side).map { $0.reference(side.opposite) }
    }

    func count(_ entities: Range<Int>, root: Int) throws -> Int? { table(root).count(entities, schema.tree(root)) }

    func scan(root: Int, _ body: (Row) throws -> Bool) throws { try table(root).rows.forEach(body) }

    func visit(root: Int, _ references: [Int64], _ body: (Row) throws -> Bool) throws {
        let rows = table(root).rows
        for reference in references {
            if let row = rows[reference], try !body(row) { return }
        }
    }

    func walk(_ part: any IndexPart, root: Int, isBackward: Bool, _ body: (Row) throws -> Bool) throws -> Bool {
        guard let part = part as? IndexRange else { return false }
        try part.walk(table(root).rows, isBackward: isBackward, body)
        return true
    }

    private func table(_ root: Int) -> TreeTable { version.trees[schema.treeOfEntity[root]] }
}
