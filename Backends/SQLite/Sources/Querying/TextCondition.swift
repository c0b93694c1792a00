import StrataQuery
import StrataSQL
import StrataText

/// A test of text against a constant.
struct TextCondition {
    private let subject: SQLText
    private let op: QueryComparison.Operator
    private let text: String
    private let options: QueryComparison.Options

    init(_ subject: SQLText, _ op: QueryComparison.Operator, _ text: String, _ options: QueryComparison.Options) {
        self.subject = subject
        self.op = op
        self.text = text
        self.options = options
    }

    /// The test, null for no text but for an inequality.
    var condition: Condition? {
        switch op {
        case .notEqual: return TextCondition(subject, .equal, text, options).condition?.negated
        case .isIn, .between: return nil
        case .contains where options.isEmpty: return Condition(contains)
        case .beginsWith where options.isEmpty: return Condition(beginsWith)
        case .endsWith where options.isEmpty: return Condition(endsWith)
        default: return Condition(TextCondition.tested(subject, op, SQLText("\(bind: .text(text))"), options))
        }
    }

    /// A test by the core's own means, `strata_text(9, 3, ?, t0.ZNAME)` with the numbers of operator and options; null for no text.
    static func tested(
        _ subject: SQLText, _ op: QueryComparison.Operator, _ pattern: SQLText, _ options: QueryComparison.Options
    ) -> SQLText {
        let number = SQLFunctions.operators.firstIndex(of: op) ?? -1
        return "\(SQLFunctions.text)\(number: number), \(number: options.rawValue), \(pattern), \(subject))"
    }

    /// `instr(t0.ZNAME, ?) > 0`.
    private var contains: SQLText { SQLText("instr(\(subject), \(bind: .text(text))) > 0") }

    /// A range, `(t0.ZNAME >= ? AND t0.ZNAME < ?)`, so that an index serves: no byte of UTF-8 is the greatest there is, so the text with its
    /// last byte raised by one follows all that begin with the text, and nothing lies between.
    private var beginsWith: SQLText {
        var end = Array(text.utf8)
        guard let last = end.popLast() else { return anyText }
        end.append(last + 1)
        return SQLText("(\(subject) >= \(bind: .text(text)) AND \(subject) < \(bind: .textBytes(end)))")
    }

    /// `substr(CAST(t0.ZNAME AS BLOB), -?) = ?`, by bytes.
    private var endsWith: SQLText {
        let bytes = Array(text.utf8)
        if bytes.isEmpty { return anyText }
        return SQLText("substr(CAST(\(subject) AS BLOB), -\(bind: .integer(Int64(bytes.count)))) = \(bind: .blob(bytes))")
    }

    private var anyText: SQLText { "\(subject) IS NOT NULL" }
}
