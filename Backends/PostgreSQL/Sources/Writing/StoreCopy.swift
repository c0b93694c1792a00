import StrataEngine
import StrataModel
import StrataSQL
import StrataStore

/// Makes a copy of a store in a schema that has none, within the transaction that is open there.
struct StoreCopy {
    let original: PostgreSQLStore
    let server: ServerLocation
    let location: StoreLocation
    /// What of the copy is to be told apart from what it replaces.
    let generation: Int64
    let foreignKeys: Bool

    func run(_ connection: Connection) throws {
        let model = original.model
        try original.read { reader in
            let filling = StoreFilling(
                schema: server.schema, model: model, configuration: original.configuration, metadata: try original.metadata(),
                generation: generation, foreignKeys: foreignKeys, operation: .replace)
            let writer = try filling.makeTables(connection)
            let transaction = try filling.transaction(writer, location, connection)
            for table in original.schema.tables.values {
                var changes = ChangeSet()
                changes.inserted = try reader.execute(FetchPlan(model.entities[table.root])).requireRows()
                try transaction.insertUnchecked(changes)
            }
            var changes = ChangeSet()
            for link in model.linkTables {
                changes.links += try reader.links(of: link).map { LinkChange(table: link.index, kind: .put, link: $0) }
            }
            try transaction.insertUnchecked(changes)
            for table in original.schema.tables.values {
                let last = try (reader as? PostgreSQLReader)?.lastReference(table) ?? 0
                if let copy = writer.schema.tables[table.root] { try transaction.references.note(last, copy, connection) }
            }
            transaction.leave()
            try filling.makeIndexes(writer, connection)
        }
    }
}
