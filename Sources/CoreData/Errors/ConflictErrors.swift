import Foundation
import StrataCoordinator
import StrataGraph
import StrataModel

extension SaveConflictError {
    /// Returns the error of Core Data, with a list of ``NSMergeConflict``s or ``NSConstraintConflict``s.
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        let objects = ConflictingObjects(graph)
        let isConstraint = cocoaCode == NSManagedObjectConstraintMergeError
        let list: [Any] =
            isConstraint
            ? constraintConflicts.map { NSConstraintConflict($0, objects) } : conflicts.compactMap { NSMergeConflict($0, objects) }
        return cocoaError(cocoaCode, self, [NSPersistentStoreSaveConflictsErrorKey: list])
    }
}

extension NSMergeConflict {
    /// `nil` if the object's context was deallocated.
    fileprivate convenience init?(_ conflict: SaveConflictError.Conflict, _ objects: ConflictingObjects) {
        guard let object = objects.object(conflict.objectID) else { return nil }
        self.init(
            source: object, newVersion: Int(conflict.newVersionNumber), oldVersion: Int(conflict.oldVersionNumber),
            cachedSnapshot: conflict.newVersionNumber == 0 ? nil : conflict.persistedSnapshot.map(Boxing.snapshot), persistedSnapshot: nil)
    }
}

extension NSConstraintConflict {
    fileprivate convenience init(_ conflict: ConstraintConflict, _ objects: ConflictingObjects) {
        self.init(
            constraint: conflict.constraint, database: objects.object(conflict.databaseObjectID),
            databaseSnapshot: conflict.databaseSnapshot.map(Boxing.snapshot),
            conflicting: conflict.conflictingObjectIDs.compactMap { objects.object($0) },
            conflictingSnapshots: conflict.conflictingSnapshots.map(Boxing.snapshot))
    }
}
