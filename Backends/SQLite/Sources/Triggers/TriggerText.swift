/// The text of a trigger in the catalogue, and whether it is one with which Core Data maintains a location index.
///
/// Core Data's text is known in parts only, and differs between its versions. Therefore the effect of a trigger counts:
/// it has the name of a location index, and only writes the values of its row into that index, or deletes them, by the
/// primary key.
struct TriggerText {
    private enum Token: Hashable {
        /// A keyword, or a name in upper case, without its quotes.
        case word(String)
        case number
        case mark(Character)
    }

    let name: String
    let table: String
    private let tokens: [Token]

    /// - Returns: `nil` for a text with strings, comments or other tokens that Core Data's triggers do not have.
    init?(name: String, table: String, sql: String) {
        guard let tokens = TriggerText.tokens(of: sql) else { return nil }
        self.name = name.uppercased()
        self.table = table.uppercased()
        self.tokens = tokens
    }

    /// Whether the trigger maintains one of the location indexes.
    ///
    /// - Parameters:
    ///   - indexes: The columns of the location indexes, by their names.
    ///   - columns: The columns of the trigger's table. All in upper case.
    func keepsIndex(_ indexes: [String: Set<String>], columns: Set<String>) -> Bool {
        guard let index = indexes.keys.filter({ name.hasPrefix($0 + "_") }).max(by: { $0.count < $1.count }),
            let begin = tokens.firstIndex(of: .word("BEGIN")), tokens.last == .word("END"),
            isHead(Array(tokens[..<begin]), columns)
        else { return false }
        let statements = tokens[(begin + 1)..<(tokens.count - 1)].split(separator: .mark(";"))
        return !statements.isEmpty && statements.allSatisfy { isStatement(Array($0), index, indexes[index] ?? [], columns) }
    }

    /// `CREATE TRIGGER Z_RT_Place_byPosition_UPDATE AFTER UPDATE OF ZLATITUDE ON ZPLACE FOR EACH ROW WHEN (NEW.ZLATITUDE NOT NULL)`.
    private func isHead(_ head: [Token], _ columns: Set<String>) -> Bool {
        guard head.starts(with: [.word("CREATE"), .word("TRIGGER"), .word(name), .word("AFTER")]) else { return false }
        let known = Set(["INSERT", "UPDATE", "OF", "DELETE", "ON", table, "FOR", "EACH", "ROW"]).union(columns)
        let when = head.firstIndex(of: .word("WHEN")) ?? head.count
        let isPlain = head[4..<when].allSatisfy { token in
            switch token {
            case .word(let word): known.contains(word)
            case .mark(let mark): mark == "," || mark == "(" || mark == ")"
            case .number: false
            }
        }
        return isPlain && isCondition(Array(head[min(when + 1, head.count)...]), columns)
    }

    private func isCondition(_ tokens: [Token], _ columns: Set<String>) -> Bool {
        let names = columns.union(["NEW", "OLD"])
        let known = names.union(["AND", "OR", "NOT", "NULL", "IS", "ISNULL", "NOTNULL"])
        return tokens.enumerated().allSatisfy { index, token in
            switch token {
            case .word(let word): known.contains(word)
            case .number: true
            // A word before a parenthesis would be a function.
            case .mark("("): index == 0 || !names.contains { .word($0) == tokens[index - 1] }
            case .mark(let mark): "),.=<>!-+".contains(mark)
            }
        }
    }

    private func isStatement(_ tokens: [Token], _ index: String, _ indexColumns: Set<String>, _ columns: Set<String>) -> Bool {
        guard case .word(let verb)? = tokens.first else { return false }
        var rest = tokens.dropFirst()
        if verb == "DELETE" { return rest.starts(with: [.word("FROM"), .word(index)]) && isKey(rest.dropFirst(2)) }
        guard verb == "INSERT" || verb == "UPDATE" else { return false }
        if rest.starts(with: [.word("OR"), .word("REPLACE")]) { rest = rest.dropFirst(2) }
        guard rest.starts(with: verb == "INSERT" ? [.word("INTO"), .word(index)] : [.word(index), .word("SET")]) else { return false }
        rest = rest.dropFirst(2)
        if verb == "INSERT" { return isOfRow(rest, ["VALUES"], indexColumns, columns) }
        guard let condition = rest.firstIndex(of: .word("WHERE")) else { return false }
        return isOfRow(rest[..<condition], [], indexColumns, columns) && isKey(rest[condition...])
    }

    /// `(Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE)`: nothing but columns.
    private func isOfRow(_ tokens: ArraySlice<Token>, _ words: Set<String>, _ indexColumns: Set<String>, _ columns: Set<String>) -> Bool {
        let known = indexColumns.union(columns).union(words).union(["NEW", "OLD"])
        var last: Token?
        for token in tokens {
            defer { last = token }
            switch token {
            case .word(let word): if !known.contains(word) { return false }
            case .mark("("): if let last, case .word(let word) = last, word != "VALUES" { return false }
            case .mark(let mark): if !"),.=".contains(mark) { return false }
            case .number: return false
            }
        }
        return !tokens.isEmpty
    }

    /// `WHERE Z_PK = OLD.Z_PK`.
    private func isKey(_ tokens: ArraySlice<Token>) -> Bool {
        let plain = tokens.filter { $0 != .mark("(") && $0 != .mark(")") }
        return ["OLD", "NEW"].contains { row in
            plain == [.word("WHERE"), .word("Z_PK"), .mark("="), .word(row), .mark("."), .word("Z_PK")]
        }
    }

    private static func tokens(of sql: String) -> [Token]? {
        var tokens: [Token] = []
        var rest = Substring(sql)
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if first == "\"" {
                let quoted = rest.dropFirst()
                guard let end = quoted.firstIndex(of: "\""),
                    quoted.index(after: end) == quoted.endIndex || quoted[quoted.index(after: end)] != "\""
                else { return nil }
                tokens.append(.word(quoted[..<end].uppercased()))
                rest = quoted[quoted.index(after: end)...]
            } else if first.isLetter || first == "_" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                tokens.append(.word(word.uppercased()))
                rest = rest.dropFirst(word.count)
            } else if first.isNumber {
                tokens.append(.number)
                rest = rest.drop { $0.isNumber || $0 == "." }
            } else {
                guard "(),.;=<>!-+".contains(first), !rest.hasPrefix("--") else { return nil }
                tokens.append(.mark(first))
                rest.removeFirst()
            }
        }
        return tokens
    }
}
