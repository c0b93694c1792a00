/// A part of an entity's declaration: an attribute, a relationship, a constraint, an index.
public protocol EntityElement: Sendable {
    /// Adds the part to the entity.
    func add(to entity: inout Entity)
}

/// Collects the parts of an entity.
public typealias EntityBuilder = ListBuilder<any EntityElement>

/// Declares an entity of a model.
///
/// ```swift
/// Entity("Person", class: Person.self) {
///     Attribute("name", .string).required
///     Relationship("pets", to: "Pet", inverse: "owner", .toMany)
///     Unique("name")
///     FetchIndex("byName", on: "name")
/// }
/// ```
public struct Entity: Sendable {
    /// The name, unique within the model.
    public var name: String
    /// The name of the parent entity, whose properties this one inherits.
    public var parent: String?
    /// Whether no object can be made of it, only of its sub-entities.
    public var isAbstract = false
    /// The class of its objects; `nil` for the parent's, or for the plain managed object.
    public var objectClass: AnyClass?
    /// The attributes that it declares itself.
    public var attributes: [Attribute] = []
    /// The relationships that it declares itself.
    public var relationships: [Relationship] = []
    /// The fetched properties that it declares itself.
    public var fetchedProperties: [FetchedProperty] = []
    /// The uniqueness constraints that it declares itself; its sub-entities inherit them.
    public var uniquenessConstraints: [Unique] = []
    /// The uniqueness constraints over relationships that a model of Core Data's declares: they are not enforced, and
    /// are part of the version hash.
    public var unenforcedConstraints: [Unique] = []
    /// The indexes that it declares itself.
    public var indexes: [FetchIndex] = []
    /// The name that the entity had in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Text that makes the version hash differ where nothing else does.
    public var versionHashModifier: String?
    /// Custom data of the application.
    public var userInfo: [String: String] = [:]

    /// Creates an entity with its parts.
    public init(
        _ name: String,
        parent: String? = nil,
        isAbstract: Bool = false,
        class objectClass: AnyClass? = nil,
        @EntityBuilder _ parts: () -> [any EntityElement] = { [] }
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.objectClass = objectClass
        for part in parts() { part.add(to: &self) }
    }

    /// Returns the entity after a change.
    public func with(_ change: (inout Entity) -> Void) -> Entity {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Attribute: EntityElement {
    /// Adds the part to the entity.
    public func add(to entity: inout Entity) { entity.attributes.append(self) }
}

extension Relationship: EntityElement {
    /// Adds the part to the entity.
    public func add(to entity: inout Entity) { entity.relationships.append(self) }
}

/// Declares that no two objects of an entity, or of its sub-entities, have equal values of some attributes.
///
/// Objects without a value for one of the attributes are not compared.
public struct Unique: EntityElement, Hashable, Codable {
    /// The names of the attributes.
    public var attributes: [String]

    /// Creates a constraint over one or several attributes together.
    public init(_ attributes: String...) { self.attributes = attributes }
    /// Creates a constraint over one or several attributes together.
    public init(_ attributes: [String]) { self.attributes = attributes }

    /// Adds the part to the entity.
    public func add(to entity: inout Entity) { entity.uniquenessConstraints.append(self) }
}
