/// Why a regular expression cannot be used, or it or a pattern of `LIKE` was given up on a text.
public struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error.
    public enum Reason: Sendable, Hashable {
        /// The pattern is malformed, or uses what is not supported.
        case syntax
        /// The pattern exceeds the limits, with its repeats expanded, or by nesting.
        case tooLarge
        /// Matching took more steps than the limit for a text of that length.
        case tooCostly
    }

    /// The kind of the error.
    public let reason: Reason
    /// The offset of the error, in Unicode scalars from the start of the pattern.
    public let position: Int
    /// The description of the error.
    public let message: String

    init(_ reason: Reason, at position: Int, _ message: String) {
        self.reason = reason
        self.position = position
        self.message = message
    }

    /// Returns the error of a match that took too many steps.
    static func tooCostly(on byteCount: Int) -> PatternError {
        PatternError(.tooCostly, at: 0, "the pattern takes too long on a text of \(byteCount) bytes")
    }

    public var description: String { reason == .tooCostly ? message : "at \(position): \(message)" }
}
