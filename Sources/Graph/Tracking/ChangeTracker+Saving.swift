import StrataCoordinator
import StrataModel

extension ChangeTracker {
    /// Clears saved objects of changes that equal their saved values.
    func settle(_ objects: [ManagedObject]) {
        for object in objects where object.isUpdated && !object.isInaccessible && !object.hasPersistentChangedValues {
            forgetStoredValues(of: object)
            object.mark(clearing: .updated, token)
            list.indexes.pending?.touch(object)
            if !object.hasChanges { list.remove(object, token) }
        }
    }

    /// Returns the row to insert for an object without one; `nil` where its pending values are incomplete.
    ///
    /// - Parameter isExclusive: Whether the save alone has the row.
    func takeRow(of object: ManagedObject, exclusively isExclusive: Bool) -> Row? {
        object.beginExtra(token)
        return object.withExtra { $0.takeRow(of: object, exclusively: isExclusive, pendingRows, token) } ?? nil
    }

    /// Returns the values of a failed save, which may have replaced their references, to the objects.
    func takeBackRows(of objects: [ManagedObject], _ given: GivenReferences) {
        dropIndexes()
        for object in objects { object.extra?.takeBackRow(of: object, given, pendingRows, token) }
    }

    /// Clears the changes of a saved object, and replaces the IDs of others in it.
    func didSave(_ object: ManagedObject, _ ids: SavedIDs) {
        if object.withExtra(\.isOnlyPendingRow) == true {
            object.setExtra(nil, token)
        } else if let extra = object.extra {
            extra.didSave(object, ids, pendingRows, token)
            if extra.isEmpty { object.setExtra(nil, token) }
        }
        // A fault that only gained or lost destinations stays one.
        object.mark(clearing: [.inserted, .updated], token)
    }

    /// Replaces IDs of objects in the changes.
    func rename(_ newID: (ObjectID) -> ObjectID) {
        dropIndexes()
        for object in changed { object.extra?.rename(of: object, newID, pendingRows, token) }
    }

    /// Replaces IDs of other objects in an object, changed or not.
    func rename(_ object: ManagedObject, _ newID: (ObjectID) -> ObjectID) {
        dropIndexes()
        object.extra?.rename(of: object, newID, pendingRows, token, all: true)
    }
}
