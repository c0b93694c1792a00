import StrataCoordinator
import StrataModel

// What a save takes of the changes, and what it leaves.

extension ChangeTracker {
    /// Has saved objects be unchanged that are as they were saved.
    func settle(_ objects: [ManagedObject]) {
        var settled = false
        unannounced { token in
            for object in objects where object.isUpdated && !object.isGone && !object.hasPersistentChangedValues {
                forgetStoredValues(of: object)
                object.mark(clearing: .updated, token)
                settled = true
            }
            if settled { list.keepChanged(token) }
        }
    }

    /// Returns the row that a save inserts for an object without one; `nil` where its pending values are not all of it.
    ///
    /// - Parameter isExclusive: Whether the save alone has the row.
    func takeRow(of object: ManagedObject, exclusively isExclusive: Bool) -> Row? {
        unannounced { object.makeExtra().takeRow(of: object, exclusively: isExclusive, drafts, $0) }
    }

    /// Has objects have the values again that a save had, which failed and may have named other objects in them.
    func takeBackRows(of objects: [ManagedObject], _ given: GivenReferences) {
        unannounced { token in for object in objects { object.extra?.takeBackRow(of: object, given, drafts, token) } }
    }

    /// Has a saved object be without changes, and name others by what their IDs are after the save.
    func didSave(_ object: ManagedObject, _ ids: SavedIDs) {
        unannounced { token in
            if let extra = object.extra {
                extra.didSave(object, ids, drafts, token)
                if extra.isEmpty { object.setExtra(nil, token) }
            }
            // A fault that only gained or lost destinations stays one.
            object.mark(clearing: [.inserted, .updated], token)
        }
    }

    /// Has the changes name objects by other IDs.
    func rename(_ newID: (ObjectID) -> ObjectID) {
        unannounced { token in
            for object in changed { object.extra?.rename(of: object, newID, drafts, token) }
        }
    }

    /// Has what is known of an object name others by other IDs, be it changed or not.
    func rename(_ object: ManagedObject, _ newID: (ObjectID) -> ObjectID) {
        unannounced { object.extra?.rename(of: object, newID, drafts, $0, all: true) }
    }
}
