import CStrataSQLite

@testable import StrataSQLite

/// What SQLite is given to run on a connection.
final class StatementTrace {
    private var statements: [String] = []

    /// The statements that `body` runs, each followed by a comment with what its parameters were bound to.
    static func of(_ connection: Connection, _ body: () throws -> Void) rethrows -> String {
        let trace = StatementTrace()
        let context = Unmanaged.passUnretained(trace).toOpaque()
        sqlite3_trace_v2(
            connection.handle, UInt32(SQLITE_TRACE_STMT),
            { _, context, statement, _ in
                guard let context, let statement = OpaquePointer(statement) else { return 0 }
                Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue().add(statement)
                return 0
            }, context)
        defer { sqlite3_trace_v2(connection.handle, 0, nil, nil) }
        try body()
        return trace.statements.joined(separator: " ")
    }

    private func add(_ statement: OpaquePointer) {
        guard let text = sqlite3_sql(statement).map({ String(cString: $0) }), !text.hasPrefix("EXPLAIN"),
            let expanded = sqlite3_expanded_sql(statement)
        else { return }
        defer { sqlite3_free(expanded) }
        let bindings = StatementTrace.bindings(of: Array(text.utf8), in: Array(String(cString: expanded).utf8))
        statements.append(text + (bindings.isEmpty ? ";" : "; -- " + bindings.joined(separator: ", ")))
    }

    /// The literals that stand in a statement where its text has parameters.
    private static func bindings(of text: [UInt8], in expanded: [UInt8]) -> [String] {
        var (position, other) = (0, 0)
        var quote: UInt8?
        var found: [String] = []
        while position < text.count, other < expanded.count {
            let byte = text[position]
            position += 1
            if quote != nil || byte != UInt8(ascii: "?") {
                if byte == quote {
                    quote = nil
                } else if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                    quote = byte
                }
                other += 1
                continue
            }
            while position < text.count, isDigit(text[position]) { position += 1 }
            let start = other
            var isQuoted = false
            while other < expanded.count, isQuoted || isPartOfLiteral(expanded[other]) {
                if expanded[other] == UInt8(ascii: "'") { isQuoted.toggle() }
                other += 1
            }
            found.append(String(decoding: expanded[start..<other], as: UTF8.self))
        }
        return found
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isPartOfLiteral(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte & 0xDF || "'.+-".utf8.contains(byte)
    }
}
