import StrataModel

/// The objects that a save inserts into one store, in the order of their rows, on their way to the IDs and rows that they have after it.
struct InsertedObjects {
    private(set) var objects: [ManagedObject] = []
    /// The scopes that the objects have before the save, one after another.
    private var runs: [Run] = []
    /// The temporary references that they have before the save.
    private(set) var extent = TemporaryTable.Extent()

    /// Objects of one scope that come together, as those of one entity mostly do.
    private struct Run {
        let scope: ObjectIDScope
        var count = 0
    }

    mutating func reserveCapacity(_ count: Int) { objects.reserveCapacity(count) }

    mutating func append(_ object: ManagedObject) {
        objects.append(object)
        let id = object.objectID
        extent.add(id.reference)
        if runs.last?.scope !== id.scope { runs.append(Run(scope: id.scope)) }
        runs[runs.count - 1].count += 1
    }

    /// Tells whoever wants to know which derived values the objects are about to get with their rows.
    func announceDerivedValues(in rows: [Row], by tracker: ChangeTracker) {
        for (object, row) in zip(objects, rows) { tracker.willGetDerivedValues(of: object, in: row) }
    }

    /// Gives the objects their rows, and the IDs of these where they have temporary ones.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the store.
    ///   - ids: Takes note of what IDs became.
    func settle(as rows: [Row], _ scopes: ObjectIDScopes, in identity: IdentityMap, _ ids: inout SavedIDs) {
        let hasChildren = identity.children?.isEmpty == false
        var index = 0
        for run in runs where index < rows.count {
            let end = min(index + run.count, rows.count)
            let old = run.scope
            let scope = scopes[old.entity.index]
            let (table, newTable) = (identity.table(old), identity.table(scope))
            // All that are new leave at once: one by one, each would look for who may move up into its place.
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
                newTable.insert(object, reference)
                // A query may hold the temporary one.
                if object.flags.contains(.queried) {
                    identity.redirect(ObjectID(scope: old, reference: temporary), to: object.objectID)
                }
                if hasChildren { identity.tellChildren(ObjectID(scope: old, reference: temporary), object.objectID) }
            }
            if leavesNothing { table.removeAll() }
            index = end
        }
    }
}
