/// A rule that an attribute's value must satisfy when it is saved.
public enum ValidationRule: Sendable, Hashable {
    /// A number or date no smaller than `min` and no larger than `max`; errors 1610, 1620, 1630, 1640.
    case range(min: Value?, max: Value?)
    /// A text, or bytes, of at least `min` and at most `max` characters or bytes; errors 1660, 1670.
    case length(min: Int?, max: Int?)
    /// A text that a regular expression matches from end to end; error 1680.
    case pattern(String)
    /// A value that meets a condition of the format language, in which the value is `SELF`, and `length` that of a text or of bytes: `.predicate("SELF %% 2 == 0")`;
    /// error 1550, with the warning as its message where there is one.
    ///
    /// What the model cannot know is found when a value is checked: a text that is no condition, or asks for what a value has not, is met by none.
    case predicate(String, warning: String? = nil)

    /// A whole number within a closed range.
    public static func range(_ range: ClosedRange<Int>) -> ValidationRule {
        .range(min: .int(Int64(range.lowerBound)), max: .int(Int64(range.upperBound)))
    }

    /// A number within a closed range.
    public static func range(_ range: ClosedRange<Double>) -> ValidationRule {
        .range(min: .double(range.lowerBound), max: .double(range.upperBound))
    }

    /// A text whose length in characters is within a closed range.
    public static func length(_ range: ClosedRange<Int>) -> ValidationRule {
        .length(min: range.lowerBound, max: range.upperBound)
    }
}
