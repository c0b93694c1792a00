import StrataModel

/// The objects that a save inserts into one store, in the order of their rows, and their conversion to saved ones.
struct InsertedObjects {
    private(set) var objects: [ManagedObject] = []
    /// The scopes of the objects before the save, as runs.
    private var runs: [Run] = []

    /// Consecutive objects of one scope, mostly of one entity.
    private struct Run {
        let scope: ObjectIDScope
        var count = 0
    }

    mutating func reserveCapacity(_ count: Int) { objects.reserveCapacity(count) }

    mutating func append(_ object: ManagedObject) {
        objects.append(object)
        let id = object.objectID
        if runs.last?.scope != id.scope { runs.append(Run(scope: id.scope)) }
        runs[runs.count - 1].count += 1
    }

    /// Gives the objects their rows, and permanent IDs instead of temporary ones.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the store.
    ///   - ids: Records the new IDs.
    func settle(as rows: [Row], _ scopes: ObjectIDScopes, in identity: IdentityMap, _ ids: inout SavedIDs) {
        let hasChildren = identity.children?.isEmpty == false
        var index = 0
        for run in runs where index < rows.count {
            let end = min(index + run.count, rows.count)
            let old = run.scope
            let scope = scopes[old.entityIndex]
            let (table, newTable) = (identity.table(old), identity.table(scope))
            // All new objects are removed at once: removed one by one, each would search for one to fill its slot.
            let leavesNothing = old.isTemporary && table.count == end - index
            if old.isTemporary { newTable.reserve(end - index) }
            for index in index..<end {
                let (object, row) = (objects[index], rows[index])
                object.row = row
                guard old.isTemporary else { continue }
                let reference = row.reference
                let temporary = object.objectID.reference
                if !leavesNothing { table.remove(object, temporary) }
                object.objectID = ObjectID(scope: scope, reference: reference)
                ids.add(temporary, reference, scope)
                // A query may hold the temporary ID.
                if object.flags.contains(.queried) {
                    identity.redirect(ObjectID(scope: old, reference: temporary), to: object.objectID)
                }
                if hasChildren { identity.notifyChildren(ObjectID(scope: old, reference: temporary), object.objectID) }
            }
            if leavesNothing { table.removeAll() }
            if old.isTemporary { newTable.insert(objects[index..<end]) }
            index = end
        }
    }
}
