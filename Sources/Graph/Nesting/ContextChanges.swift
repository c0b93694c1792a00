import StrataModel
import StrataStore

/// What the save of a child context says to its parent: a value, for the two may be on different queues.
///
/// Objects are told by their rows as the child has them, and relationships that rows do not tell, or not in their order, by their members.
struct ContextChanges: Sendable {
    /// Changed attributes and to-one relationships of an object.
    struct Update {
        let id: ObjectID
        /// The row that was changed.
        let base: Row
        let row: Row
        /// The properties that were changed.
        let properties: PropertySet
        let transients: [Transient]
    }

    /// What an object holds of a transient attribute, which no row tells.
    struct Transient {
        let property: Int
        let value: Value
    }

    /// What is known of a new object beside its row.
    struct Given {
        /// The values that somebody set, other than by defaults.
        let properties: PropertySet
        let transients: [Transient]
    }

    /// An object with the row that the child has of it.
    struct Known {
        let id: ObjectID
        let base: Row
    }

    /// A deleted object.
    struct Deletion {
        let id: ObjectID
        /// The row that the child has of it.
        let base: Row
        /// The to-one relationships that the child had changed before: the parent follows delete rules over its own references.
        let cleared: PropertySet
        /// The members that the child had removed before from to-many relationships that the rows of the members do not tell.
        let members: [Members]
    }

    /// A deletion by cascade, which the parent's save has to confirm.
    struct Cascade {
        let owner: ObjectID
        /// The index of the relationship.
        let property: Int
        let member: ObjectID
    }

    /// Changed members of a to-many relationship that are not told by the rows of these.
    struct Members {
        let id: ObjectID
        /// The index of the relationship.
        let property: Int
        var added: [ObjectID] = []
        var removed: [ObjectID] = []
        /// Those of the added and the removed ones of which the child does not know whether the parent had them.
        var blind: Set<ObjectID> = []
        /// The order; `nil` where it was not changed.
        var order: UnsavedOrder?
        var relationship: RelationshipDescription? { id.entity.properties[property].relationship }
    }

    /// The rows of objects that the parent has not seen.
    var inserted: [Row] = []
    /// What else is known of each of these.
    var given: [Given] = []
    /// The stores of new objects that have permanent IDs, or were assigned to a store, by their places.
    var stores: [Int: StoreID] = [:]
    var updated: [Update] = []
    var deleted: [Deletion] = []
    var cascades: [Cascade] = []
    var members: [Members] = []
    /// The to-many relationships of objects that the parent has whose members the rows of these tell, by index: for who asks what was changed.
    var relationships: [(id: ObjectID, property: Int)] = []
    /// Those that are to be compared with their stores, though they are not changed.
    var watched: [Known] = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && members.isEmpty && watched.isEmpty }
}
