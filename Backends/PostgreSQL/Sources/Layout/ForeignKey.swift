import StrataSQL

extension SchemaWriter {
    /// Returns the statements that create a foreign key for each column that references objects of the store; the server names them.
    ///
    /// Links are deleted with the rows that they reference.
    ///
    /// ```sql
    /// ALTER TABLE "s"."pet" ADD FOREIGN KEY ("owner_id") REFERENCES "s"."person" ("_id") DEFERRABLE INITIALLY DEFERRED NOT VALID;
    /// ```
    ///
    /// - Parameter overRows: Whether there may be rows, which are not validated: that takes long, and a reference that another program
    ///   broke must not prevent a migration.
    func foreignKeys(overRows: Bool) -> [SQLText] {
        func key(_ table: QualifiedName, _ column: String, _ destination: EntityTable, _ action: StaticString = "") -> SQLText {
            """
            ALTER TABLE \(table) ADD FOREIGN KEY (\(identifier: column)) REFERENCES \(destination.name) (\(identifier: EntityTable.id))\
            \(action) DEFERRABLE INITIALLY DEFERRED\(overRows ? " NOT VALID; " : "; ")
            """
        }
        var keys: [SQLText] = []
        for table in sortedTables {
            var columns: Set<String> = []
            for entity in table.hierarchy.map({ model.entities[$0] }) {
                for relationship in entity.properties.compactMap(\.relationship) where relationship.declaringEntity == entity.index {
                    guard case .toOne(let slot, _, _) = relationship.storage,
                        let destination = schema.table(of: model.destination(of: relationship)),
                        case let column = table.column(slot, of: entity.index).name, columns.insert(column).inserted
                    else { continue }
                    keys.append(key(table.name, column, destination))
                }
            }
        }
        for link in model.linkTables {
            guard let join = schema.joins[link.index] else { continue }
            for side in [LinkSide.first, .second] {
                guard let destination = schema.table(of: model.entities[link.end(side).entity]) else { continue }
                keys.append(key(join.name, join.column(side), destination, " ON DELETE CASCADE"))
            }
        }
        return keys
    }
}

extension Connection {
    /// Returns the statement that drops the foreign keys from some tables of a schema to others of it.
    func removalOfForeignKeys(of tables: [String], in schema: String) throws -> SQLText {
        // By names and by tables, for which the catalogue has indexes: a database may have very many constraints.
        let sql: SQLText = """
            SELECT t.relname, c.conname FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_class t ON t.oid = c.conrelid \
            JOIN pg_catalog.pg_class d ON d.oid = c.confrelid WHERE c.contype = 'f' AND d.relnamespace = t.relnamespace \
            AND c.conrelid = ANY(ARRAY(SELECT r.oid FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace \
            WHERE n.nspname = \(bind: .text(schema)) AND r.relname = ANY(\(bind: ArrayValues(tables).parameter))))
            """
        let found = try execute(sql, .migrate)
        let removals = (0..<found.count).compactMap { row -> SQLText? in
            guard let table = found.text(row, 0), let name = found.text(row, 1) else { return nil }
            return "ALTER TABLE \(QualifiedName(schema: schema, name: table)) DROP CONSTRAINT \(identifier: name); "
        }
        return "\(removals, separator: "")"
    }
}
