import StrataModel

/// The objects that a save inserted, by the temporary references that they had before.
struct InsertedObjects {
    /// The objects of each store.
    private let objects: [[ManagedObject]]
    /// The scopes that the objects of each store have before the save, one after another.
    private let runs: [[Run]]
    /// The number of each object: that of its store in the upper half, its place there in the lower.
    private var numbers: TemporaryTable

    /// Objects of one scope that come together, as those of one entity mostly do.
    private struct Run {
        let scope: ObjectIDScope
        var count = 0
    }

    init(_ objects: [[ManagedObject]]) {
        self.objects = objects
        var extent = TemporaryTable.Extent()
        runs = objects.map { objects in
            var runs: [Run] = []
            for object in objects {
                extent.add(object.objectID.reference)
                let scope = object.objectID.scope
                if runs.last?.scope !== scope { runs.append(Run(scope: scope)) }
                runs[runs.count - 1].count += 1
            }
            return runs
        }
        numbers = TemporaryTable(extent)
    }

    /// The ID that an object has after the save, where it had a temporary one.
    func permanentID(_ temporary: Int64) -> ObjectID? {
        numbers[temporary].map { objects[Int($0 >> 32)][Int($0 & 0xFFFF_FFFF)].objectID }
    }

    /// Gives the objects of a store their rows, and the IDs of these where they have temporary ones.
    ///
    /// - Parameter scopes: The scopes of the store.
    mutating func settle(_ store: Int, as rows: [Row], _ scopes: ObjectIDScopes, in identity: IdentityMap) {
        let objects = objects[store]
        let hasChildren = identity.children?.isEmpty == false
        var place = 0
        for run in runs[store] where place < rows.count {
            let end = min(place + run.count, rows.count)
            let old = run.scope
            let scope = scopes[old.entity.index]
            let (table, newTable) = (identity.table(old), identity.table(scope))
            // All that are new leave at once: one by one, each would look for who may move up into its place.
            let leavesNothing = old.isTemporary && table.count == end - place
            for place in place..<end {
                let (object, reference) = (objects[place], rows[place].reference)
                object.row = rows[place]
                guard old.isTemporary else { continue }
                let temporary = object.objectID.reference
                numbers[temporary] = Int64(store) << 32 | Int64(place)
                if !leavesNothing { table.remove(object, temporary) }
                object.objectID = ObjectID(scope: scope, reference: reference)
                newTable.insert(object, reference)
                // A query may hold the temporary one.
                if object.flags.contains(.queried) {
                    identity.redirect(ObjectID(scope: old, reference: temporary), to: object.objectID)
                }
                if hasChildren { identity.tellChildren(ObjectID(scope: old, reference: temporary), object.objectID) }
            }
            if leavesNothing { table.removeAll() }
            place = end
        }
    }
}
