/// An inconsistency of a model, with the entity and the property where it was found.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of inconsistency.
    public enum Reason: Sendable, Hashable {
        /// A name is empty, or invalid for properties.
        case illegalName
        /// Two entities, two properties of an entity or its ancestors, two indexes or two configurations have one name.
        case duplicateName
        /// An entity's parent is missing.
        case unknownParent
        /// Entities are each other's ancestors.
        case inheritanceCycle
        /// The destination of a relationship is no entity of the model.
        case unknownDestination
        /// A relationship's inverse does not exist in the destination, or is no relationship.
        case unknownInverse
        /// A relationship's inverse does not match: it has another destination, or another inverse.
        case inverseMismatch
        /// A default value, a bound of a validation rule, or a typed key is not of the property's type.
        case wrongType
        /// A validation rule does not apply to the attribute's type, or cannot be satisfied.
        case illegalRule
        /// An invalid element of a composite attribute, or a composite one without elements or with invalid properties.
        case illegalElement
        /// A persistent attribute has no type.
        case undefinedType
        /// The counts of a relationship contradict each other or its cardinality.
        case illegalCount
        /// A constraint, an index or a configuration names a missing property, or one that cannot be part of it.
        case unknownProperty
    }

    /// The kind of inconsistency.
    public let reason: Reason
    /// The entity where it shows.
    public let entity: String
    /// The property where it shows, `nil` where it is the entity itself.
    public let property: String?
    /// The description in one sentence.
    public let message: String

    /// Creates an inconsistency of an entity, or of one of its properties.
    public init(_ reason: Reason, entity: String, property: String? = nil, _ message: String) {
        self.reason = reason
        self.entity = entity
        self.property = property
        self.message = message
    }

    /// Core Data's code of what is wrong in general.
    public var cocoaCode: Int { 134060 }

    public var description: String { "inconsistent model at \(entity)\(property.map { "." + $0 } ?? ""): \(message)" }
}
