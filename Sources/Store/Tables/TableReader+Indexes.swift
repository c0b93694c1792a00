import StrataModel
import StrataQuery

extension TableReader: IndexedRows {
    typealias Entries = IndexRange

    static var sortsByIndex: Bool { false }

    func rowCount(root: Int) throws -> Int { version.trees[schema.treeOfEntity[root]].rows.count }

    func indexes(root: Int) -> [IndexDescription] { schema.trees[schema.treeOfEntity[root]].descriptions }

    func find(_ match: IndexMatch, root: Int) throws -> IndexRange? {
        let place = schema.treeOfEntity[root]
        let table = version.trees[place]
        return IndexRange(match, root: root, table.index(match.index.place, schema.trees[place]), table.rows)
    }

    func isExact(_ entries: IndexRange) -> Bool { true }

    func count(_ entries: inout IndexRange, upTo limit: Int) throws -> Int { entries.count }

    func references(_ entries: IndexRange) throws -> [Int64] {
        let place = schema.treeOfEntity[entries.root]
        let index = version.trees[place].index(entries.index, schema.trees[place])
        var references: [Int64] = []
        references.reserveCapacity(entries.count)
        for range in entries.ranges {
            index.forEach(in: range) { entry in
                references.append(entry.reference)
                return true
            }
        }
        if !entries.isOneKey || entries.ranges.count > 1 { references.sort() }
        return references
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
