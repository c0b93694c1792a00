import StrataModel

/// The changes of a context at one moment, which are restored when a save that resolved conflicts fails.
struct ChangeSnapshot {
    private struct Saved {
        let object: ManagedObject
        let id: ObjectID
        let row: Row?
        let extra: ObjectExtra?
        let flags: ObjectFlags
    }

    private let saved: [Saved]

    init(_ changed: [ManagedObject]) {
        saved = changed.map { Saved(object: $0, id: $0.objectID, row: $0.row, extra: $0.extra?.copy(), flags: $0.flags) }
    }

    var objects: [ManagedObject] { saved.map(\.object) }

    var ids: [(object: ManagedObject, id: ObjectID)] { saved.map { ($0.object, $0.id) } }

    /// Restores the objects, except the list of changes.
    func restore(_ token: ChangeTracker.MutationToken) {
        for saved in saved {
            saved.object.row = saved.row
            saved.object.setExtra(saved.extra, token)
            saved.object.mark(saved.flags.subtracting(.listed), clearing: .all, token)
        }
    }
}
