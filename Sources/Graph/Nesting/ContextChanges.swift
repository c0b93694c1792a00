import StrataModel

/// The changes that a child context saves to its parent, as a value, for the two may be on different queues.
///
/// Objects are their rows in the child; relationships, or orders, that rows do not hold are lists of members.
struct ContextChanges: Sendable {
    struct Update {
        let id: ObjectID
        /// The row before the changes.
        let base: Row
        let row: Row
        let properties: PropertySet
        let transients: [Transient]
    }

    /// The value of a transient attribute, which no row holds.
    typealias Transient = (property: Int, value: Value)

    /// Values of a new object beside its row.
    struct Given {
        /// The properties that were set, other than by defaults.
        let properties: PropertySet
        let transients: [Transient]
    }

    struct Deletion {
        let id: ObjectID
        let base: Row
        /// The to-one relationships that the child cleared before: the parent's delete rules follow its own references.
        let cleared: PropertySet
        /// The members that the child removed before from to-many relationships that are not held by the members' rows.
        let members: [Members]
    }

    typealias Cascade = (owner: ObjectID, property: Int, member: ObjectID)

    /// Changed members of a to-many relationship that are not held by the members' rows.
    struct Members {
        let id: ObjectID
        let property: Int
        var added: [ObjectID] = []
        var removed: [ObjectID] = []
        /// The added and removed members of which the child does not know whether the parent had them.
        var blind: Set<ObjectID> = []
        /// The child's order, with the saved one that it is based on.
        var order: MemberOrder?
        var relationship: RelationshipDescription? { id.entity.properties[property].relationship }
    }

    /// The rows of new objects.
    var inserted: [Row] = []
    /// The other values of each new object.
    var given: [Given] = []
    /// The stores of new objects with permanent IDs or an assigned store, by their indices.
    var stores: [Int: StoreID] = [:]
    var updated: [Update] = []
    var deleted: [Deletion] = []
    var cascades: [Cascade] = []
    var members: [Members] = []
    /// The changed to-many relationships that the members' rows hold, for change events.
    var relationships: [(id: ObjectID, property: Int)] = []
    /// The objects to check for optimistic locking, though they are not changed.
    var watched: [(id: ObjectID, base: Row)] = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && members.isEmpty && watched.isEmpty }
}
