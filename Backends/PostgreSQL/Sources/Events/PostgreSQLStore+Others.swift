import StrataStore

extension PostgreSQLStore: SharedStore {
    func revisionOfOthers() throws -> Int64? {
        try checkOpen(.refresh)
        return try listener.revision()
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
