/// A statement of every transaction, found without hashing its text.
enum FixedStatement: Int, CaseIterable {
    case begin, beginImmediate, commit, rollback, schemaVersion, lastHistoryNumber, historyInsertion

    var text: String {
        switch self {
        case .begin: "BEGIN"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .schemaVersion: "PRAGMA schema_version"
        case .lastHistoryNumber: "SELECT max(number) FROM STRATA_HISTORY"
        case .historyInsertion: "INSERT INTO STRATA_HISTORY (number, time, origin, body) VALUES (?1, ?2, ?3, ?4)"
        }
    }
}

/// The prepared statements of a connection, by their texts.
struct StatementCache {
    private static let capacity = 256

    private var statements: [String: Statement] = [:]
    /// The texts in the order in which they were prepared.
    private var order: [String] = []
    private var fixed: [Statement?] = Array(repeating: nil, count: FixedStatement.allCases.count)

    /// Returns the statement of a text, prepared the first time.
    mutating func statement(_ text: String, _ prepare: () throws -> Statement) rethrows -> Statement {
        if let known = statements[text] { return known }
        let statement = try prepare()
        if order.count == StatementCache.capacity {
            // Half of them are discarded: those in use are prepared again soon.
            for old in order.prefix(StatementCache.capacity / 2) { statements[old] = nil }
            order.removeFirst(StatementCache.capacity / 2)
        }
        statements[text] = statement
        order.append(text)
        return statement
    }

    mutating func statement(_ statement: FixedStatement, _ prepare: () throws -> Statement) rethrows -> Statement {
        if let known = fixed[statement.rawValue] { return known }
        let prepared = try prepare()
        fixed[statement.rawValue] = prepared
        return prepared
    }
}
