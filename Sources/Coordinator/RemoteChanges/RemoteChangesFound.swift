import StrataModel

/// The remote changes that a comparison of digests has found so far.
struct RemoteChangesFound {
    /// The inserted and deleted objects.
    var changes: SaveEvent.StoreChanges
    var updated = UpdatedObjects()
    /// The objects whose to-many relationships have other members, or another order, with the relationships' names.
    var owners: [(rowID: RowID, name: String)] = []
    /// Whether to read the store again for changes that could not be distinguished from the coordinator's.
    var isUnsure = false
    var inserted: Set<RowID> = []
    var deleted: Set<RowID> = []

    init(_ storeID: StoreID) { changes = SaveEvent.StoreChanges(storeID: storeID) }

    var all: SaveEvent.StoreChanges {
        var all = changes
        all.updated = updated.objects
        return all
    }
}
