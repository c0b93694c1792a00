import StrataSQL

/// The parameters of a list whose length changes from query to query.
enum ParameterList {
    /// The longest list that goes into parameters; SQLite allows 32,766 in one statement.
    static let capacity = 16_384

    /// Adds the values, and the last one again until their number is a power of two: so that few statements serve all lengths.
    static func add(_ values: [SQLBinding], to sql: inout SQLText) {
        guard let last = values.last else { return sql.add("NULL") }
        var size = 1
        while size < values.count { size *= 2 }
        sql.add(0..<size, separator: ", ") { sql, index in
            sql.bind(index < values.count ? values[index] : last)
        }
    }
}
