import StrataText

/// Prints trees as format text with minimal parentheses.
///
/// Parts nested deeper than any text that parses print as an ellipsis, which does not parse.
struct FormatPrinter {
    private(set) var text = ""
    private(set) var isTruncated = false
    private var depth = 0
    /// The number of enclosing fetches: each quotes its content once more, and doubles the backslashes.
    private var fetches = 0
    private static let greatestFetches = 12

    /// Goes one level down; prints an ellipsis where that is too deep.
    mutating func enter() -> Bool {
        if depth == QueryPredicate.greatestDepth || fetches > FormatPrinter.greatestFetches {
            text += "…"
            isTruncated = true
            return false
        }
        depth += 1
        return true
    }

    mutating func leave() { depth -= 1 }

    /// Prints the condition of a fetch as a quoted text.
    mutating func printQuoted(_ predicate: QueryPredicate) {
        var inner = FormatPrinter()
        (inner.depth, inner.fetches) = (depth, fetches + 1)
        inner.print(predicate)
        isTruncated = isTruncated || inner.isTruncated
        text += FormatPrinter.quote(inner.text)
    }

    mutating func print(_ predicate: QueryPredicate) {
        guard enter() else { return }
        defer { leave() }
        switch predicate {
        case .constant(let truth): text += truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): print(parts, joinedBy: " AND ", .and, ofNone: "TRUEPREDICATE")
        case .or(let parts): print(parts, joinedBy: " OR ", .or, ofNone: "FALSEPREDICATE")
        case .not(let part):
            text += "NOT "
            print(part, within: .not)
        case .comparison(let comparison): print(comparison)
        }
    }

    private mutating func print(_ parts: [QueryPredicate], joinedBy separator: String, _ precedence: FormatPrecedence, ofNone: String) {
        if parts.isEmpty { text += ofNone }
        if parts.count == 1 { return print(parts[0]) }
        for (index, part) in parts.enumerated() {
            if index > 0 { text += separator }
            print(part, within: precedence.next)
        }
    }

    /// Prints a part of a condition, in parentheses where its precedence is lower.
    private mutating func print(_ predicate: QueryPredicate, within minimum: FormatPrecedence) {
        let isGrouped = predicate.precedence < minimum
        if isGrouped { text += "(" }
        print(predicate)
        if isGrouped { text += ")" }
    }

    mutating func print(_ comparison: QueryComparison) {
        if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
        print(comparison.left)
        text += " " + comparison.operator.rawValue
        if !comparison.options.letters.isEmpty { text += "[\(comparison.options.letters)]" }
        text += " "
        print(comparison.right)
    }

    mutating func append(_ string: String) { text += string }

    fileprivate static func text(_ print: (inout FormatPrinter) -> Void) -> String {
        var printer = FormatPrinter()
        print(&printer)
        return printer.text
    }
}

extension QueryPredicate {
    /// The precedence of the printed form.
    ///
    /// AND and OR keep theirs even with no or one part, which print without the word.
    fileprivate var precedence: FormatPrecedence {
        var predicate = self
        while true {
            switch predicate {
            case .and(let parts), .or(let parts):
                if parts.count == 1 {
                    predicate = parts[0]
                    continue
                }
                if parts.isEmpty { return .comparison }
                if case .and = predicate { return .and }
                return .or
            case .not: return .not
            case .comparison, .constant: return .comparison
            }
        }
    }
}

extension QueryComparison.Options {
    /// The letters of the options: `cd`.
    var letters: String {
        var letters = ""
        for (letter, option) in Self.letters where contains(option) { letters.unicodeScalars.append(letter) }
        // A locale is named after the letters: `ls@zh`.
        return letters + (namedLocale.map { "@" + $0 } ?? "")
    }
}

extension QueryPredicate: CustomStringConvertible {
    /// The predicate in the format language.
    ///
    /// Parts nested deeper than ``greatestDepth`` print as an ellipsis, which does not parse. Otherwise it parses to an
    /// equal tree, except that AND and OR of no or one part print simplified, a list of constants as a constant list, a
    /// cast of a literal as its constant, and object IDs need a model to be constants again.
    public var predicateFormat: String { FormatPrinter.text { $0.print(self) } }

    public var description: String { predicateFormat }
}

extension QueryComparison: CustomStringConvertible {
    public var description: String { FormatPrinter.text { $0.print(self) } }
}

extension QueryExpression: CustomStringConvertible {
    /// The expression in the format language.
    public var description: String { FormatPrinter.text { $0.print(self) } }
}
