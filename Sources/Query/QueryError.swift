import StrataModel

/// Why a query does not fit a model.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of misfit.
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
        /// Matching a pattern against a text took more steps than are granted.
        case patternTooCostly
        /// The property is transient: no store holds its values.
        case transient
        /// A variable has no value.
        case unboundVariable
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
        /// A `#Predicate` says what no query can.
        case untranslatable
    }

    /// The kind of misfit.
    public let reason: Reason
    /// The entity that the query is about; empty where none is known.
    public let entity: String
    /// The key path, or the text of the comparison; of a long text its beginning.
    public let subject: String
    /// The whole story in one sentence; of a long one its beginning.
    public let message: String

    /// Creates a misfit of a property, a function or a value with an entity.
    public init(_ reason: Reason, entity: String = "", subject: String, _ message: String) {
        self.reason = reason
        self.entity = entity
        self.subject = subject.excerpt(200)
        self.message = message.excerpt(500)
    }

    /// Core Data's code of what is wrong in general.
    public var cocoaCode: Int { 134060 }

    /// What stands in a path instead of a name, where a key path references no property: why.
    package static func placeholder(because reason: String) -> String { "«\(reason.replacing(".", with: "·"))»" }

    /// Why there is no name, where a placeholder represents it.
    package static func reason(ofPlaceholder name: String) -> String? {
        name.hasPrefix("«") && name.hasSuffix("»") ? String(name.dropFirst().dropLast()).replacing("·", with: ".") : nil
    }

    public var description: String { entity.isEmpty ? "\(subject): \(message)" : "\(subject) on \(entity): \(message)" }
}
