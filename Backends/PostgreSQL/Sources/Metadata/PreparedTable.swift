import StrataSQL

/// The table of two-phase commits between their phases: those that are prepared, as the server's record of them has no column for the
/// deciding store, and those that this store decided, until all participants have committed.
struct PreparedTable {
    let schema: String
    /// The location of the store that the table belongs to.
    let address: ServerAddress?

    private var name: QualifiedName { QualifiedName(schema: schema, name: StoreTables.prepared) }

    var creation: SQLText {
        """
        CREATE TABLE \(name) (id text PRIMARY KEY, transaction text NOT NULL, home_id text NOT NULL, home_path text, home_url text, \
        home_name text); 
        """
    }

    func insert(_ save: PreparedSave, transaction: String, _ connection: Connection) throws {
        let (path, url, storeName) = fields(of: save.decidingStore)
        let values = [save.id, transaction, save.decidingStoreID.rawValue, path, url, storeName].map { text -> SQLText in
            "\(bind: SQLParameter(oid: ColumnType.text.oid, bytes: text.map { Array($0.utf8) }))"
        }
        try connection.insert(
            by: "INSERT INTO \(name) (id, transaction, home_id, home_path, home_url, home_name) VALUES (\(values))", into: name, .save)
    }

    func removal(of id: String) -> SQLText { SQLText("DELETE FROM \(name) WHERE id = \(literal: id)") }

    // MARK: - Decisions

    /// Records in the open transaction that a save is decided: in a row of its own, so that such transactions do not wait for each other.
    func decide(_ id: String, by decidingStore: StoreID, _ connection: Connection) throws {
        try connection.insert(by: decision(id, decidingStore), into: name, .save)
    }

    /// Returns whether a save was decided; waits for a decision that is under way.
    ///
    /// The open transaction can only be rolled back afterwards.
    func hasDecided(_ save: PreparedSave, _ connection: Connection) throws -> Bool {
        try connection.execute("\(decision(save.id, save.decidingStoreID)) ON CONFLICT (id) DO NOTHING", .resolve).affected == 0
    }

    private func decision(_ id: String, _ decidingStore: StoreID) -> SQLText {
        "INSERT INTO \(name) (id, transaction, home_id) VALUES (\(bind: .text(id)), '', \(bind: .text(decidingStore.rawValue)))"
    }

    // MARK: - Prepared saves

    /// Returns whether there is a row of a save, prepared or not.
    func contains(_ id: String, _ connection: Connection) throws -> Bool {
        try connection.execute("SELECT id FROM \(name) WHERE id = \(bind: .text(id))", .resolve).count > 0
    }

    /// Returns the saves of which the server has a prepared transaction.
    func saves(_ connection: Connection) throws -> [PreparedSave] {
        let sql: SQLText = """
            SELECT p.id, p.home_id, p.home_path, p.home_url, p.home_name FROM \(name) p JOIN pg_catalog.pg_prepared_xacts x \
            ON x.gid = p.transaction AND x.database = pg_catalog.current_database() ORDER BY p.id
            """
        let result = try connection.execute(sql, .resolve)
        return (0..<result.count).compactMap { row in
            guard let id = result.text(row, 0), let decidingStore = result.text(row, 1) else { return nil }
            let location = location(path: result.text(row, 2), url: result.text(row, 3), name: result.text(row, 4))
            return PreparedSave(id: id, decidingStoreID: StoreID(decidingStore), decidingStore: location)
        }
    }

    // MARK: - Location of the deciding store

    /// No password is stored: if this store is on the same server, its address is left out.
    private func fields(of decidingStore: StoreLocation) -> (path: String?, url: String?, name: String?) {
        switch decidingStore {
        case .file(let path): return (path, nil, nil)
        case .memory: return (nil, nil, nil)
        case .server(let other):
            if other.url == address?.url { return (nil, "", other.name) }
            let hasSecrets = (try? ServerParameters(other, .save))?.secrets.isEmpty != true
            return (nil, hasSecrets ? ServerAddress(other.url).description : other.url, other.name)
        }
    }

    private func location(path: String?, url: String?, name: String?) -> StoreLocation {
        if let path { return .file(path) }
        guard let url else { return .memory }
        let isHere = url.isEmpty
        return .server(ServerAddress(isHere ? address?.url ?? "" : url, name: name, credentials: isHere ? address?.credentials : nil))
    }
}
