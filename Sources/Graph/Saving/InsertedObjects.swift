import StrataModel

/// The objects that a save inserts into one store, in the order of their rows, and their conversion to saved ones.
struct InsertedObjects {
    private(set) var objects: [ManagedObject] = []
    /// The scopes of the objects before the save, as runs: the last one, and those before it.
    private var last: Run?
    private var earlier: [Run] = []

    /// Consecutive objects of one scope, mostly of one entity.
    private struct Run {
        let scope: ObjectIDScope
        let start: Int
        var count = 1
    }

    mutating func reserveCapacity(_ count: Int) { objects.reserveCapacity(count) }

    mutating func append(_ object: ManagedObject) {
        objects.append(object)
        let id = object.objectID
        if last?.scope == id.scope {
            last?.count += 1
        } else {
            if let last { earlier.append(last) }
            last = Run(scope: id.scope, start: objects.count - 1)
        }
    }

    /// Gives the objects their rows, and permanent IDs instead of temporary ones.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the store.
    ///   - ids: Records the new IDs.
    func settle(as rows: [Row], _ scopes: ObjectIDScopes, in identity: IdentityMap, _ ids: inout SavedIDs) {
        for run in earlier { settle(run, as: rows, scopes, in: identity, &ids) }
        if let last { settle(last, as: rows, scopes, in: identity, &ids) }
    }

    private func settle(_ run: Run, as rows: [Row], _ scopes: ObjectIDScopes, in identity: IdentityMap, _ ids: inout SavedIDs) {
        let (start, end) = (run.start, min(run.start + run.count, rows.count))
        if start >= end { return }
        let hasChildren = identity.children?.isEmpty == false
        let old = run.scope
        let scope = scopes[old.entityIndex]
        let (table, newTable) = (identity.table(old), identity.table(scope))
        // All new objects are removed at once: removed one by one, each would search for one to fill its slot.
        let leavesNothing = old.isTemporary && table.count == end - start
        if old.isTemporary { newTable.reserve(end - start) }
        var next = start
        objects.forEachUncounted(in: start..<end) { object in
            object.row = rows[next]
            let reference = rows[next].reference
            next += 1
            guard old.isTemporary else { return }
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
        if old.isTemporary { newTable.insert(objects, start..<end) }
    }
}
