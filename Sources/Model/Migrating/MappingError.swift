/// Why there is no mapping from one version of a model to another.
public struct MappingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of obstacle.
    public enum Reason: Sendable, Hashable {
        /// Two entities, or two properties of one, have the same renaming origin.
        case ambiguousRenaming
        /// An attribute has another type, to which its values cannot be converted without loss.
        case typeChange
        /// A mapping names a missing entity.
        case unknownEntity
        /// A mapping names a missing property.
        case unknownProperty
        /// Two mappings have one name, or one property has two.
        case duplicateName
        /// An expression or a condition is malformed, or invalid for the entity.
        case invalidExpression
        /// A mapping names a missing policy.
        case unknownPolicy
    }

    /// The kind of obstacle.
    public let reason: Reason
    /// The entity in the destination, or in the source where it is about that.
    public let entity: String
    /// The property in the destination, `nil` where it is the entity itself.
    public let property: String?
    /// The description in one sentence.
    public let message: String

    /// Creates an error of a mapping.
    public init(_ reason: Reason, entity: String, property: String? = nil, _ message: String) {
        self.reason = reason
        self.entity = entity
        self.property = property
        self.message = message
    }

    /// Core Data's code: that of a mapping that cannot be inferred, or of one that cannot be used.
    public var cocoaCode: Int {
        switch reason {
        case .ambiguousRenaming, .typeChange: 134190
        default: 134110
        }
    }

    public var description: String { "there is no mapping for \(entity)\(property.map { "." + $0 } ?? ""): \(message)" }
}
