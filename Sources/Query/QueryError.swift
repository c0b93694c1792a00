import StrataModel

/// The error of a query that does not fit a model.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public enum Reason: Sendable, Hashable {
        /// The entity has no property of that name.
        case unknownKey
        /// A step of a key path is an attribute, or a to-many relationship where a single value is needed.
        case illegalKeyPath
        /// A constant is of a kind that the property it is compared with cannot hold.
        case typeMismatch
        /// The operator does not apply to the operands.
        case illegalOperator
        /// A regular expression is malformed, or too large; the message names the position.
        case illegalPattern
        /// Matching a pattern against a text exceeded the limit of steps.
        case patternTooCostly
        /// The property is transient: no store holds its values.
        case transient
        /// A variable has no value.
        case unboundVariable
        /// A sum or an average is beyond the range of decimal numbers.
        case overflow
        /// The system has no data of a time zone of that name.
        case unknownTimeZone
        /// There is no such function, or it takes another number of arguments.
        case unknownFunction
        /// The tree is deeper than ``QueryPredicate/greatestDepth``.
        case tooDeep
        /// A fetch of groups reads what is neither grouped by nor aggregated.
        case notGrouped
        /// Two results of a fetch have one name, or one has none.
        case duplicateName
        /// The model has no fetch template of that name.
        case unknownTemplate
        /// A key path references a computed property, not one of the model.
        case computedProperty
        /// A `#Predicate` has no counterpart in queries.
        case untranslatable
    }

    /// The kind of the error.
    public let reason: Reason
    /// The entity of the query; empty where unknown.
    public let entity: String
    /// The key path, or the text of the comparison; of a long text its beginning.
    public let subject: String
    /// The description in one sentence; of a long one its beginning.
    public let message: String

    /// Creates the error of a property, a function or a value for an entity.
    public init(_ reason: Reason, entity: String = "", subject: String, _ message: String) {
        self.reason = reason
        self.entity = entity
        self.subject = subject.excerpt(200)
        self.message = message.excerpt(500)
    }

    /// Core Data's generic code.
    public var cocoaCode: Int { 134060 }

    /// Returns the placeholder name of a key path without a property, with the reason.
    package static func placeholder(because reason: String) -> String { "«\(reason.replacing(".", with: "·"))»" }

    package static func reason(ofPlaceholder name: String) -> String? {
        name.hasPrefix("«") && name.hasSuffix("»") ? String(name.dropFirst().dropLast()).replacing("·", with: ".") : nil
    }

    public var description: String { entity.isEmpty ? "\(subject): \(message)" : "\(subject) on \(entity): \(message)" }
}
