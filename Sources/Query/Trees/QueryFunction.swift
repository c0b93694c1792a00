/// A function of the format language, spelled as Core Data's selector.
///
/// A function of nil is nil, except the statistics, which ignore nils.
public enum QueryFunction: String, Sendable, Hashable, CaseIterable {
    // Statistics, over one list or over all arguments.
    /// The sum; 0 of nothing.
    case sum = "sum:"
    /// The number of values that are not nil.
    case count = "count:"
    /// The least value; nil of nothing.
    case min = "min:"
    /// The greatest value; nil of nothing.
    case max = "max:"
    /// The mean; nil of nothing.
    case average = "average:"
    /// The value in the middle, or the mean of the two there; nil of nothing.
    case median = "median:"
    /// The most frequent values, a list.
    case mode = "mode:"
    /// The standard deviation of the population.
    case standardDeviation = "stddev:"

    // Arithmetic: of integers an integer, a floating-point number on overflow; nil for a division by zero. Dates and
    // seconds add.
    /// The sum `a + b`.
    case add = "add:to:"
    /// The difference `a - b`.
    case subtract = "from:subtract:"
    /// The product `a * b`.
    case multiply = "multiply:by:"
    /// `a / b`; of integers truncated toward zero.
    case divide = "divide:by:"
    /// The remainder, `a %% b`.
    case modulus = "modulus:by:"
    /// The opposite number `-a`.
    case negate = "negate:"
    /// The number without its sign.
    case abs = "abs:"
    /// The square root; nil of a negative number.
    case squareRoot = "sqrt:"
    /// The logarithm to the base 10.
    case log = "log:"
    /// The logarithm to the base e.
    case ln = "ln:"
    /// The first number to the power of the second, `a ** b`.
    case raise = "raise:toPower:"
    /// The number e to the power of a number.
    case exp = "exp:"
    /// The greatest whole number that is not above.
    case floor = "floor:"
    /// The least whole number that is not below.
    case ceiling = "ceiling:"
    /// The whole number next to it, toward zero.
    case trunc = "trunc:"
    /// A number from 0 to 1; of a list, one of its elements.
    case random = "random"
    /// An integer from 0 up to, but not including, a bound.
    case randomBelow = "randomn:"

    /// The bits that both integers have.
    case bitwiseAnd = "bitwiseAnd:with:"
    /// The bits that one integer has, or both.
    case bitwiseOr = "bitwiseOr:with:"
    /// The bits that one of the integers has, and not both.
    case bitwiseXor = "bitwiseXor:with:"
    /// The bits, shifted left by a number of bits.
    case leftShift = "leftshift:by:"
    /// The bits, shifted right by a number of bits.
    case rightShift = "rightshift:by:"
    /// The bits inverted.
    case onesComplement = "onesComplement:"

    /// The text in upper case, the same in every locale.
    case uppercase = "uppercase:"
    /// The text in lower case, the same in every locale.
    case lowercase = "lowercase:"
    /// Without case and diacritics.
    case canonical = "canonical:"
    /// The number of Unicode scalars, of which some characters are made of several.
    case length = "length:"
    /// The number of characters, as Swift counts them.
    case characterCount = "characterCount:"

    /// The moment when the fetch begins.
    case now = "now"
    // Parts of a date in a time zone, an addition to Core Data's language: see ``DatePart``.
    /// The year, `year:in:(paid, "Europe/Rome")`.
    case year = "year:in:"
    /// The quarter.
    case quarter = "quarter:in:"
    /// The month.
    case month = "month:in:"
    /// The week of ISO 8601.
    case weekOfYear = "weekOfYear:in:"
    /// The year of that week.
    case yearForWeekOfYear = "yearForWeekOfYear:in:"
    /// The day of the month.
    case day = "day:in:"
    /// The day of the year.
    case dayOfYear = "dayOfYear:in:"
    /// The day of the week, 1 for Sunday.
    case weekday = "weekday:in:"
    /// The hour.
    case hour = "hour:in:"
    /// The minute.
    case minute = "minute:in:"
    /// The whole second.
    case second = "second:in:"

    /// Metres along the Earth's surface between two lists of a latitude and a longitude in degrees.
    case distance = "distanceToLocation:fromLocation:"
    /// The value as another type: `CAST(value, "NSDate")`.
    case cast = "castObject:toType:"
    /// The value; keeps a store from using an index.
    case noIndex = "noindex:"
    /// The value; names an index for a store to use.
    case indexedBy = "indexed:by:"
    /// The element of a list with an index.
    case objectAt = "objectFrom:withIndex:"
    /// The elements of all lists as one list; an addition to Core Data's language.
    case joined = "joined:"

    /// Creates the function with a selector, with or without its last colon, or one of its other names: `avg:`.
    public init?(selector: String) {
        switch selector {
        case "avg", "avg:": self = .average
        case "ceil", "ceil:": self = .ceiling
        case "random:": self = .random
        default:
            guard let found = QueryFunction(rawValue: selector) ?? QueryFunction(rawValue: selector + ":") else { return nil }
            self = found
        }
    }

    /// Creates the function that computes a part of a date in a time zone.
    public init(_ part: DatePart) {
        self = QueryFunction.allCases.first { $0.datePart == part } ?? .year
    }

    /// The part of a date that the function computes; `nil` for other functions.
    public var datePart: DatePart? {
        switch self {
        case .year: .year
        case .quarter: .quarter
        case .month: .month
        case .weekOfYear: .weekOfYear
        case .yearForWeekOfYear: .yearForWeekOfYear
        case .day: .day
        case .dayOfYear: .dayOfYear
        case .weekday: .weekday
        case .hour: .hour
        case .minute: .minute
        case .second: .second
        default: nil
        }
    }

    /// Whether the function is an operator for more than two operands, left-associative: `a - b - c`.
    public var isChained: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide, .raise: true
        default: false
        }
    }

    /// Returns whether the function can be called with a number of arguments.
    public func takes(_ count: Int) -> Bool { argumentCount.map { count == $0 || (isChained && count > $0) } ?? true }

    /// The number of arguments, `nil` for any number; of an operator that ``isChained`` the least.
    public var argumentCount: Int? {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation, .random, .joined: nil
        case .now: 0
        case .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift,
            .distance, .cast, .indexedBy, .objectAt, .year, .quarter, .month, .weekOfYear, .yearForWeekOfYear, .day, .dayOfYear, .weekday,
            .hour, .minute, .second:
            2
        default: 1
        }
    }
}
