import StrataText

/// The precedence of operators, the loosest first.
enum FormatPrecedence: Int, Comparable {
    case or, and, not, comparison, combined, bits, sum, product, power, unary

    static func < (lhs: FormatPrecedence, rhs: FormatPrecedence) -> Bool { lhs.rawValue < rhs.rawValue }

    var next: FormatPrecedence { FormatPrecedence(rawValue: rawValue + 1) ?? .unary }
}

/// A binary operator, and the length of its spelling.
struct FormatInfix {
    enum Kind: Equatable {
        case or
        case and
        case comparison(QueryComparison.Operator)
        case combination(QueryExpression.SetOperation)
        case bits(QueryFunction)
        case arithmetic(QueryFunction)

        var precedence: FormatPrecedence {
            switch self {
            case .or: .or
            case .and: .and
            case .comparison: .comparison
            case .combination: .combined
            case .bits: .bits
            case .arithmetic(.add), .arithmetic(.subtract): .sum
            case .arithmetic(.raise): .power
            case .arithmetic: .product
            }
        }
    }

    let kind: Kind
    let length: Int

    init(_ kind: Kind, _ length: Int) {
        self.kind = kind
        self.length = length
    }

    var precedence: FormatPrecedence { kind.precedence }
}

extension FormatParser {
    /// Returns the operator at the position where its precedence is at least a minimum.
    mutating func infix(above minimum: FormatPrecedence) throws(FormatFailure) -> FormatInfix? {
        guard let infix = try infix(), infix.precedence >= minimum else { return nil }
        return infix
    }

    /// Returns the operator at the position, `nil` where there is none; skips only space.
    mutating func infix() throws(FormatFailure) -> FormatInfix? {
        scanner.skipSpace()
        switch (Unicode.Scalar(scanner.next), Unicode.Scalar(scanner.second)) {
        case ("=", "="): return FormatInfix(.comparison(.equal), 2)
        case ("<", "="), ("=", "<"): return FormatInfix(.comparison(.lessOrEqual), 2)
        case (">", "="), ("=", ">"): return FormatInfix(.comparison(.greaterOrEqual), 2)
        case ("!", "="), ("<", ">"): return FormatInfix(.comparison(.notEqual), 2)
        case ("=", _): return FormatInfix(.comparison(.equal), 1)
        case ("<", _): return FormatInfix(.comparison(.less), 1)
        case (">", _): return FormatInfix(.comparison(.greater), 1)
        case ("&", "&"): return FormatInfix(.and, 2)
        case ("&", _): return FormatInfix(.bits(.bitwiseAnd), 1)
        case ("|", "|"): return FormatInfix(.or, 2)
        case ("|", _): return FormatInfix(.bits(.bitwiseOr), 1)
        case ("+", _): return FormatInfix(.arithmetic(.add), 1)
        case ("-", _): return FormatInfix(.arithmetic(.subtract), 1)
        case ("*", "*"): return FormatInfix(.arithmetic(.raise), 2)
        case ("*", _): return FormatInfix(.arithmetic(.multiply), 1)
        case ("/", _): return FormatInfix(.arithmetic(.divide), 1)
        case ("%", "%"): return FormatInfix(.arithmetic(.modulus), 2)
        case ("A"..."Z", _), ("a"..."z", _): return try wordInfix()
        default: return nil
        }
    }

    private func wordInfix() throws(FormatFailure) -> FormatInfix? {
        let start = scanner.position
        guard let (keyword, end) = scanner.keyword(at: start) else {
            // Uniform type identifiers have no meaning outside of Apple's systems.
            if ["UTI-CONFORMS-TO", "UTI-EQUALS"].contains(where: { stands($0) }) {
                throw scanner.failure("an operator other than UTI-CONFORMS-TO and UTI-EQUALS, which are not supported")
            }
            return nil
        }
        let kind: FormatInfix.Kind
        switch keyword {
        case .and: kind = .and
        case .or: kind = .or
        case .union: kind = .combination(.union)
        case .intersect: kind = .combination(.intersect)
        case .minus: kind = .combination(.minus)
        default:
            guard let comparison = keyword.comparison else { return nil }
            kind = .comparison(comparison)
        }
        return FormatInfix(kind, end - start)
    }

    /// Returns whether an upper-case word is at the position.
    private func stands(_ word: String) -> Bool {
        let rest = scanner.bytes[scanner.position...].prefix(word.utf8.count)
        return String(decoding: rest, as: UTF8.self).uppercased() == word
    }
}

extension QueryComparison.Options {
    /// The options with a letter, in printing order.
    ///
    /// `s` for ``numeric`` is an addition to Core Data's language: numbers within text as by
    /// `localizedStandardCompare`.
    static let letters: [(letter: Unicode.Scalar, option: QueryComparison.Options)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive), ("s", .numeric),
    ]

    /// Creates the option of a letter, in either case.
    init?(letter: UInt8) {
        guard let found = Self.letters.first(where: { UInt8(ascii: $0.letter) == letter | 0x20 }) else { return nil }
        self = found.option
    }
}
