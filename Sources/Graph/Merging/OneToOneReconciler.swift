import StrataCoordinator
import StrataStore

/// Reconciles both ends of one-to-one relationships where changes are rebased to other rows.
///
/// Each end of a pair is stored in a row of its own, with its own version. What a change of one end requires of others
/// (the new partner, the old one, and the new partner's former one) is done with the change; where a row turns out to
/// be different, other objects are concerned, which may not be registered.
struct OneToOneReconciler {
    let context: ManagedObjectContext

    /// Makes the ends of all changed pairs agree, and all their rows join the save, where versions are compared.
    ///
    /// Afterwards every changed object references one that references it, and its stored partner does not reference it
    /// any more. As the store's rows agree, and a save changes none of another version, they do so after the save.
    ///
    /// - Throws: `SaveConflictError` where another process changed an object with changes here; what a store throws.
    func reconcile() throws {
        guard context.model.hasOneToOneRelationships else { return }
        var index = 0
        // Including objects that join.
        while index < context.tracker.changed.count {
            let object = context.tracker.changed[index]
            index += 1
            if !object.isDeleted && !object.isInaccessible { try reconcile(object) }
        }
    }

    private func reconcile(_ object: ManagedObject) throws {
        for relationship in context.model.oneToOneRelationships[object.entityIndex] {
            guard let pending = object.pendingValue(relationship.index), let inverse = context.model.inverse(of: relationship)
            else { continue }
            if case .objectID(let id) = pending { try confirm(object, relationship, inverse, id) }
            guard let stored = stored(object, relationship), stored != object.pendingValue(relationship.index)?.objectID else { continue }
            // An object that is its own partner has two ends, unless the relationship is its own inverse.
            if stored != object.objectID || inverse.index != relationship.index { try separate(object, inverse, stored) }
        }
    }

    /// Makes the partner of an object agree, or removes the partner.
    private func confirm(
        _ object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ id: ObjectID
    ) throws {
        // New objects were related at both ends.
        let partner = context.fault(with: id)
        if object.isNew && partner.isNew { return }
        if partner.isInaccessible { try context.loader.lookAgain(for: partner) }
        if partner.isDeleted || partner.isInaccessible { return }
        if let back = partner.pendingValue(inverse.index) {
            if back != .objectID(object.objectID) { release(object, relationship, inverse) }
            return
        }
        try context.loader.requireRow(of: partner)
        if partner.isInaccessible { return }
        if stored(partner, inverse) == object.objectID {
            // Its row may be older than the object's: it joins, so that versions are compared.
            if stored(object, relationship) != id { join(partner, inverse, .objectID(object.objectID)) }
        } else {
            release(object, relationship, inverse)
        }
    }

    /// Clears the end of the partner that an object's row references.
    private func separate(_ object: ManagedObject, _ inverse: RelationshipDescription, _ id: ObjectID) throws {
        let partner = context.fault(with: id)
        // A pending end is reconciled as that of the partner.
        if partner.isDeleted || partner.isPending(inverse.index) { return }
        try context.loader.requireRow(of: partner)
        if partner.isInaccessible { return }
        if stored(partner, inverse) != object.objectID { try reload(partner) }
        if stored(partner, inverse) == object.objectID { join(partner, inverse, .null) }
    }

    /// Changes the end of a partner, which joins the save.
    private func join(_ partner: ManagedObject, _ inverse: RelationshipDescription, _ end: Value) {
        if !partner.changesRow { context.saveState.joinedPartners.insert(ObjectIdentifier(partner)) }
        partner.change(inverse.index, to: end)
    }

    /// Reads the row of an object anew; throws `SaveConflictError` where it differs, and the object has older changes.
    private func reload(_ object: ManagedObject) throws {
        // The rows of a parent have no versions to compare.
        if context.parent != nil { return }
        guard let old = object.row, let row = try context.loader.savedRow(of: object.objectID), row.version != old.version else { return }
        guard !object.changesRow else { throw SaveConflictError(conflicts: [.init(objectID: object.objectID, reason: .changed(row))]) }
        context.loader.replaceRow(of: object, by: row)
    }

    /// Rebases the pending ends of an object to its new row.
    ///
    /// An object whose partner left does not lose the partner that another process gave it meanwhile.
    func keep(_ object: ManagedObject, from old: Row?) {
        guard let old, context.model.hasOneToOneRelationships else { return }
        for relationship in context.model.oneToOneRelationships[object.entityIndex] {
            guard object.pendingValue(relationship.index)?.isNull == true, let inverse = context.model.inverse(of: relationship),
                let before = object.destinationID(relationship, in: old), stored(object, relationship) != before,
                let partner = context.registered(before)
            else { continue }
            if partner.isDeleted || partner.pendingValue(inverse.index)?.isNull == false { drop(object, relationship) }
        }
    }

    /// Discards the pending ends of an object; its partners get their former ones back where possible.
    func forget(_ object: ManagedObject) {
        guard context.model.hasOneToOneRelationships else { return }
        for relationship in context.model.oneToOneRelationships[object.entityIndex] { forget(object, relationship) }
    }

    /// Discards a pending end: the object has its row's partner.
    func forget(_ object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let inverse = context.model.inverse(of: relationship) else { return }
        let pending = object.pendingValue(relationship.index)
        drop(object, relationship)
        if case .objectID(let id)? = pending, let partner = context.registered(id), !partner.isDeleted,
            partner.pendingValue(inverse.index) == .objectID(object.objectID)
        {
            release(partner, inverse, relationship)
        }
        guard let home = stored(object, relationship), let partner = context.registered(home), !partner.isDeleted else { return }
        if partner.pendingValue(inverse.index)?.isNull == true, stored(partner, inverse) == object.objectID { drop(partner, inverse) }
    }

    /// Removes an object's pending partner: it gets its row's partner back, unless that has another one now.
    private func release(_ object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription) {
        guard let home = stored(object, relationship) else {
            if object.isNew { return object.change(relationship.index, to: .null) }
            return drop(object, relationship)
        }
        guard let partner = context.registered(home) else { return drop(object, relationship) }
        let back = partner.pendingValue(inverse.index)
        if !partner.isDeleted && !partner.isInaccessible && (back?.isNull != false || back == .objectID(object.objectID)) {
            drop(object, relationship)
            if back?.isNull == true && stored(partner, inverse) == object.objectID { drop(partner, inverse) }
        } else {
            object.change(relationship.index, to: .null)
        }
    }

    /// Restores the former partner of an object that is saved as a whole, unless it has another one here.
    ///
    /// - Parameter isTaken: Whether the partner may be taken from its stored one.
    /// - Throws: `SaveConflictError` where another process changed a partner with changes here; what a store throws.
    func claim(_ id: ObjectID?, for object: ManagedObject, _ relationship: RelationshipDescription, takes isTaken: Bool) throws {
        guard let id, let inverse = context.model.inverse(of: relationship) else { return object.change(relationship.index, to: .null) }
        let partner = context.fault(with: id)
        if partner === object {
            object.change(inverse.index, to: .objectID(id))
            return object.change(relationship.index, to: .objectID(id))
        }
        if !partner.isDeleted && !partner.isInaccessible && !partner.isPending(inverse.index) {
            try context.loader.requireRow(of: partner)
            try reload(partner)
            let other = stored(partner, inverse)
            if !partner.isInaccessible && (isTaken || other == nil || other == object.objectID) {
                join(partner, inverse, .objectID(object.objectID))
                return object.change(relationship.index, to: .objectID(id))
            }
        }
        if !isTaken { object.change(relationship.index, to: .null) }
    }

    private func stored(_ object: ManagedObject, _ relationship: RelationshipDescription) -> ObjectID? {
        object.row.flatMap { object.destinationID(relationship, in: $0) }
    }

    private func drop(_ object: ManagedObject, _ relationship: RelationshipDescription) {
        context.tracker.forget(relationship.index, of: object)
    }
}
