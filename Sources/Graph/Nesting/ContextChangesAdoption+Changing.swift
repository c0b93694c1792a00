import StrataModel

// The changes themselves, by the setters of the parent's objects, which keep both ends of relationships consistent.

extension ContextChangesAdoption {
    func insert(_ index: Int, _ id: ObjectID) -> ManagedObject {
        let row = changes.inserted[index]
        if let known = context.registered(id) { return keep(known, row) }
        let object = id.entity.managedObjectClass.init(ObjectOrigin(id: id, context: context))
        context.identity.register(object)
        // Its store is known.
        let plain = row.isOfStore ? row : row.copy(ofVersion: row.version)
        tracker.adopt(object, plain, changes.given[index].properties, (try? scopes(ofInsertionAt: index)) ?? nil)
        change(object, changes.given[index].transients)
        if !changes.stores.isEmpty, id.isTemporary, let storeID = changes.stores[index] { tracker.assign(object, to: storeID) }
        return object
    }

    /// Restores an object that the parent deleted, and the child keeps, as the child has it.
    private func keep(_ object: ManagedObject, _ row: Row) -> ManagedObject {
        if object.isInaccessible {
            tracker.restoreFault(object)
            object.row = row
            tracker.makeAnew(object)
        } else if object.isDeleted {
            tracker.takeBackDeletion(of: object)
            RelationshipForgetter(context: context).forgetUndoably(object)
        }
        var held = PropertySet()
        for propertySlot in object.entity.propertySlots where propertySlot.slot != nil { held.insert(propertySlot.property) }
        change(object, ContextChanges.Update(id: object.objectID, base: row, row: row, properties: held, transients: []))
        return object
    }

    /// Updates the inverses of a new object's relationships.
    func noteInverses(of object: ManagedObject, _ row: Row) {
        for held in references[row.entityIndex] {
            guard let inverse = held.inverse, let reference = row.integer(held.slot),
                let destination = destination(of: object, held.relationship, reference)
            else { continue }
            if inverse.isToMany {
                destination.note(object, addedTo: inverse)
            } else if destination.currentDestination(inverse) != object.objectID {
                attempt(destination, inverse) { try destination.set(object, inverse) }
            }
            tracker.applyRulesAgain(of: destination)
        }
    }

    private func destination(of object: ManagedObject, _ relationship: RelationshipDescription, _ reference: Int64) -> ManagedObject? {
        if let index = indices[reference] { return made[Int(index)] }
        guard case .objectID(let id)? = object.pendingValue(relationship.index) else { return nil }
        return context.fault(with: id)
    }

    func change(_ object: ManagedObject, _ update: ContextChanges.Update) {
        for propertySlot in object.entity.propertySlots where update.properties.contains(propertySlot.property) {
            // A value that cannot be read is skipped.
            guard let slot = propertySlot.slot, !propertySlot.kind.isVariable || !update.row.isUnavailable(slot) else { continue }
            if propertySlot.kind == .reference, let relationship = object.entity.properties[propertySlot.property].relationship {
                let destination = object.destinationID(relationship, in: update.row).map { context.fault(with: $0) }
                attempt(object, relationship) { try object.set(destination, relationship) }
            } else {
                object.change(propertySlot, to: update.row.value(slot, propertySlot.kind))
            }
        }
        change(object, update.transients)
    }

    /// Sets the changed transient values of the child's object.
    private func change(_ object: ManagedObject, _ transients: [ContextChanges.Transient]) {
        for transient in transients where transient.value != object.pendingValue(transient.property) ?? .null {
            object.change(object.entity.propertySlots[transient.property], to: transient.value)
        }
    }

    /// Clears to-one relationships of an object that is deleted next.
    func clear(_ relationships: PropertySet, of object: ManagedObject) {
        for relationship in object.entity.relationships where relationships.contains(relationship.index) {
            attempt(object, relationship) { try object.set(nil, relationship) }
        }
    }

    /// Records a deletion by cascade, which the context's save confirms as its own.
    func note(_ cascade: ContextChanges.Cascade) {
        guard let owner = context.registered(cascade.owner), let member = context.registered(cascade.member),
            let relationship = owner.entity.properties[cascade.property].relationship
        else { return }
        DeletionPropagator(context: context).noteCascade(from: owner, relationship, to: member)
    }

    mutating func change(_ members: ContextChanges.Members) {
        guard let relationship = members.relationship else { return }
        let object = context.fault(with: members.id)
        for id in members.added where isFirstEnd(id, members, relationship) {
            let wasSaved = members.blind.contains(id) ? nil : false
            attempt(object, relationship) { try object.addMember(context.fault(with: id), relationship, wasSaved: wasSaved) }
        }
        for id in members.removed where isFirstEnd(id, members, relationship) {
            let wasSaved = members.blind.contains(id) ? nil : true
            attempt(object, relationship) { try object.removeMember(context.fault(with: id), relationship, wasSaved: wasSaved) }
        }
    }

    /// Returns whether a link was not changed through its other end, as a cancelled change must not be repeated.
    private mutating func isFirstEnd(_ id: ObjectID, _ members: ContextChanges.Members, _ relationship: RelationshipDescription) -> Bool {
        // Links of new objects are new: there is nothing to cancel.
        guard let inverse = relationship.inverse, !isInserted(members.id), !isInserted(id) else { return true }
        if changedLinks.contains(LinkEnd(id: members.id, property: members.property, destination: id)) { return false }
        changedLinks.insert(LinkEnd(id: id, property: inverse, destination: members.id))
        return true
    }

    /// Records a change that failed: the parent cannot be saved then.
    private func attempt(_ object: ManagedObject, _ relationship: RelationshipDescription, _ body: () throws -> Void) {
        do { try body() } catch { context.failedAccesses.add(error, of: object, relationship.name, isAnswered: false) }
    }
}
