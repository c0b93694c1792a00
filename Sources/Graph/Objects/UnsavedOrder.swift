import StrataModel

/// An unsaved order of a relationship, with the saved one that it is based on.
struct UnsavedOrder {
    let loaded: [ObjectID]
    var order: [ObjectID] { didSet { members = nil } }
    /// The destinations as a set, once searched.
    private var members: Set<ObjectID>?

    init(loaded: [ObjectID], order: [ObjectID]) {
        self.loaded = loaded
        self.order = order
    }

    mutating func contains(_ id: ObjectID) -> Bool {
        let members = members ?? Set(order)
        self.members = members
        return members.contains(id)
    }
}
