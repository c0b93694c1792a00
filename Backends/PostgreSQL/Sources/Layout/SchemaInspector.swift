import StrataSQL

/// Finds what other programs dropped of a store's tables, which its catalogue still lists.
struct SchemaInspector {
    let model: ManagedObjectModel
    let schema: StoreSchema

    /// Checks that the server has the tables, columns and sequences of the schema.
    ///
    /// - Throws: `StoreError` with `corrupt` and the entity and property that something is missing for.
    func requireRelations(_ connection: Connection) throws {
        let tables = schema.tables.values.sorted { $0.root < $1.root }
        let names = tables.flatMap { [$0.name.name, $0.sequence.name] } + schema.joins.compactMap { $0?.name.name }
        let found = try columns(ofRelations: names, connection)
        for table in tables {
            let (name, root) = (table.name.name, table.root)
            guard let columns = found[name] else { throw missing("the table \(name) is missing", root) }
            for column in [EntityTable.id, EntityTable.entity, EntityTable.version] where !columns.contains(column) {
                throw missing("the table \(name) has no column \(column)", root)
            }
            for column in table.columns where !columns.contains(column.name) {
                throw missing("the table \(name) has no column \(column.name)", root, column.property)
            }
            if found[table.sequence.name] == nil { throw missing("the sequence \(table.sequence.name) is missing", root) }
        }
        for (join, link) in zip(schema.joins, model.linkTables) {
            guard let join else { continue }
            let (name, entity) = (join.name.name, link.first.entity)
            let relationship = model.entities[entity].properties[link.first.property].name
            guard let columns = found[name] else { throw missing("the join table \(name) is missing", entity, relationship) }
            for column in join.columns where !columns.contains(column) {
                throw missing("the table \(name) has no column \(column)", entity, relationship)
            }
        }
    }

    /// Returns the names of the columns of the relations that the server has.
    private func columns(ofRelations names: [String], _ connection: Connection) throws -> [String: Set<String>] {
        // The names as the catalogue's own type, whose index finds them.
        let sql: SQLText = """
            SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
            WHERE c.relname = ANY(\(bind: ArrayValues(names).parameter)::pg_catalog.name[]) \
            AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = \(bind: .text(schema.name))) \
            AND a.attnum > 0 AND NOT a.attisdropped
            """
        let result = try connection.execute(sql, .open)
        var columns: [String: Set<String>] = [:]
        for row in 0..<result.count {
            if let name = result.text(row, 0), let column = result.text(row, 1) { columns[name, default: []].insert(column) }
        }
        return columns
    }

    private func missing(_ message: String, _ entity: EntityIndex, _ key: String? = nil) -> StoreError {
        StoreError(.corrupt, .open, message, entity: model.entities[entity].name, key: key)
    }
}
