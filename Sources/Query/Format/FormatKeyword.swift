/// The words of the format language, in any case of letters.
enum FormatKeyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    // Not `some` and `none`, which optionals have.
    case someOf = "SOME"
    case all = "ALL"
    case noneOf = "NONE"
    case isIn = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case null = "NULL"
    case `nil` = "NIL"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case this = "SELF"
    case anyKey = "ANYKEY"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    // Words only before a parenthesis, names elsewhere.
    case subquery = "SUBQUERY"
    case fetch = "FETCH"
    case cast = "CAST"
    case ternary = "TERNARY"
    case function = "FUNCTION"
    // Words only between brackets, names elsewhere.
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    // Words only between two expressions, names elsewhere.
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
    // Words of Core Data's without a meaning here.
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"

    /// A word of up to 16 ASCII letters, upper case, as two numbers.
    private struct Packed {
        var high: UInt64 = 0
        var low: UInt64 = 0

        mutating func append(_ byte: UInt8) {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte & 0xDF)
        }
    }

    private static let byLength: [[(packed: Packed, keyword: FormatKeyword)]] = {
        var table: [[(packed: Packed, keyword: FormatKeyword)]] = Array(repeating: [], count: 17)
        for keyword in allCases {
            var packed = Packed()
            for byte in keyword.rawValue.utf8 { packed.append(byte) }
            table[keyword.rawValue.utf8.count].append((packed, keyword))
        }
        return table
    }()

    /// Creates the word of some ASCII letters, without making a string.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard (2...16).contains(bytes.count) else { return nil }
        var packed = Packed()
        for byte in bytes {
            // Clearing the bit of lower case would turn other signs into letters, too.
            guard byte & 0xDF >= UInt8(ascii: "A"), byte & 0xDF <= UInt8(ascii: "Z") else { return nil }
            packed.append(byte)
        }
        for candidate in FormatKeyword.byLength[bytes.count]
        where candidate.packed.low == packed.low && candidate.packed.high == packed.high {
            self = candidate.keyword
            return
        }
        return nil
    }

    /// The operator that the word spells; `nil` for another word.
    var comparison: QueryComparison.Operator? { QueryComparison.Operator(rawValue: rawValue) }
}
