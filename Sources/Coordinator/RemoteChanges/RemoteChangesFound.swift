import StrataModel
import StrataStore

/// The remote changes that a comparison of digests has found so far.
struct RemoteChangesFound {
    /// The changes to report.
    var changes: SaveEvent.StoreChanges
    /// The objects whose to-many relationships have other members, or another order, with the relationships' names.
    var owners: [(rowID: RowID, name: String)] = []
    /// Whether the store is to be read again for changes that could not be told from those of the coordinator.
    var isUnsure = false
    var inserted: Set<RowID> = []
    var deleted: Set<RowID> = []
    /// The indexes of updated objects in the changes.
    private var updated: [RowID: Int] = [:]

    init(_ changes: SaveEvent.StoreChanges) { self.changes = changes }

    /// Adds changed properties of an object.
    mutating func update(_ rowID: RowID, _ id: ObjectID, _ properties: [String]) {
        guard let index = updated[rowID] else {
            updated[rowID] = changes.updated.count
            changes.updated.append(SavedObject(id: id, changedProperties: properties))
            return
        }
        let known = changes.updated[index].changedProperties
        changes.updated[index] = SavedObject(id: id, changedProperties: known + properties.filter { !known.contains($0) })
    }
}
