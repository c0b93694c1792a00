import StrataModel
import StrataSQL
import StrataStore

/// What changes the names and columns of tables, and removes some.
struct TableChanges {
    let tables: SchemaDiff
    let indexes: IndexAltering
    /// The link tables of the new model.
    let joins: [JoinTable?]

    /// The statements, for tables as they were; new ones come after them.
    var statements: SQLText {
        var sql = indexes.removal
        for name in tables.droppedTables.map(\.name) + tables.droppedJoins.map(\.name) { sql.add("DROP TABLE \(name); ") }
        sql.add(renamingOfRelations.statements)
        for table in tables.tables where !table.dropped.isEmpty {
            sql.add(altering: table.new.name, table.dropped) {
                $0.add("DROP COLUMN ")
                $0.add(identifier: $1.name)
            }
        }
        sql.add(renamingOfColumns.statements)
        for table in tables.tables { add(columnChanges: table, to: &sql) }
        for (_, join) in tables.joins { add(keyChange: join, to: &sql) }
        return sql
    }

    private var renamingOfRelations: Renaming {
        var renaming = Renaming()
        for (old, new) in tables.tables.map({ ($0.old, $0.new) }) {
            renaming.add("TABLE", old.name, new.name.name)
            renaming.add("SEQUENCE", old.sequence, new.sequence.name)
            renaming.add("INDEX", QualifiedName(schema: old.name.schema, name: old.key), new.key)
        }
        for (old, new) in tables.joins {
            renaming.add("TABLE", old.name, new.name.name)
            renaming.add("INDEX", QualifiedName(schema: old.name.schema, name: old.key), new.key)
        }
        for (old, new) in indexes.kept { renaming.add("INDEX", QualifiedName(schema: old.table.schema, name: old.name), new.name) }
        return renaming
    }

    private var renamingOfColumns: Renaming {
        var renaming = Renaming()
        for table in tables.tables {
            for (old, new) in table.kept { renaming.add(columnOf: table.new.name, old.name, new.name) }
        }
        for (old, new) in tables.joins {
            let names = [
                (old.first, new.first), (old.second, new.second), (old.orderInFirst, new.orderInFirst),
                (old.orderInSecond, new.orderInSecond),
            ]
            for case (let before?, let after?) in names { renaming.add(columnOf: new.name, before, after) }
        }
        return renaming
    }

    /// ```sql
    /// ALTER TABLE "s"."person" ADD COLUMN "age" bigint DEFAULT 7, ALTER COLUMN "height" TYPE double precision USING "height"::double precision;
    /// ALTER TABLE "s"."person" ALTER COLUMN "age" DROP DEFAULT;
    /// ```
    private func add(columnChanges table: SchemaDiff.Table, to sql: inout SQLText) {
        let filled = table.added.map { ($0, TableChanges.commonValue(of: $0, in: table)) }
        sql.add(altering: table.new.name, filled) { sql, column in
            sql.add("ADD COLUMN \(declaring: column.0)")
            guard let value = column.1 else { return }
            sql.add(" DEFAULT")
            sql.add(literal: value, column.0.kind)
        }
        sql.add(altering: table.new.name, filled.filter { $0.1 != nil }) {
            $0.add("ALTER COLUMN ")
            $0.add(identifier: $1.0.name)
            $0.add(" DROP DEFAULT")
        }
        let converted = table.kept.compactMap { old, new in old.conversion(to: new).map { (new, $0) } }
        sql.add(altering: table.new.name, converted) {
            $0.add("ALTER COLUMN ")
            $0.add(identifier: $1.0.name)
            $0.add(" TYPE ")
            $0.add($1.0.type)
            if $1.0.type == .text { $0.add(" COLLATE \"C\"") }
            $0.add(" USING ")
            $0.add($1.1)
        }
    }

    /// A link table whose sides are exchanged is looked up by the other one first.
    private func add(keyChange join: JoinTable, to sql: inout SQLText) {
        guard let new = joins.compactMap(\.self).first(where: { $0.name == join.name }), new.first != join.first else { return }
        sql.add(altering: new.name, [new]) { sql, join in
            sql.add("DROP CONSTRAINT \(identifier: join.key), ADD ")
            sql.add(keyOf: join)
        }
    }

    /// The value that all rows of a table get in a new column; `nil` where some get another one, or none.
    static func commonValue(of column: Column, in table: SchemaDiff.Table) -> Value? {
        let fills = table.defaults.filter { $0.column == column.name && !$0.isForMissing }
        guard let value = fills.first?.value, fills.count == table.numbers.count, fills.allSatisfy({ $0.value == value }) else {
            return nil
        }
        return value
    }
}

extension SQLText {
    /// Adds `ALTER TABLE "s"."person" …, …; ` where there is anything to alter.
    fileprivate mutating func add<Part>(altering table: QualifiedName, _ parts: [Part], _ body: (inout SQLText, Part) -> Void) {
        if parts.isEmpty { return }
        add("ALTER TABLE ")
        add(table)
        add(" ")
        add(parts, separator: ", ", body)
        add("; ")
    }
}
