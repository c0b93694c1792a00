import StrataModel
import StrataQuery
import StrataText

extension NSComparisonPredicate {
    /// Which elements of a left side that yields several a comparison is about, with Core Data's raw values.
    public enum Modifier: UInt, Sendable {
        /// The left side as it is.
        case direct = 0
        /// Every element; always met by none.
        case all = 1
        /// At least one element; never met by none.
        case any = 2
    }

    /// How two values are compared, with Core Data's raw values.
    public enum Operator: UInt, Sendable {
        /// The left value is less; never met by nil.
        case lessThan = 0
        /// The left value is less, or both are equal.
        case lessThanOrEqualTo = 1
        /// The left value is greater; never met by nil.
        case greaterThan = 2
        /// The left value is greater, or both are equal.
        case greaterThanOrEqualTo = 3
        /// Both are equal; also met by two nils.
        case equalTo = 4
        /// Both differ.
        case notEqualTo = 5
        /// A regular expression matches the left text from end to end.
        case matches = 6
        /// The left text has the shape of the right one, with `?` and `*`.
        case like = 7
        /// The left text begins with the right one.
        case beginsWith = 8
        /// The left text ends with the right one.
        case endsWith = 9
        /// The left value is among the right ones, or within the right text.
        case `in` = 10
        /// A function of the program's compares.
        case customSelector = 11
        /// The left text contains the right one, or the left collection the right value.
        case contains = 99
        /// The left value is between two right ones, or one of them.
        case between = 100
    }

    /// How text is prepared before it is compared, with Core Data's raw values.
    public struct Options: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Without regard to case, `[c]`.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Without regard to diacritics, `[d]`.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// By bytes, ignoring other options, for operands that were normalized already: `[n]`.
        public static let normalized = Options(rawValue: 4)
    }
}

// Strata's options have the same raw values, and two more.
extension NSComparisonPredicate {
    var queryModifier: QueryComparison.Modifier {
        QueryComparison.Modifier.allCases.first { Modifier($0) == comparisonPredicateModifier } ?? .direct
    }

    /// The name of the comparing function, empty if there is none.
    var customName: String { customSelector?.name ?? "" }
}

extension NSComparisonPredicate.Options {
    var textOptions: QueryComparison.Options { QueryComparison.Options(rawValue: Int(truncatingIfNeeded: rawValue)) }
}

extension NSComparisonPredicate.Operator {
    init(_ op: QueryComparison.Operator) {
        switch op {
        case .less: self = .lessThan
        case .lessOrEqual: self = .lessThanOrEqualTo
        case .greater: self = .greaterThan
        case .greaterOrEqual: self = .greaterThanOrEqualTo
        case .equal: self = .equalTo
        case .notEqual: self = .notEqualTo
        case .matches: self = .matches
        case .like: self = .like
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .isIn: self = .in
        case .contains: self = .contains
        case .between: self = .between
        }
    }
}

extension NSComparisonPredicate.Modifier {
    init(_ modifier: QueryComparison.Modifier) {
        switch modifier {
        case .direct: self = .direct
        case .all: self = .all
        case .any: self = .any
        }
    }
}
