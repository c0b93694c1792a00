import StrataModel

/// An order of a relationship that no save has stored, with the saved one that it was made of.
struct UnsavedOrder {
    let loaded: [ObjectID]
    var order: [ObjectID] { didSet { members = nil } }
    /// The destinations in the order, where one was asked for.
    private var members: Set<ObjectID>?

    init(loaded: [ObjectID], order: [ObjectID]) {
        self.loaded = loaded
        self.order = order
    }

    /// Returns whether an object is in the order.
    mutating func contains(_ id: ObjectID) -> Bool {
        let members = members ?? Set(order)
        self.members = members
        return members.contains(id)
    }
}
