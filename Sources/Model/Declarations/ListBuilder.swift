/// Collects the parts of a declaration, one after the other.
@resultBuilder
public enum ListBuilder<Part> {
    /// Returns a part as a list of one.
    public static func buildExpression(_ part: Part) -> [Part] { [part] }
    /// Returns several parts at once.
    public static func buildExpression(_ parts: [Part]) -> [Part] { parts }
    /// Returns the parts one after the other.
    public static func buildBlock(_ parts: [Part]...) -> [Part] { parts.flatMap(\.self) }
    /// Returns the parts that are there under a condition.
    public static func buildOptional(_ parts: [Part]?) -> [Part] { parts ?? [] }
    /// Returns the parts of a true condition.
    public static func buildEither(first parts: [Part]) -> [Part] { parts }
    /// Returns the parts of a false condition.
    public static func buildEither(second parts: [Part]) -> [Part] { parts }
    /// Returns the parts of a loop.
    public static func buildArray(_ parts: [[Part]]) -> [Part] { parts.flatMap(\.self) }
}
