import StrataCoordinator
import StrataModel
import StrataStore

// The objects of rows.

extension RowLoader {
    /// Returns the registered object of a row, which keeps its values where it has any, or a new one; throws
    /// `StoreError` with `corrupt` for a row of an entity that the model does not have.
    func object(of row: Row, _ scopes: ObjectIDScopes, for context: ManagedObjectContext) throws -> ManagedObject {
        let scope = try (row.reference < 0 ? identity.temporaryScopes : scopes).scope(of: row)
        return object(of: row, scope, for: context)
    }

    /// Returns the registered object of a row, or a new one, whose ID has a known scope.
    func object(of row: Row, _ scope: ObjectIDScope, for context: ManagedObjectContext) -> ManagedObject {
        object(of: row, scope, identity.table(scope), scope.entity.managedObjectClass, context)
    }

    @inline(__always)
    func object(
        of row: Row, _ scope: ObjectIDScope, _ table: IdentityTable, _ type: ManagedObject.Type, _ context: ManagedObjectContext
    ) -> ManagedObject {
        let reference = row.reference
        if let known = table[reference] {
            if known.flags.contains(.unreadable) { failures.didReadRow(of: known) }
            if known.row == nil && !known.isNew {
                if known.isInaccessible { tracker.restoreFault(known) }
                known.row = row
                // A fault made from an ID may have an ancestor's entity.
                if known.objectID.scope != scope { known.objectID = ObjectID(scope: scope, reference: reference) }
                tracker.didGetRow(known)
            } else if let old = known.row, old.version != row.version || !old.isOfStore {
                renew(known, old, row)
            }
            return known
        }
        let object = type.init(ObjectOrigin(id: ObjectID(scope: scope, reference: reference), context: context))
        object.row = row
        object.markLoading(.fault)
        table.insert(object, reference)
        return object
    }

    /// Updates an object with a fetched row where it is an unfired fault.
    private func renew(_ object: ManagedObject, _ old: Row, _ row: Row) {
        if !old.isOfStore {
            // The row is the same, and its version is known now.
            if old.isEqual(to: row, in: object.entity) { object.row = row }
            return
        }
        // Answers may be older than what is here: versions only grow.
        guard object.flags.contains(.fault), row.isOfStore, row.version > old.version, !object.hasChanges else { return }
        tracker.willReplaceValues(of: object)
        replaceRow(of: object, by: row)
    }

    /// Returns the objects of fetched rows; throws `StoreError` with `corrupt` for a row of an unknown entity.
    func objects(of fetched: FetchedRows, for context: ManagedObjectContext) throws -> [ManagedObject] {
        if fetched.rows.count == 1 {
            let object = try object(of: fetched.rows[0], fetched.scopes(ofRowAt: 0), for: context)
            noteArrival(of: [object])
            return [object]
        }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(fetched.rows.count)
        var next = 0
        while next < fetched.rows.count {
            // Rows of one entity and store mostly follow each other.
            let (entity, store) = (fetched.rows[next].entityIndex, fetched.store(ofRowAt: next))
            let scope = try fetched.scopes(ofRowAt: next).scope(of: fetched.rows[next])
            let (table, type) = (identity.table(scope), scope.entity.managedObjectClass)
            if next == 0 { table.reserve(fetched.rows.count) }
            repeat {
                objects.append(object(of: fetched.rows[next], scope, table, type, context))
                next += 1
            } while next < fetched.rows.count && fetched.rows[next].entityIndex == entity && fetched.store(ofRowAt: next) == store
        }
        noteArrival(of: objects)
        return objects
    }
}
