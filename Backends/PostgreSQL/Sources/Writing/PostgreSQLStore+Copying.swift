import StrataSQL

extension PostgreSQLStore {
    /// Copies the store into an empty schema, within the open transaction there.
    ///
    /// - Parameter generation: Distinguishes the copy from the store that it replaces.
    func copy(
        to location: StoreLocation, _ schemaName: String, generation: Int64, foreignKeys: Bool, _ connection: Connection
    ) throws {
        try read { reader in
            let metadata = try metadata()
            let filling = StoreFilling(
                schema: schemaName, model: model, configuration: configuration, metadata: metadata,
                generation: generation, foreignKeys: foreignKeys, operation: .replace)
            let writer = try filling.makeTables(connection)
            let transaction = try filling.transaction(writer, location, connection)
            for table in schema.tables.values {
                var changes = ChangeSet()
                changes.inserted = try reader.execute(FetchPlan(model.entities[table.root])).requireRows()
                try transaction.insertUnchecked(changes)
            }
            var changes = ChangeSet()
            for link in model.linkTables {
                changes.links += try reader.links(of: link).map { LinkChange(table: link.index, kind: .put, link: $0) }
            }
            try transaction.insertUnchecked(changes)
            for table in schema.tables.values {
                let last = try (reader as? PostgreSQLReader)?.lastReference(table) ?? 0
                if let copy = writer.schema.tables[table.root] { try transaction.references.note(last, copy, connection) }
            }
            if metadata.keepsHistory { try copyHistory(reader, to: transaction) }
            transaction.leave()
            try filling.makeIndexes(writer, connection)
        }
    }

    /// Copies the transactions that a snapshot shows.
    private func copyHistory(_ reader: any StoreReader, to transaction: PostgreSQLTransaction) throws {
        guard let scope = (reader as? PostgreSQLReader)?.scope else { return }
        var query = HistoryQuery(limit: 1_000)
        while true {
            let records = try historyTable.records(scope.execute(historyTable.selection(query), .replace), query)
            for record in records { _ = try transaction.append(record) }
            guard let last = records.last, records.count == query.limit else { break }
            query.after = last.number
        }
        try transaction.finishGivenRecords()
    }
}
