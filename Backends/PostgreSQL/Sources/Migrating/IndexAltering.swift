import StrataSQL
import StrataStore

/// Which indexes and constraints of a store stay, go and come when its tables are altered; those of others stay.
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
            // With a table that goes, its indexes go.
            guard let (table, columns) = names[index.table] else { continue }
            if let renamed = index.renamed(table, columns), let position = left.firstIndex(where: { renamed.isSame(as: $0) }) {
                kept.append((index, left.remove(at: position)))
            } else {
                removed.append(index)
            }
        }
        added = left
    }

    var removal: SQLText {
        var sql = SQLText()
        for index in removed { sql.add(index.removal) }
        return sql
    }
}
