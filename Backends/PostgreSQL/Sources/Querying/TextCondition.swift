import StrataSQL

/// A test of a column's texts against a constant.
///
/// Plain texts are compared by their bytes on both sides. Where case or diacritics do not matter, ASCII alone is compared by the server, and
/// all other texts are left to the core.
struct TextCondition {
    private let column: SQLText
    private let op: QueryComparison.Operator
    private let text: String
    private let options: QueryComparison.Options

    /// - Returns: `nil` where the server knows nothing of the options, or of the text.
    init?(_ column: SQLText, _ op: QueryComparison.Operator, _ text: String, _ options: QueryComparison.Options) {
        guard options == options.folding else { return nil }
        self.column = column
        self.op = op
        // Patterns tell by themselves what case they ignore.
        self.text = TextFolding.fold(text, op == .matches ? options.intersection(.diacriticInsensitive) : options)
        self.options = options
        if self.text.utf8.contains(0) { return nil }
    }

    /// The condition, and whether all that meet it pass the test: those that pass meet it in any case.
    var condition: Condition? {
        if op == .matches { return match }
        if options.isEmpty { return test(column).map { Condition($0) } }
        // The column's collation changes the letters of ASCII alone.
        return test(options.contains(.caseInsensitive) ? "lower(\(column))" : column).map { orBeyondASCII($0) }
    }

    /// `(t0."name" ~ $1 OR octet_length(t0."name") <> char_length(t0."name"))`.
    private var match: Condition? {
        guard let translation = PatternTranslation(text, ignoresCase: options.contains(.caseInsensitive)) else { return nil }
        let sql = SQLText("\(column) ~ \(bind: .text(translation.pattern))")
        let isExact = !translation.isForASCII && !options.contains(.diacriticInsensitive)
        return isExact ? Condition(sql) : orBeyondASCII(sql)
    }

    private func orBeyondASCII(_ test: SQLText) -> Condition {
        return Condition(SQLText("(\(test) OR octet_length(\(column)) <> char_length(\(column)))"), isExact: false)
    }

    private func test(_ subject: SQLText) -> SQLText? {
        switch op {
        case .equal where !options.isEmpty: "\(subject) = \(bind: .text(text))"
        case .contains: "strpos(\(subject), \(bind: .text(text))) > 0"
        case .beginsWith where !options.isEmpty: "starts_with(\(subject), \(bind: .text(text)))"
        case .endsWith: "right(\(subject), \(bind: .integer(text.unicodeScalars.count))) = \(bind: .text(text))"
        case .like: "\(subject) LIKE \(bind: .text(TextCondition.pattern(text)))"
        default: nil
        }
    }

    /// The server's pattern for one of the core's: `_` is one scalar, `%` any number of them, and a backslash takes the next one as it is.
    private static func pattern(_ text: String) -> String {
        var pattern = String.UnicodeScalarView()
        var isEscaped = false
        func add(literal scalar: Unicode.Scalar) {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.append("\\") }
            pattern.append(scalar)
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "?" where !isEscaped: pattern.append("_")
            case "*" where !isEscaped: pattern.append("%")
            default: add(literal: scalar)
            }
            isEscaped = false
        }
        if isEscaped { add(literal: "\\") }
        return String(pattern)
    }
}
