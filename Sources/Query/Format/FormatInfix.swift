/// How tightly operators bind, the loosest first.
enum FormatPrecedence: Int, Comparable {
    case or, and, not, comparison, combined, sum, product, power, unary

    static func < (lhs: FormatPrecedence, rhs: FormatPrecedence) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The precedence of the operators that bind more tightly.
    var next: FormatPrecedence { FormatPrecedence(rawValue: rawValue + 1) ?? .unary }
}

/// An operator between two operands.
enum FormatInfix: Equatable {
    case or
    case and
    case comparison(QueryComparison.Operator)
    case combination(QueryExpression.SetOperation)
    case arithmetic(QueryFunction)

    var precedence: FormatPrecedence {
        switch self {
        case .or: .or
        case .and: .and
        case .comparison: .comparison
        case .combination: .combined
        case .arithmetic(.add), .arithmetic(.subtract): .sum
        case .arithmetic(.raise): .power
        case .arithmetic: .product
        }
    }
}

extension FormatParser {
    /// The operator at the position and its length, `nil` where there is none; passes over space only.
    mutating func infix() throws(FormatFailure) -> (FormatInfix, length: Int)? {
        scanner.skipSpace()
        let second = scanner.second
        switch scanner.next {
        case UInt8(ascii: "="):
            switch second {
            case UInt8(ascii: "="): return (.comparison(.equal), 2)
            case UInt8(ascii: "<"): return (.comparison(.lessOrEqual), 2)
            case UInt8(ascii: ">"): return (.comparison(.greaterOrEqual), 2)
            default: return (.comparison(.equal), 1)
            }
        case UInt8(ascii: "<"):
            switch second {
            case UInt8(ascii: "="): return (.comparison(.lessOrEqual), 2)
            case UInt8(ascii: ">"): return (.comparison(.notEqual), 2)
            default: return (.comparison(.less), 1)
            }
        case UInt8(ascii: ">"):
            return second == UInt8(ascii: "=") ? (.comparison(.greaterOrEqual), 2) : (.comparison(.greater), 1)
        case UInt8(ascii: "!"): return second == UInt8(ascii: "=") ? (.comparison(.notEqual), 2) : nil
        case UInt8(ascii: "&"): return second == UInt8(ascii: "&") ? (.and, 2) : nil
        case UInt8(ascii: "|"): return second == UInt8(ascii: "|") ? (.or, 2) : nil
        case UInt8(ascii: "+"): return (.arithmetic(.add), 1)
        case UInt8(ascii: "-"): return (.arithmetic(.subtract), 1)
        case UInt8(ascii: "*"): return second == UInt8(ascii: "*") ? (.arithmetic(.raise), 2) : (.arithmetic(.multiply), 1)
        case UInt8(ascii: "/"): return (.arithmetic(.divide), 1)
        case UInt8(ascii: "%"): return second == UInt8(ascii: "%") ? (.arithmetic(.modulus), 2) : nil
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return try wordInfix()
        default: return nil
        }
    }

    private func wordInfix() throws(FormatFailure) -> (FormatInfix, length: Int)? {
        let start = scanner.position
        guard let (keyword, end) = scanner.keyword(at: start) else {
            // Uniform type identifiers have no meaning outside of Apple's systems.
            if ["UTI-CONFORMS-TO", "UTI-EQUALS"].contains(where: { stands($0) }) {
                throw scanner.failure("an operator other than UTI-CONFORMS-TO and UTI-EQUALS, which are not supported")
            }
            return nil
        }
        let infix: FormatInfix
        switch keyword {
        case .and: infix = .and
        case .or: infix = .or
        case .union: infix = .combination(.union)
        case .intersect: infix = .combination(.intersect)
        case .minus: infix = .combination(.minus)
        default:
            guard let comparison = keyword.comparison else { return nil }
            infix = .comparison(comparison)
        }
        return (infix, end - start)
    }

    /// Whether a word, given in upper case, stands at the position.
    private func stands(_ word: String) -> Bool {
        let rest = scanner.bytes[scanner.position...].prefix(word.utf8.count)
        return String(decoding: rest, as: UTF8.self).uppercased() == word
    }
}

extension QueryComparison.Options {
    /// The options that have a letter, in the order in which they print.
    ///
    /// `s` for ``numeric`` is an addition to Core Data's language: numbers within text as `localizedStandardCompare` has them.
    static let letters: [(letter: Unicode.Scalar, option: QueryComparison.Options)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive), ("s", .numeric),
    ]

    /// The option that a letter of either case stands for.
    init?(letter: UInt8) {
        guard let found = Self.letters.first(where: { UInt8(ascii: $0.letter) == letter | 0x20 }) else { return nil }
        self = found.option
    }
}
