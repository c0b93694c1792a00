import StrataModel

/// The objects that a save inserted, by the temporary references that they had before.
struct InsertedObjects {
    /// The objects of each store.
    private let objects: [[ManagedObject]]
    /// The number of each object: that of its store in the upper half, its place there in the lower.
    private var numbers: TemporaryTable

    init(_ objects: [[ManagedObject]]) {
        self.objects = objects
        var extent = TemporaryTable.Extent()
        for objects in objects {
            for object in objects { extent.add(object.objectID.reference) }
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
        let count = min(objects.count, rows.count)
        let hasChildren = identity.children?.isEmpty == false
        var place = 0
        while place < count {
            // Objects of one entity mostly come together.
            let old = objects[place].objectID.scope
            let scope = scopes[old.entity.index]
            let (table, newTable) = (identity.table(old), identity.table(scope))
            repeat {
                let (object, reference) = (objects[place], rows[place].reference)
                object.row = rows[place]
                if old.isTemporary {
                    let temporary = object.objectID.reference
                    numbers[temporary] = Int64(store) << 32 | Int64(place)
                    table.remove(object, temporary)
                    object.objectID = ObjectID(scope: scope, reference: reference)
                    newTable.insert(object, reference)
                    // A query may hold the temporary one.
                    if object.flags.contains(.queried) {
                        identity.redirect(ObjectID(scope: old, reference: temporary), to: object.objectID)
                    }
                    if hasChildren { identity.tellChildren(ObjectID(scope: old, reference: temporary), object.objectID) }
                }
                place += 1
            } while place < count && objects[place].objectID.scope === old
        }
    }
}
