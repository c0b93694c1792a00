import StrataEngine
import StrataFiles
import StrataModel
import StrataStore

/// Finds the files that a database's rows name, without a model.
enum ExternalNames {
    /// Calls `body` with the names, as long as it answers true.
    ///
    /// A value without a tag that looks like a name counts as one.
    static func forEach(_ connection: Connection, _ operation: StoreError.Operation, _ body: (String) -> Bool) throws {
        for (table, column) in try columns(connection, operation) {
            var sql = SQLText("SELECT ")
            sql.add(identifier: column)
            sql.add(" FROM ")
            sql.add(identifier: table)
            sql.add(" WHERE length(")
            sql.add(identifier: column)
            sql.add(") BETWEEN 37 AND 38")
            let statement = try connection.prepare(sql.text)
            while try statement.step(operation) {
                guard let name = statement.blobBytes(0).flatMap({ ExternalTag.fileName(in: $0) }) else { continue }
                if !body(name) { return }
            }
        }
    }

    /// The names that rows of all tables hold.
    static func all(_ connection: Connection, _ operation: StoreError.Operation) throws -> Set<String> {
        var names: Set<String> = []
        try forEach(connection, operation) { name in
            names.insert(name)
            return true
        }
        return names
    }

    private static func columns(_ connection: Connection, _ operation: StoreError.Operation) throws -> [(table: String, column: String)] {
        let catalogue = try connection.prepare(
            """
            SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name LIKE 'Z%' AND upper(c.type) = 'BLOB'
            """)
        var columns: [(String, String)] = []
        while try catalogue.step(operation) {
            if let table = catalogue.text(0), let column = catalogue.text(1) { columns.append((table, column)) }
        }
        return columns
    }
}

/// The external values of a store that is going to be removed or replaced.
struct ExternalValuesOfStore {
    let directory: ExternalDataDirectory
    let names: Set<String>

    /// Reads which they are; `nil` where the database does not tell any more.
    ///
    /// Then none is removed: another store may keep its own there.
    init?(_ connection: Connection, _ path: String, _ operation: StoreError.Operation) {
        guard let metadata = try? MetadataTable.read(connection), let names = try? ExternalNames.all(connection, operation) else {
            return nil
        }
        directory = ExternalDataDirectory(storePath: path, storeID: metadata.storeID.rawValue)
        self.names = names
    }
}
