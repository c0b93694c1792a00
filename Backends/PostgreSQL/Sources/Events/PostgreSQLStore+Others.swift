import StrataStore
import Synchronization

extension PostgreSQLStore: SharedStore {
    func revisionOfOthers() throws -> Int64? {
        try checkOpen(.refresh)
        let revision = try listener.revision()
        // Whoever is told of it finds it on the replica, too.
        if revisionOfReplica.exchange(revision, ordering: .relaxed) != revision { replica?.noteNews() }
        return revision
    }

    var writtenPaths: [String] { [] }
    var signal: Int32? { listener.signal }
}

extension PostgreSQLReader: LoggedReader {
    func logPosition() throws -> LogPosition? { try changeTable.position(scope) }

    func changes(since position: LogPosition) throws -> LoggedChanges? {
        try changeTable.changes(since: position, schema, scope)
    }

    private var changeTable: ChangeTable { ChangeTable(schema: schema.name) }
}
