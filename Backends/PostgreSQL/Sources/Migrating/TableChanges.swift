import StrataSQL

extension TableAltering {
    /// The statements that rename, alter and drop existing tables; new ones are created afterwards.
    var changes: SQLText {
        var sql = indexes.removal
        for name in tables.droppedTables.map(\.name) + tables.droppedJoins.map(\.name) { sql.add("DROP TABLE \(name); ") }
        sql.add(renamingOfRelations)
        for table in tables.tables {
            sql.add(altering: table.new.name, table.dropped.map { "DROP COLUMN \(identifier: $0.name)" })
        }
        sql.add(renamingOfColumns)
        for table in tables.tables { add(columnChanges: table, to: &sql) }
        for (_, join) in tables.joins { add(keyChange: join, to: &sql) }
        return sql
    }

    /// A relation that another program removed is left out; the constraint of an index is renamed with it.
    private var renamingOfRelations: SQLText {
        var names: [(keyword: StaticString, old: QualifiedName, new: String)] = []
        for (old, new) in tables.tables.map({ ($0.old, $0.new) }) {
            names.append(("TABLE", old.name, new.name.name))
            names.append(("SEQUENCE", old.sequence, new.sequence.name))
            names.append(("INDEX", QualifiedName(schema: old.name.schema, name: old.key), new.key))
        }
        for (old, new) in tables.joins {
            names.append(("TABLE", old.name, new.name.name))
            names.append(("INDEX", QualifiedName(schema: old.name.schema, name: old.key), new.key))
        }
        for (old, new) in indexes.kept { names.append(("INDEX", QualifiedName(schema: old.table.schema, name: old.name), new.name)) }
        return renaming(names.map { ($0, $0.old.name, $0.new) }) { relation, old, new in
            "ALTER \(relation.keyword) IF EXISTS \(QualifiedName(schema: relation.old.schema, name: old)) RENAME TO \(identifier: new); "
        }
    }

    private var renamingOfColumns: SQLText {
        var names: [(QualifiedName, String, String)] = []
        for table in tables.tables { names += table.kept.map { (table.new.name, $0.old.name, $0.new.name) } }
        for (old, new) in tables.joins { names += zip(old.columns, new.columns).map { (new.name, $0, $1) } }
        return renaming(names) { "ALTER TABLE \($0) RENAME COLUMN \(identifier: $1) TO \(identifier: $2); " }
    }

    /// Returns the statements that rename in two steps, first to unused names, as a new name may be that of another relation or column
    /// that is renamed, too.
    private func renaming<T>(_ names: [(T, old: String, new: String)], _ statement: (T, String, String) -> SQLText) -> SQLText {
        let between = "strata_" + UUID().uuidString.lowercased() + "_"
        let changed = names.filter { $0.old != $0.new }.enumerated()
        let first = changed.map { statement($1.0, $1.old, between + String($0)) }
        let second = changed.map { statement($1.0, between + String($0), $1.new) }
        return "\(first + second, separator: "")"
    }

    /// ```sql
    /// ALTER TABLE "s"."person" ADD COLUMN "age" bigint DEFAULT 7, ALTER COLUMN "height" TYPE double precision USING "height"::double precision;
    /// ALTER TABLE "s"."person" ALTER COLUMN "age" DROP DEFAULT;
    /// ```
    private func add(columnChanges table: SchemaDiff.Table, to sql: inout SQLText) {
        let filled = table.added.map { ($0, table.commonValue(of: $0)) }
        sql.add(
            altering: table.new.name,
            filled.map { column, value in
                let addition: SQLText = "ADD COLUMN \(declaring: column)"
                return value.map { "\(addition) DEFAULT\(literal: $0, column.kind)" } ?? addition
            })
        sql.add(
            altering: table.new.name,
            filled.filter { $0.1 != nil }.map { "ALTER COLUMN \(identifier: $0.0.name) DROP DEFAULT" })
        let converted = table.kept.compactMap { old, new -> SQLText? in
            let collation: SQLText = new.type == .text ? " COLLATE \"C\"" : ""
            return old.conversion(to: new).map { "ALTER COLUMN \(identifier: new.name) TYPE \(new.type)\(collation) USING \($0)" }
        }
        sql.add(altering: table.new.name, converted)
    }

    /// The primary key of a join table whose sides are swapped begins with the other column.
    private func add(keyChange join: JoinTable, to sql: inout SQLText) {
        guard let new = writer.schema.joins.compactMap(\.self).first(where: { $0.name == join.name }), new.first != join.first else {
            return
        }
        sql.add("ALTER TABLE \(new.name) DROP CONSTRAINT \(identifier: new.key), ADD \(new.keyConstraint); ")
    }
}

extension SQLText {
    /// Adds `ALTER TABLE "s"."person" …, …; ` where there are alterations.
    fileprivate mutating func add(altering table: QualifiedName, _ parts: [SQLText]) {
        if !parts.isEmpty { add("ALTER TABLE \(table) \(parts); ") }
    }
}

/// The indexes and constraints that are kept, dropped and created when tables are altered; those of other programs stay.
struct IndexAltering {
    private(set) var kept: [(old: IndexDefinition, new: IndexDefinition)] = []
    private(set) var removed: [IndexDefinition] = []
    private(set) var added: [IndexDefinition] = []

    init(_ tables: SchemaDiff, from old: SchemaWriter, to new: SchemaWriter) {
        var names: [QualifiedName: (table: QualifiedName, columns: [String: String])] = [:]
        for table in tables.tables {
            let columns = Dictionary(table.kept.map { ($0.old.name, $0.new.name) }) { first, _ in first }
            names[table.old.name] = (table.new.name, columns)
        }
        for (old, new) in tables.joins { names[old.name] = (new.name, [old.first: new.first, old.second: new.second]) }
        var left = new.indexDefinitions
        for index in old.indexDefinitions {
            // Dropping a table drops its indexes.
            guard let (table, columns) = names[index.table] else { continue }
            if let renamed = index.renamed(table, columns), let position = left.firstIndex(where: { renamed.isSame(as: $0) }) {
                kept.append((index, left.remove(at: position)))
            } else {
                removed.append(index)
            }
        }
        added = left
    }

    var removal: SQLText { "\(removed.map(\.removal), separator: "")" }
}
