import StrataSQL

/// The storage classes of the values in a table's columns, which SQLite does not enforce: a value of another class is read as a converted one.
enum StorageClasses {
    /// Returns the references of rows with a value that its column cannot have, each with the index of the first such column; the version
    /// follows the columns.
    static func list(_ table: EntityTable, limit: Int) -> SQLText {
        let present = table.columns.enumerated().filter { $0.element.isPresent }
        let cases = present.map { index, column in SQLText("WHEN \(malformed(column)) THEN \(number: index)") }
        let version = SQLText("WHEN typeof(Z_OPT) <> 'integer' OR Z_OPT < 1 THEN \(number: table.columns.count)")
        let first = SQLText("CASE \(cases + [version], separator: " ") END")
        return "SELECT Z_PK, \(first) AS malformed FROM \(table: table.name) WHERE malformed NOT NULL LIMIT \(number: limit)"
    }

    /// A condition that only malformed values meet.
    private static func malformed(_ column: Column) -> SQLText {
        let name = SQLText("\(identifier: column.name)")
        switch column.kind {
        case .integer, .reference, .entity, .order: return "typeof(\(name)) NOT IN ('integer', 'null')"
        case .boolean: return "typeof(\(name)) NOT IN ('integer', 'null') OR \(name) NOT IN (0, 1)"
        case .double, .float, .date: return "typeof(\(name)) NOT IN ('integer', 'real', 'null') AND \(name) IS NOT 'NaN'"
        // A long one is a blob of its text.
        case .decimal:
            return """
                typeof(\(name)) NOT IN ('integer', 'real', 'blob', 'null') AND \(name) IS NOT 'NaN' \
                OR typeof(\(name)) = 'blob' \
                AND (length(\(name)) = 0 OR length(CAST(\(name) AS TEXT)) <> length(\(name)) OR \(name) GLOB '*[^-+0-9.eE]*')
                """
        case .string, .uri: return "typeof(\(name)) NOT IN ('text', 'null')"
        case .uuid: return "typeof(\(name)) NOT IN ('blob', 'null') OR length(\(name)) <> 16"
        // A text names the file of a value that was external and is lost.
        case .binary, .transformable:
            return "typeof(\(name)) NOT IN ('blob', 'text', 'null') OR typeof(\(name)) = 'text' AND substr(\(name), 1, 1) <> char(2)"
        }
    }
}
