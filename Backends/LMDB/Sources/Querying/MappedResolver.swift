import CStrataLMDB
import StrataEngine
import StrataModel
import StrataQuery
import StrataStore

/// Finds rows within a snapshot, by reference, relationship and index; its rows are not to be kept.
// A class, so that handing it to a test of a row as a resolver costs nothing.
final class MappedResolver: RowResolver {
    let snapshot: Snapshot
    let uuid: String

    init(snapshot: Snapshot, uuid: String) {
        self.snapshot = snapshot
        self.uuid = uuid
    }

    var storeUUID: String? { uuid }

    func row(root: Int, reference: Int64) throws -> Row? {
        guard let tree = snapshot.schema.tree(root) else { return nil }
        guard let stored = try snapshot.stored(reference, in: tree) else { return nil }
        return try snapshot.rows.expanded(stored)
    }

    func destinations(of relationship: RelationshipDescription, root: Int, owner: Row) throws -> [Row] {
        try Destinations(snapshot: snapshot).of(relationship, owner: owner.reference).compactMap {
            try row(root: root, reference: $0.reference)
        }
    }
}

extension MappedResolver: IndexedRows {
    var sortsByIndex: Bool { true }

    func rowCount(root: Int) throws -> Int { try Records.count(snapshot.transaction, snapshot.tree(root).rows) }

    func indexes(root: Int) -> [IndexDescription] { snapshot.schema.descriptions[root] }

    func find(_ match: IndexMatch, root: Int) throws -> (any IndexPart)? { IndexEntries(match, snapshot) }

    func visit(root: Int, _ references: [Int64]?, for predicate: ResolvedPredicate?, _ body: (Row) throws -> Bool) throws {
        let tree = try snapshot.tree(root)
        let source = RowSource(snapshot: snapshot, tree: tree, entities: tree.entities)
        let expands = predicate.map { ExternalUse.isMade(by: $0, tree.entities, snapshot.schema) } ?? false
        func visit(_ stored: StoredRow) throws -> Bool { try body(expands ? snapshot.rows.expanded(stored) : stored.row) }
        if let references { try source.visit(references, visit) } else { try source.scan(visit) }
    }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        guard let links = snapshot.schema.links[table] else { return [] }
        return try LinkEntry.entries(snapshot.transaction, links.database(side), of: reference).map(\.other)
    }
}
