/// A rule that an attribute's value must satisfy when it is saved.
public enum ValidationRule: Sendable, Hashable {
    /// A number or date no smaller than `min` and no larger than `max`; errors 1610, 1620, 1630, 1640.
    case range(min: Value?, max: Value?)
    /// A text, or bytes, of at least `min` and at most `max` characters or bytes; errors 1660, 1670.
    case length(min: Int?, max: Int?)
    /// A text that a regular expression matches as a whole; error 1680.
    case pattern(String)
    /// A value that meets a condition of the format language, in which the value is `SELF`, and `length` that of a text
    /// or of bytes: `.predicate("SELF %% 2 == 0")`; error 1550, with the warning as its message if there is one.
    ///
    /// The text is parsed when a value is checked: a malformed condition, or one on an unknown key, is false for all.
    case predicate(String, warning: String? = nil)

    /// Returns a whole number within a closed range.
    public static func range(_ range: ClosedRange<Int>) -> ValidationRule {
        .range(min: .int(Int64(range.lowerBound)), max: .int(Int64(range.upperBound)))
    }

    /// Returns a number within a closed range.
    public static func range(_ range: ClosedRange<Double>) -> ValidationRule {
        .range(min: .double(range.lowerBound), max: .double(range.upperBound))
    }

    /// Returns a text whose length in characters is within a closed range.
    public static func length(_ range: ClosedRange<Int>) -> ValidationRule {
        .length(min: range.lowerBound, max: range.upperBound)
    }
}
