import StrataModel
import StrataSQL
import StrataStore

/// `DEFAULT` clauses of columns, by which a new column gives all rows that are there a value without touching any.
///
/// Rows are inserted with the columns of their entity, so a clause may stand only where every entity of the table has the column.
struct DefaultClauses {
    let connection: Connection

    /// The value that a clause gives all rows of a table; `nil` where it takes statements over the rows.
    static func value(of column: Column, in table: SchemaDiff.Table) -> SQLBinding? {
        guard let value = table.commonValue(of: column).flatMap(SQLBinding.init(filling:)), isLiteral(value) else { return nil }
        return isOfAll(column, table.new) ? value : nil
    }

    /// Whether the rows of a table have a value in a new column: a number may lose its last digit on the way through its text.
    func holds(_ value: SQLBinding, _ column: Column, _ table: String) throws -> Bool {
        try connection.integer("SELECT \(identifier: column.name) IS \(bind: value) FROM \(table: table) LIMIT 1", .migrate) != 0
    }

    /// Whether no column with a clause comes to belong to some entities of its table only.
    func fit(_ tables: SchemaDiff) throws -> Bool {
        for table in tables.tables {
            let partial = table.kept.filter { !DefaultClauses.isOfAll($0.new, table.new) }.map(\.old.name)
            if partial.isEmpty { continue }
            let sql: SQLText = "SELECT name FROM pragma_table_info(\(bind: .text(table.old.name))) WHERE dflt_value IS NOT NULL"
            if try connection.texts(sql, columns: 1, .migrate).contains(where: { partial.contains($0[0]) }) { return false }
        }
        return true
    }

    private static func isOfAll(_ column: Column, _ table: EntityTable) -> Bool {
        table.tree.allSatisfy { index in table.columns(of: index).contains { table.columns[$0].name == column.name } }
    }

    private static func isLiteral(_ value: SQLBinding) -> Bool {
        switch value {
        case .integer, .double: true
        case .text(let text): !text.utf8.contains(0)
        default: false
        }
    }
}
