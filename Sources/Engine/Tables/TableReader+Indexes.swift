import StrataModel
import StrataQuery
import StrataStore

extension TableReader: IndexedRows {
    var sortsByIndex: Bool { false }

    func rowCount(root: Int) throws -> Int { version.trees[schema.treeOfEntity[root]].rows.count }

    func indexes(root: Int) -> [IndexDescription] { schema.trees[schema.treeOfEntity[root]].descriptions }

    func find(_ match: IndexMatch, root: Int) throws -> (any IndexPart)? {
        let place = schema.treeOfEntity[root]
        let table = version.trees[place]
        return IndexRange(match, table.index(match.index.place, schema.trees[place]), table.rows)
    }

    func visit(root: Int, _ references: [Int64]?, for predicate: ResolvedPredicate?, _ body: (Row) throws -> Bool) throws {
        let rows = version.trees[schema.treeOfEntity[root]].rows
        guard let references else { return try rows.forEach(body) }
        for reference in references {
            if let row = rows[reference], try !body(row) { return }
        }
    }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        version.links[table].links(of: reference, on: side).map { $0.reference(side.opposite) }
    }
}
