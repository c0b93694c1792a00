import StrataEngine
import StrataModel
import StrataSQL
import StrataStore

/// Finds the files that a database's rows name, without a model.
enum ExternalNames {
    /// Calls `body` with the names, as long as it answers true.
    ///
    /// A value without a tag that looks like a name counts as one.
    static func forEach(_ connection: Connection, _ operation: StoreError.Operation, _ body: (String) -> Bool) throws {
        let columns: SQLText = """
            SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND m.name LIKE 'Z%' AND upper(c.type) = 'BLOB'
            """
        for names in try connection.texts(columns, columns: 2, operation) {
            let (table, column) = (names[0], names[1])
            // Core Data's names may end in a zero.
            let (least, most) = (ExternalTag.fileContentLength, ExternalTag.fileContentLength + 1)
            let condition: SQLText = "length(\(identifier: column)) BETWEEN \(number: least) AND \(number: most)"
            let statement = try connection.prepare(
                SQLText("SELECT \(identifier: column) FROM \(table: table) WHERE \(condition)").text)
            while try statement.step(operation) {
                guard let name = unsafe statement.blobBytes(0).flatMap({ unsafe ExternalTag.fileName(in: $0) }) else { continue }
                if !body(name) { return }
            }
        }
    }
}

extension ExternalValuesOfStore {
    /// Those of a store that is going to be removed or replaced; `nil` where the database does not tell any more.
    init?(_ connection: Connection, _ path: String, _ operation: StoreError.Operation) {
        guard let metadata = try? MetadataTable.read(connection),
            let values = try? ExternalValuesOfStore(
                of: metadata.storeID, at: path, { try ExternalNames.forEach(connection, operation, $0) })
        else { return nil }
        self = values
    }
}
