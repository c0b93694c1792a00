import StrataCoordinator
import StrataModel
import StrataStore

extension ManagedObjectContext {
    /// The object of a row: the registered one, which keeps its values where it has any, or a new one.
    @discardableResult
    func materialize(_ row: Row, _ scopes: ObjectIDScopes) -> ManagedObject {
        let scope = scopes[row.entityIndex]
        return materialize(row, scope, table(scope), objectClass(of: scope.entity))
    }

    @inline(__always)
    func materialize(_ row: Row, _ scope: ObjectIDScope, _ table: IdentityTable, _ type: ManagedObject.Type) -> ManagedObject {
        let reference = row.reference
        if let known = table[reference] {
            if known.flags.contains(.unreadable) { failedAccesses.didReadRow(of: known) }
            if known.row == nil && !known.flags.contains(.inserted) {
                if known.isGone { comeBack(known) }
                known.row = row
                // A fault made from an ID may have been given an ancestor's entity.
                if known.objectID.scope !== scope { known.objectID = ObjectID(scope: scope, reference: reference) }
            }
            return known
        }
        let object = type.init(ObjectOrigin(id: ObjectID(scope: scope, reference: reference), context: self))
        object.row = row
        object.flags = .fault
        table.insert(object, reference)
        return object
    }

    /// The objects of fetched rows.
    func materialize(_ fetched: FetchedRows) -> [ManagedObject] {
        if fetched.rows.count == 1 { return [materialize(fetched.rows[0], fetched.scopes(ofRowAt: 0))] }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(fetched.rows.count)
        var entity = -1
        var store: Int32 = -1
        var cached: (scope: ObjectIDScope, table: IdentityTable, type: ManagedObject.Type)?
        for (index, row) in fetched.rows.enumerated() {
            let storeOfRow = fetched.storeOfRow.isEmpty ? 0 : fetched.storeOfRow[index]
            if row.entityIndex != entity || storeOfRow != store || cached == nil {
                entity = row.entityIndex
                store = storeOfRow
                let scope = fetched.scopes(ofRowAt: index)[entity]
                let table = table(scope)
                if objects.isEmpty { table.reserve(fetched.rows.count) }
                cached = (scope, table, objectClass(of: scope.entity))
            }
            guard let cached else { continue }
            objects.append(materialize(row, cached.scope, cached.table, cached.type))
        }
        return objects
    }

    /// Gives an object that is here already the row that was fetched just now; its pending changes stay.
    func refetched(_ row: Row, _ scopes: ObjectIDScopes) {
        guard let object = table(scopes[row.entityIndex])[row.reference], let old = object.row, !object.isDeleted else { return }
        object.unloadRelationships()
        if object.flags.contains(.unreadable) { failedAccesses.didReadRow(of: object) }
        if old.version == row.version { return }
        // What an object set as it awoke is no change: it awakes again.
        if !object.hasChanges { object.extra?.dropStoredValues(object.entity.places) }
        rowGeneration += 1
        object.row = row
        if object.hasChanges { PairKeeper(self).keep(object, from: old) }
        object.flags.insert(.fault)
    }

    /// Brings a fault's row from the store, where the row is there.
    ///
    /// - Throws: What kept the store from telling; the object stays a fault without values, and fires again.
    func requireRow(of object: ManagedObject) throws {
        guard object.row == nil, !object.flags.contains(.inserted), !object.isGone else { return }
        assertQueue()
        do {
            if let row = prefetchedRows[object.objectID] { return try give(row, to: object) }
            try loadSiblings(of: object)
            if object.row != nil { return }
            if let row = try coordinator.row(for: object.objectID) { return try give(row, to: object) }
        } catch {
            object.flags.insert(.fault)
            throw error
        }
        becomeInaccessible(object, goneError(object.objectID))
    }

    func goneError(_ id: ObjectID) -> StoreError {
        StoreError(.notFound, "fault", "the row of \(id) is gone", entity: id.entity.name)
    }

    /// Lets an object hear that its values came; what it sets its attributes to is no change.
    func awake(_ object: ManagedObject) {
        let wasAwaking = isAwaking
        isAwaking = true
        object.awakeFromFetch()
        isAwaking = wasAwaking
    }

    /// Takes note of faults that came together, from one relationship: when one fires, so will the others.
    func noteSiblings(_ objects: [ManagedObject]) {
        let faults = objects.filter { $0.row == nil && !$0.objectID.isTemporary }
        guard faults.count > 1 else { return }
        if siblings.count >= 16 { siblings.removeFirst() }
        siblings.append(Set(faults.map(\.objectID)))
    }

    /// Brings the rows of a fault's siblings with its own, some hundreds at a time.
    private func loadSiblings(of object: ManagedObject) throws {
        guard let place = siblings.lastIndex(where: { $0.contains(object.objectID) }) else { return }
        siblings[place].remove(object.objectID)
        let batch = siblings[place].prefix(499).compactMap { registeredObject(for: $0) }
        siblings[place].subtract(batch.map(\.objectID))
        if siblings[place].isEmpty { siblings.remove(at: place) }
        try loadRows(of: [object] + batch)
    }

    private func becomeInaccessible(_ object: ManagedObject, _ error: StoreError) {
        lastFaultError = error
        rowGeneration += 1
        object.flags.remove(.fault)
        object.flags.insert(.inaccessible)
        if shouldDeleteInaccessibleFaults { object.flags.insert(.deleted) }
    }

    /// Brings the rows of several faults at once.
    func loadRows(of objects: [ManagedObject]) throws {
        let faults = try objects.filter { object in
            guard object.row == nil, !object.objectID.isTemporary, !object.isGone else { return false }
            guard let row = prefetchedRows[object.objectID] else { return true }
            try give(row, to: object)
            return false
        }
        for (_, group) in Dictionary(grouping: faults, by: { $0.entity.root }) {
            let rows = try coordinator.rows(for: group.map(\.objectID))
            for (object, row) in zip(group, rows) {
                if let row { try give(row, to: object) }
            }
        }
    }

    private func give(_ row: Row, to object: ManagedObject) throws {
        object.row = row
        if row.entityIndex != object.entity.index {
            object.objectID = ObjectID(scope: try scopes(of: object.objectID)[row.entityIndex], reference: row.reference)
        }
        if object.isGone { comeBack(object) }
    }

    /// Asks again for the row of an object that was gone: somebody else may have made it anew.
    ///
    /// - Throws: What kept the store from telling.
    func lookAgain(for object: ManagedObject) throws {
        if let row = try coordinator.row(for: object.objectID) { try give(row, to: object) }
    }

    /// Has an object whose row was gone be a fault again: there is a row.
    private func comeBack(_ object: ManagedObject) {
        object.extra = nil
        object.flags.subtract([.inaccessible, .deleted])
        object.flags.insert(.fault)
    }

    /// The destinations of a to-many relationship as they were saved.
    func savedDestinations(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        assertQueue()
        if object.objectID.isTemporary || object.isGone { return [] }
        return try coordinator.destinations(of: relationship, from: object.objectID)
    }
}
