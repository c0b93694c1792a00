import StrataSQL

/// A test of a column's texts against a constant.
///
/// Plain texts are compared by their bytes on both sides. Without regard to case or diacritics, the server compares ASCII alone, and
/// the core all other texts.
struct TextCondition {
    private let column: SQLText
    private let op: QueryComparison.Operator
    private let text: String
    private let options: QueryComparison.Options

    /// - Returns: `nil` where the server lacks one of the options, or cannot store the text.
    init?(_ column: SQLText, _ op: QueryComparison.Operator, _ text: String, _ options: QueryComparison.Options) {
        guard options == options.folding else { return nil }
        self.column = column
        self.op = op
        // A regular expression has its own options for case.
        self.text = TextFolding.fold(text, op == .matches ? options.intersection(.diacriticInsensitive) : options)
        self.options = options
        if self.text.utf8.contains(0) { return nil }
    }

    /// The condition, which all texts that pass the test meet; with whether all that meet it pass.
    var condition: Condition? {
        if op == .matches { return match }
        if options.isEmpty { return test(column).map { Condition($0) } }
        // With the column's collation, lower() changes ASCII letters alone.
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

    /// Returns the server's pattern for one of the core's: `_` is one scalar, `%` any number of them, and a backslash quotes the next one.
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
