import StrataSQL

extension SQLText {
    /// Returns an expression that is 1, and fails where another program changed the type of a column, or limited its digits.
    ///
    /// The server converts the values of a statement to the type of the column, which may lose digits, and COPY takes the bytes of one type
    /// for those of another. The expression fails by converting the name of the column to a number, so that the message has it, see
    /// ``PostgreSQLTransaction/explaining(_:_:)``. Its query reads no row.
    ///
    /// ```sql
    /// coalesce((SELECT CASE WHEN pg_typeof(c."age")::oid NOT IN (20) AND … THEN 'age' … END
    /// FROM (SELECT) o LEFT JOIN "s"."person" c ON false), '1')::integer
    /// ```
    static func checkingTypes(_ columns: [WrittenColumn], of table: QualifiedName) -> SQLText {
        let conditions = columns.flatMap { column -> [SQLText] in
            let types: SQLText = "\(numbers: column.type.oids.map { Int($0) })"
            let type: SQLText = "pg_catalog.pg_typeof(c.\(identifier: column.name))::oid"
            // A domain over the type.
            let base: SQLText = "(SELECT typbasetype FROM pg_catalog.pg_type WHERE oid = \(type))"
            let isOther: SQLText = "WHEN \(type) NOT IN (\(types)) AND \(base) NOT IN (\(types)) THEN \(literal: column.name)"
            guard column.type == .numeric else { return [isOther] }
            let limit: SQLText = """
                (SELECT atttypmod FROM pg_catalog.pg_attribute WHERE attrelid = \(relation: table)::pg_catalog.regclass \
                AND attname = \(literal: column.name))
                """
            return [isOther, "WHEN \(limit) <> -1 THEN \(literal: column.name)"]
        }
        return """
            coalesce((SELECT CASE \(conditions, separator: " ") END FROM (SELECT) o LEFT JOIN \(table) c ON false), '1')::integer
            """
    }
}

/// A column that a statement writes to.
struct WrittenColumn {
    let name: String
    let type: ColumnType

    /// The columns of the reference, the entity and the version of a row.
    static let identity = [
        WrittenColumn(name: EntityTable.id, type: .bigint), WrittenColumn(name: EntityTable.entity, type: .integer),
        WrittenColumn(name: EntityTable.version, type: .bigint),
    ]

    init(name: String, type: ColumnType) { (self.name, self.type) = (name, type) }
    init(_ column: Column) { self.init(name: column.name, type: column.type) }
}
