import StrataModel

/// Prints trees as format text with as few parentheses as parse to the same tree.
struct FormatPrinter {
    private(set) var text = ""

    mutating func print(_ predicate: QueryPredicate) {
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

    private mutating func print(
        _ parts: [QueryPredicate], joinedBy separator: String, _ precedence: FormatPrecedence, ofNone: String
    ) {
        if parts.isEmpty { text += ofNone }
        if parts.count == 1 { return print(parts[0]) }
        for (index, part) in parts.enumerated() {
            if index > 0 { text += separator }
            print(part, within: precedence.next)
        }
    }

    /// Prints a part of another condition, in parentheses where it binds more loosely.
    private mutating func print(_ predicate: QueryPredicate, within minimum: FormatPrecedence) {
        let isGrouped = predicate.precedence < minimum
        if isGrouped { text += "(" }
        print(predicate)
        if isGrouped { text += ")" }
    }

    mutating func print(_ comparison: QueryComparison) {
        if comparison.modifier != .direct {
            text += comparison.modifier.rawValue
            text += " "
        }
        print(comparison.left)
        text += " "
        text += comparison.operator.rawValue
        if !comparison.options.letters.isEmpty { text += "[\(comparison.options.letters)]" }
        text += " "
        print(comparison.right)
    }

    mutating func append(_ string: String) { text += string }
}

extension QueryPredicate {
    /// How tightly the printed form binds.
    ///
    /// AND and OR bind as loosely as they may even where they have no or one part, which print without the word.
    fileprivate var precedence: FormatPrecedence {
        switch self {
        case .and(let parts): parts.count == 1 ? parts[0].precedence : parts.isEmpty ? .comparison : .and
        case .or(let parts): parts.count == 1 ? parts[0].precedence : parts.isEmpty ? .comparison : .or
        case .not: .not
        case .comparison, .constant: .comparison
        }
    }
}

extension QueryComparison.Options {
    /// The letters of the options: `cd`.
    var letters: String {
        var letters = ""
        for (letter, option) in Self.letters where contains(option) { letters.unicodeScalars.append(letter) }
        return letters
    }
}
