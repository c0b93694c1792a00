import StrataModel
import StrataStore

/// The changes of a context at one moment, to go back to when a save that resolved conflicts fails after all.
struct ContextSnapshot {
    private struct Saved {
        let object: ManagedObject
        let id: ObjectID
        let row: Row?
        let extra: ObjectExtra?
        let flags: ObjectFlags
    }

    private let saved: [Saved]
    private let permanentIDs: [Int64: ObjectID]

    init(_ context: ManagedObjectContext) {
        permanentIDs = context.permanentIDs
        saved = context.changed.map {
            Saved(object: $0, id: $0.objectID, row: $0.row, extra: $0.extra?.copy(), flags: $0.flags)
        }
    }

    /// Has the context be as it was. Objects that were without changes are so again.
    func restore(_ context: ManagedObjectContext) {
        for object in context.takeChanged() { object.dropChanges() }
        for saved in saved {
            saved.object.managedObjectContext = context
            if saved.object.objectID != saved.id { context.rename(saved.object, to: saved.id) }
            saved.object.row = saved.row
            saved.object.extra = saved.extra
            saved.object.flags = saved.flags
        }
        context.permanentIDs = permanentIDs
        context.restoreChanged(saved.map(\.object))
        context.pendingDeletions.removeAll { !$0.isDeleted }
    }
}
