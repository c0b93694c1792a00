/// Why a regular expression is invalid, or why matching it or a pattern of `LIKE` was aborted.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// The pattern is malformed, or uses unsupported syntax.
        case syntax
        /// The pattern exceeds the limits, with its repeats expanded, or by nesting.
        case tooLarge
        /// Matching took more steps than the limit for a text of that length.
        case tooCostly
    }

    package let reason: Reason
    /// The offset of the error, in Unicode scalars from the start of the pattern.
    package let position: Int
    package let message: String

    init(_ reason: Reason, at position: Int, _ message: String) {
        self.reason = reason
        self.position = position
        self.message = message
    }

    package var description: String { reason == .tooCostly ? message : "at \(position): \(message)" }
}
