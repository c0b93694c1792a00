/// Why a regular expression cannot be used, or it or a pattern of `LIKE` was given up on a text.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// The pattern is malformed, or uses what is not supported.
        case syntax
        /// Repeats written out, or nested too deep, the pattern exceeds its bounds.
        case tooLarge
        /// Matching took more steps than a text of that length is granted.
        case tooCostly
    }

    package let reason: Reason
    /// The offset of the offending place, in Unicode scalars from the start of the pattern.
    package let position: Int
    package let message: String

    init(_ reason: Reason, at position: Int, _ message: String) {
        self.reason = reason
        self.position = position
        self.message = message
    }

    package var description: String { reason == .tooCostly ? message : "at \(position): \(message)" }
}
