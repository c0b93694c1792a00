public import StrataModel

/// Objects that have the same values, which a constraint keeps unique.
///
/// Core Data's `NSConstraintConflict`: of one object to be saved and one in a store, or of several to be saved.
public struct ConstraintConflict: Sendable {
    /// The names of the constraint's attributes.
    public let constraint: [String]
    /// The values that the objects have in common, by the name of the attribute.
    public let constraintValues: [String: Value]
    /// The object in the store that has the values; `nil` where only objects to be saved have them.
    ///
    /// Where the constraint is declared by an ancestor, the ID names the root of the entities.
    public let databaseObjectID: ObjectID?
    /// The values of the object in the store, by name; `nil` where there is none, or where it could not be read.
    public let databaseSnapshot: [String: Value]?
    /// The objects to be saved that have the values, at least one; two or more where none is in the store.
    public let conflictingObjectIDs: [ObjectID]
    /// The values of each of the conflicting objects, by name.
    public let conflictingSnapshots: [[String: Value]]

    /// Whether the objects stand against each other in the context, and not against one in the store.
    public var isWithinContext: Bool { databaseObjectID == nil }

    /// What conflicts tell of constraints, those of one constraint and its values together.
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
            // The earlier one is told only as the other of a later one.
            if let other = conflict.otherID, conflict.isWithinContext || other.isTemporary { add(other, conflict.persistedSnapshot ?? [:]) }
            add(conflict.objectID, conflict.objectSnapshot)
        }
        conflictingObjectIDs = ids
        conflictingSnapshots = snapshots
    }
}
