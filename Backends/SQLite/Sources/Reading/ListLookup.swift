import StrataSQL

extension SQLiteReader {
    /// The number of rows that one statement looks up.
    static let longestList = 1024
    private static let mostLists = 64

    /// Returns a statement that selects the rows of ascending references in order, its parameters bound.
    ///
    /// It is prepared once for each table and power of two: `SELECT … FROM ZPERSON t0 WHERE t0.Z_PK IN (?, ?, …)`, the last reference
    /// repeated. References without gaps are a range: `WHERE t0.Z_PK BETWEEN ? AND ?`.
    func listLookup(_ table: EntityTable, _ references: ArraySlice<Int64>) throws -> StoreStatements.Lookup {
        let (first, last) = (references.first ?? 0, references.last ?? 0)
        let (span, overflow) = last.subtractingReportingOverflow(first)
        if !overflow, span == Int64(references.count - 1) {
            let lookup = try keptLookup(table, size: 0) { "t0.Z_PK BETWEEN ? AND ?" }
            lookup.statement.bind(first, at: 1)
            lookup.statement.bind(last, at: 2)
            return lookup
        }
        var size = 1
        while size < references.count { size *= 2 }
        let lookup = try keptLookup(table, size: size) { "t0.Z_PK IN (\(Array(repeating: SQLText("?"), count: size)))" }
        for (offset, reference) in references.enumerated() { lookup.statement.bind(reference, at: offset + 1) }
        for offset in references.count..<size { lookup.statement.bind(last, at: offset + 1) }
        return lookup
    }

    private func keptLookup(_ table: EntityTable, size: Int, _ condition: () -> SQLText) throws -> StoreStatements.Lookup {
        connection.keepStatements(of: store)
        let shape = StoreStatements.ListShape(root: table.root, size: size)
        if let known = connection.storeStatements.lists[shape] { return known }
        // A long list is a large statement.
        if connection.storeStatements.lists.count == SQLiteReader.mostLists { connection.storeStatements.lists = [:] }
        let decoder = store.decoder(table, table.hierarchy)
        let sql: SQLText = "\(decoder.rows) WHERE \(condition())"
        let lookup = StoreStatements.Lookup(statement: try connection.prepare(sql.text, persistent: true), decoder: decoder)
        connection.storeStatements.lists[shape] = lookup
        return lookup
    }
}

extension [Int64] {
    /// Whether each number is greater than the one before.
    var isStrictlyAscending: Bool { zip(self, dropFirst()).allSatisfy(<) }
}
