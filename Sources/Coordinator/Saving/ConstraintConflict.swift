public import StrataModel

/// Objects with the same values of a uniqueness constraint.
///
/// Core Data's `NSConstraintConflict`: of one object to be saved and one in a store, or of several to be saved.
public struct ConstraintConflict: Sendable {
    /// The names of the constraint's attributes.
    public let constraint: [String]
    /// The common values of the objects, by the name of the attribute.
    public let constraintValues: [String: Value]
    /// The object in the store with the values; `nil` where only objects to be saved have them.
    ///
    /// Where the constraint is declared by an ancestor, the ID names the root of the entities.
    public let databaseObjectID: ObjectID?
    /// The values of the object in the store, by name; `nil` where there is none, or where it could not be read.
    public let databaseSnapshot: [String: Value]?
    /// The objects to be saved with the values, at least one; two or more where none is in the store.
    public let conflictingObjectIDs: [ObjectID]
    /// The values of each of the conflicting objects, by name.
    public let conflictingSnapshots: [[String: Value]]

    /// Whether the conflicting objects are all in the context, and none in the store.
    public var isWithinContext: Bool { databaseObjectID == nil }

    static func all(of conflicts: [SaveConflictError.Conflict]) -> [ConstraintConflict] {
        struct Group: Hashable {
            let constraint: [String]
            let values: [String: Value]
            let root: EntityIndex
        }
        var indices: [Group: Int] = [:]
        var grouped: [[SaveConflictError.Conflict]] = []
        for conflict in conflicts {
            guard let names = conflict.constraint else { continue }
            let group = Group(constraint: names, values: conflict.values, root: conflict.objectID.entity.root)
            if let index = indices[group] {
                grouped[index].append(conflict)
            } else {
                indices[group] = grouped.count
                grouped.append([conflict])
            }
        }
        return grouped.map { ConstraintConflict($0) }
    }

    private init(_ conflicts: [SaveConflictError.Conflict]) {
        constraint = conflicts.first?.constraint ?? []
        constraintValues = conflicts.first?.values ?? [:]
        let stored = conflicts.first { !$0.isWithinContext && $0.otherID?.isTemporary == false }
        databaseObjectID = stored?.otherID
        databaseSnapshot = stored?.persistedSnapshot
        var ids: [ObjectID] = []
        var snapshots: [[String: Value]] = []
        func add(_ id: ObjectID, _ snapshot: [String: Value]) {
            if ids.contains(id) || id == stored?.otherID { return }
            ids.append(id)
            snapshots.append(snapshot)
        }
        for conflict in conflicts {
            // The earlier object appears only as the other one of a later conflict.
            if let other = conflict.otherID, conflict.isWithinContext || other.isTemporary { add(other, conflict.persistedSnapshot ?? [:]) }
            add(conflict.objectID, conflict.objectSnapshot)
        }
        conflictingObjectIDs = ids
        conflictingSnapshots = snapshots
    }
}
