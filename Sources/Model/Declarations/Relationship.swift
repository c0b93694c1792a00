/// The effect of deleting an object on a relationship's destinations; raw values are Core Data's.
public enum DeleteRule: Int, Sendable, Hashable {
    /// Nothing: the destinations keep their reference to the deleted object, and the application must change them
    /// before the save. The save sets remaining references to nil, as under nullify.
    case noAction = 0
    /// The destinations' references to the object are set to nil.
    case nullify = 1
    /// The destinations are deleted too.
    case cascade = 2
    /// The object cannot be deleted while there are destinations; error 1600 at save.
    case deny = 3
}

/// Declares a relationship of an entity.
///
/// ```swift
/// Relationship("pets", to: "Pet", inverse: "owner", .toMany, deleteRule: .cascade)
/// Relationship("owner", to: "Person", inverse: "pets")
/// Relationship(Pet.owner, to: "Person", inverse: "pets")
/// ```
/// The class's typed key in place of the name is checked with the model, and determines the cardinality.
public struct Relationship: Sendable {
    /// How many destinations a relationship has.
    public enum Cardinality: Sendable, Hashable {
        /// At most one destination.
        case toOne
        /// Any number, without order or repetition.
        case toMany
        /// Any number in an explicit order, without repetition.
        case ordered
    }

    /// The name, unique within the entity and its ancestors.
    public var name: String
    /// The name of the destination entity.
    public var destination: String
    /// The name of the inverse relationship; `nil` for none.
    public var inverse: String?
    /// The name of an inverse that does not lead back, as a model of Core Data's may have it: it is ignored, and part of
    /// the version hash.
    public var unmatchedInverse: String?
    /// How many destinations there are.
    public var cardinality: Cardinality
    /// Whether a model of Core Data's has a to-one relationship as ordered, which is ignored, and part of the version hash.
    public var hasIgnoredOrder = false
    /// The effect of deleting the object on the destinations.
    public var deleteRule: DeleteRule
    /// Whether an object may be saved without a destination; a to-many relationship that is required, but has no
    /// minimum count, may be empty too, as in Core Data.
    public var isOptional = true
    /// Whether SwiftData's model has the relationship as required, as to-many relationships that are no optionals are.
    public var isRequiredInSwiftData = false
    /// Whether the relationship lives in the object only and never reaches a store.
    public var isTransient = false
    /// The least number of destinations; enforced in an optional relationship only where it is not empty.
    public var minCount: Int
    /// The greatest number of destinations; 0, or -1 as some of Core Data's models have it, for no limit.
    public var maxCount: Int
    /// Returns the mismatch of a class of destinations with the relationship's typed key; `nil` for none.
    package var destinationCheck: (@Sendable (AnyClass?) -> String?)?
    /// The name that the relationship had in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Text that makes the version hash differ where nothing else does.
    public var versionHashModifier: String?
    /// Custom data of the application.
    public var userInfo: [String: String] = [:]

    /// Creates a relationship, optional by default.
    ///
    /// - Parameters:
    ///   - name: The property's name.
    ///   - destination: The name of the destination's entity.
    ///   - inverse: The name of the inverse relationship; `nil` for none.
    ///   - cardinality: To one, to many, or to many in an order of their own.
    ///   - deleteRule: What happens to the destinations when the object is deleted.
    ///   - minCount: The least number of destinations, 0 by default.
    ///   - maxCount: The greatest number; 1 for a to-one, and 0, no limit, for the others by default.
    public init(
        _ name: String,
        to destination: String,
        inverse: String? = nil,
        _ cardinality: Cardinality = .toOne,
        deleteRule: DeleteRule = .nullify,
        minCount: Int = 0,
        maxCount: Int? = nil
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.cardinality = cardinality
        self.deleteRule = deleteRule
        self.minCount = minCount
        self.maxCount = maxCount ?? (cardinality == .toOne ? 1 : 0)
    }

    /// The relationship, made required; for a to-many relationship `minCount` is the number of destinations.
    public var required: Relationship { with { $0.isOptional = false } }
    /// Returns the relationship, known by another name in an earlier version of the model.
    public func renamed(from name: String) -> Relationship { with { $0.renamingIdentifier = name } }
    /// Returns the relationship with user info added.
    public func userInfo(_ info: [String: String]) -> Relationship { with { $0.userInfo.merge(info) { $1 } } }

    /// Returns the relationship after a change.
    public func with(_ change: (inout Relationship) -> Void) -> Relationship {
        var copy = self
        change(&copy)
        return copy
    }
}
