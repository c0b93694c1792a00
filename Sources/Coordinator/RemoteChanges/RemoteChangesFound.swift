import StrataModel
import StrataStore

/// The remote changes that a comparison of digests has found so far.
struct RemoteChangesFound {
    var changes: SaveEvent.StoreChanges
    /// The objects whose to-many relationships have other members, or another order, with the relationships' names.
    var owners: [(rowID: RowID, name: String)] = []
    /// Whether to read the store again for changes that could not be distinguished from the coordinator's.
    var isUnsure = false
    var inserted: Set<RowID> = []
    var deleted: Set<RowID> = []
    private var updated: [RowID: Int] = [:]

    init(_ changes: SaveEvent.StoreChanges) { self.changes = changes }

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
