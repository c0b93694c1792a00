import StrataSQL

/// A test of text against a constant.
enum TextCondition {
    /// Returns the test, which is null only for an inequality of null.
    static func condition(
        _ subject: SQLText, _ op: QueryComparison.Operator, _ text: String, _ options: QueryComparison.Options
    ) -> Condition? {
        switch op {
        case .notEqual: return condition(subject, .equal, text, options)?.negated
        case .isIn, .between: return nil
        case .contains where options.isEmpty: return Condition("instr(\(subject), \(bind: .text(text))) > 0")
        case .beginsWith where options.isEmpty: return Condition(beginsWith(subject, text))
        case .endsWith where options.isEmpty: return Condition(endsWith(subject, text))
        default: return Condition(tested(subject, op, "\(bind: .text(text))", options))
        }
    }

    /// Returns a test by the core, `strata_text(9, 3, ?, t0.ZNAME)` with the numbers of operator and options; null for null.
    static func tested(
        _ subject: SQLText, _ op: QueryComparison.Operator, _ pattern: SQLText, _ options: QueryComparison.Options
    ) -> SQLText {
        let number = SQLFunctions.operators.firstIndex(of: op) ?? -1
        return "\(SQLFunctions.text)\(number: number), \(number: options.rawValue), \(pattern), \(subject))"
    }

    /// Returns a range, `(t0.ZNAME >= ? AND t0.ZNAME < ?)`, so that an index can be used: no byte of UTF-8 is 255, so the text
    /// with its last byte incremented is the least after all that begin with the text.
    private static func beginsWith(_ subject: SQLText, _ text: String) -> SQLText {
        var end = Array(text.utf8)
        guard let last = end.popLast() else { return "\(subject) IS NOT NULL" }
        end.append(last + 1)
        return "(\(subject) >= \(bind: .text(text)) AND \(subject) < \(bind: .textBytes(end)))"
    }

    /// `substr(CAST(t0.ZNAME AS BLOB), -?) = ?`, by bytes.
    private static func endsWith(_ subject: SQLText, _ text: String) -> SQLText {
        let bytes = Array(text.utf8)
        if bytes.isEmpty { return "\(subject) IS NOT NULL" }
        return "substr(CAST(\(subject) AS BLOB), -\(bind: .integer(Int64(bytes.count)))) = \(bind: .blob(bytes))"
    }
}
