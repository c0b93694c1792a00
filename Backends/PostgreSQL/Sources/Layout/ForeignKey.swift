import StrataModel
import StrataSQL
import StrataStore

/// A foreign key: a column of references to the rows of a table.
struct ForeignKey {
    let table: QualifiedName
    let column: String
    let destination: QualifiedName
    /// Whether rows go with those that they lead to: links do.
    let isCascading: Bool

    /// What makes it; the server gives it a name.
    ///
    /// ```sql
    /// ALTER TABLE "s"."pet" ADD FOREIGN KEY ("owner_id") REFERENCES "s"."person" ("_id") DEFERRABLE INITIALLY DEFERRED NOT VALID;
    /// ```
    ///
    /// - Parameter overRows: Whether there may be rows, which are taken as they are: to look at each would take long, and what another program
    ///   broke is no reason to keep a store from being migrated.
    func creation(overRows: Bool) -> SQLText {
        let action: StaticString = isCascading ? " ON DELETE CASCADE" : ""
        return """
            ALTER TABLE \(table) ADD FOREIGN KEY (\(identifier: column)) REFERENCES \(destination) (\(identifier: EntityTable.id))\
            \(action) DEFERRABLE INITIALLY DEFERRED\(overRows ? " NOT VALID; " : "; ")
            """
    }

    /// What removes the foreign keys that lead from one table of a schema to another.
    static func removal(in schema: String, _ connection: Connection) throws -> SQLText {
        let sql: SQLText = """
            SELECT t.relname, c.conname FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_class t ON t.oid = c.conrelid \
            JOIN pg_catalog.pg_class d ON d.oid = c.confrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace \
            WHERE c.contype = 'f' AND d.relnamespace = n.oid AND n.nspname = \(bind: .text(schema))
            """
        let found = try connection.execute(sql, .migrate)
        var removal = SQLText()
        for row in 0..<found.count {
            guard let table = found.text(row, 0), let name = found.text(row, 1) else { continue }
            removal.add("ALTER TABLE \(QualifiedName(schema: schema, name: table)) DROP CONSTRAINT \(identifier: name); ")
        }
        return removal
    }
}

extension SchemaWriter {
    /// A foreign key for each column of references to objects of the store.
    var foreignKeys: [ForeignKey] {
        var keys: [ForeignKey] = []
        for table in sortedTables {
            var columns: Set<String> = []
            for entity in table.tree.map({ model.entities[$0] }) {
                for relationship in entity.properties.compactMap(\.relationship) where relationship.declaringEntity == entity.index {
                    guard case .toOne(let slot, _, _) = relationship.storage,
                        let destination = schema.table(of: model.destination(of: relationship)),
                        case let column = table.column(slot, of: entity.index).name, columns.insert(column).inserted
                    else { continue }
                    keys.append(ForeignKey(table: table.name, column: column, destination: destination.name, isCascading: false))
                }
            }
        }
        for link in model.linkTables {
            guard let join = schema.joins[link.index] else { continue }
            for side in [LinkSide.first, .second] {
                guard let destination = schema.table(of: model.entities[link.end(side).entity]) else { continue }
                keys.append(
                    ForeignKey(table: join.name, column: join.column(side), destination: destination.name, isCascading: true))
            }
        }
        return keys
    }
}
