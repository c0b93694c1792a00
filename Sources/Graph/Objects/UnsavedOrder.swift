import StrataModel

/// An unsaved order of a relationship, with the saved one that it is based on.
struct UnsavedOrder {
    private var members: MemberOrder

    init(loaded: [ObjectID], order: [ObjectID]) { members = MemberOrder(saved: loaded, current: order) }

    var loaded: [ObjectID] { members.saved }

    var order: [ObjectID] { members.ids }

    mutating func contains(_ id: ObjectID) -> Bool { members.contains(id) }

    /// Inserts a destination behind its last present predecessor in the saved order, where it is missing.
    mutating func restore(_ id: ObjectID) { if !members.contains(id) { members.restore(id) } }

    /// Replaces the IDs of new objects, which only the unsaved order has.
    mutating func renameMembers(_ newID: (ObjectID) -> ObjectID) { self = UnsavedOrder(loaded: loaded, order: order.map(newID)) }
}
