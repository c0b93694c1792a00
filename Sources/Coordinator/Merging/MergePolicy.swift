public import StrataModel

/// How a change is resolved that conflicts with the store.
///
/// A conflict is about one object: about its attributes and to-one relationships, against what someone else saved
/// meanwhile, or against another object with equal values where a constraint keeps them unique. Links of to-many
/// relationships are added and removed one by one and never conflict. A policy of one's own decides from the values:
///
/// ```swift
/// context.mergePolicy = MergePolicy("newest") { conflict in
///     (conflict.values["changed"] ?? .null).compare(conflict.stored["changed"] ?? .null) == .greater ? .overwrite : .rollback
/// }
/// ```
/// Policies are put together: ``byEntity(_:otherwise:)`` and ``byProperty(_:otherwise:)`` ask others.
public struct MergePolicy: Sendable, CustomStringConvertible {
    /// The resolution of one conflict.
    public enum Resolution: Sendable, Hashable {
        /// The change is refused with an error.
        case error
        /// Values changed in the store stay, other changes of the object are saved.
        case mergeByPropertyStoreTrump
        /// Values changed in the object are saved, others stay as they are in the store.
        case mergeByPropertyObjectTrump
        /// The object is saved as a whole, whatever is in the store.
        case overwrite
        /// The object's changes are discarded.
        case rollback
        /// The store's values stay, except for some attributes, by name, or path of a composite attribute's element;
        /// `null` by the composite's own name.
        case values([String: Value])
    }

    /// A name for people.
    public let name: String
    private let decide: @Sendable (MergeConflict) throws -> Resolution
    /// The resolution of every conflict; `nil` for a policy that decides each.
    public let resolution: Resolution?

    /// Creates a custom policy.
    ///
    /// - Parameters:
    ///   - name: The name for descriptions.
    ///   - decide: Called for each conflict, on the thread that saves; its error ends the save.
    public init(_ name: String, _ decide: @escaping @Sendable (MergeConflict) throws -> Resolution) {
        self.name = name
        self.decide = decide
        resolution = nil
    }

    private init(always resolution: Resolution, _ name: String) {
        self.name = name
        decide = { _ in resolution }
        self.resolution = resolution
    }

    /// Conflicts are errors: a context's default.
    public static let error = MergePolicy(always: .error, "error")
    /// Property by property, the store's changes win.
    public static let mergeByPropertyStoreTrump = MergePolicy(always: .mergeByPropertyStoreTrump, "mergeByPropertyStoreTrump")
    /// Property by property, the object's changes win.
    public static let mergeByPropertyObjectTrump = MergePolicy(always: .mergeByPropertyObjectTrump, "mergeByPropertyObjectTrump")
    /// The object wins as a whole.
    public static let overwrite = MergePolicy(always: .overwrite, "overwrite")
    /// The store wins as a whole.
    public static let rollback = MergePolicy(always: .rollback, "rollback")

    /// Returns the resolution of a conflict.
    ///
    /// - Throws: What a custom policy throws; the built-in ones throw nothing.
    public func resolve(_ conflict: MergeConflict) throws -> Resolution { try decide(conflict) }

    public var description: String { name }
}

/// A change that conflicts with the store.
public struct MergeConflict: Sendable {
    /// The kinds of conflict.
    public enum Reason: Sendable, Hashable {
        /// Others changed the object since it was read, or deleted its destination, which is the other object then.
        case changed
        /// Others deleted the object.
        case deleted
        /// Another object has the same unique values: the constraint's attributes' names.
        case constraint([String])
    }

    /// The kind of conflict.
    public let reason: Reason
    /// The entity of the object.
    public let entity: EntityDescription
    /// The saved object; `nil` for a row of a batch insert.
    public let objectID: ObjectID?
    /// The object in the store, or the one that is saved before this one: itself, except for constraints.
    public let otherID: ObjectID?
    /// Whether the object is being deleted.
    public var isDeletion = false

    /// The object's values, by name: attributes and, as IDs, to-one relationships.
    public let values: [String: Value]
    /// The values with which the object was read; none for a new one.
    public var base: [String: Value] = [:]
    /// The conflicting values; none where it was deleted.
    public var stored: [String: Value] = [:]
    /// The version that the object was read with; 0 for a new one.
    public var oldVersionNumber: UInt32 = 0
    /// The object's current version in its store; 0 where it is missing.
    public var newVersionNumber: UInt32 = 0

    /// Creates a conflict, for testing a policy without a store; set its other properties afterwards.
    public init(_ reason: Reason, entity: EntityDescription, objectID: ObjectID?, otherID: ObjectID?, values: [String: Value]) {
        self.reason = reason
        self.entity = entity
        self.objectID = objectID
        self.otherID = otherID
        self.values = values
    }
}

extension Row {
    /// Returns the values by name: attributes and, as IDs, to-one relationships.
    package func values(in entity: EntityDescription, _ scopes: ObjectIDScopes) -> [String: Value] {
        var values = values(of: entity.attributes)
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot, _) = relationship.storage else { continue }
            let destination = destinationEntity(entitySlot, of: relationship)
            if let reference = integer(slot), scopes.entityIndices.contains(destination) {
                values[relationship.name] = .objectID(ObjectID(scope: scopes[destination], reference: reference))
            } else {
                values[relationship.name] = .null
            }
        }
        return values
    }

    /// Returns the values of some attributes, by name.
    func values(of attributes: [AttributeDescription]) -> [String: Value] {
        var values: [String: Value] = [:]
        for attribute in attributes {
            if let slot = attribute.slot { values[attribute.name] = value(slot, attribute.slotKind) }
        }
        return values
    }
}
