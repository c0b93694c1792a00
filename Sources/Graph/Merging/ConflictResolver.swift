import StrataCoordinator
import StrataStore

/// The resolution of save conflicts by the context's merge policy, so that the save can be tried again.
struct ConflictResolver {
    let context: ManagedObjectContext
    let policy: MergePolicy

    /// The greatest number of tries: another process may save in between.
    static let attempts = 16

    init(_ context: ManagedObjectContext) {
        self.context = context
        policy = context.mergePolicy
    }

    /// Resolves all conflicts of a save; throws the error itself where the policy does not resolve it; a store's error.
    func resolve(_ error: SaveConflictError) throws {
        var deletions = DeletedDestinations(context)
        var revived: [ManagedObject] = []
        var anew: [(object: ManagedObject, values: [String: Value])] = []
        for conflict in error.conflicts {
            // A saved object need not be registered, at the end of a link or in an ordered relationship.
            let id = conflict.objectID
            guard let object = id.isTemporary ? context.registered(id) : context.fault(with: id) else { throw error }
            let isDone: Bool
            switch conflict.reason {
            case .changed(let row): isDone = try resolve(object, changed: row, &revived)
            case .deleted: isDone = try resolveDeleted(object, &anew)
            case .constraint(let names, let other): isDone = try resolve(object, names, other, &revived)
            case .missingDestination(let relationship, _): isDone = try resolve(object, relationship, conflict.relatedIDs)
            case .referenced(let relationship, _):
                try deletions.follow(object, relationship, conflict.relatedIDs)
                isDone = true
            }
            if !isDone { throw error }
        }
        // Other objects that are restored exist for them.
        for (object, _) in anew { try dropLostDestinations(of: object) }
        for (object, _) in anew { try rejoin(object) }
        for (object, values) in anew { try set(values, of: object) }
        // The effects of their deletions on other objects are reverted, except those of cascades.
        for object in revived { RelationshipForgetter(context: context).forget(object, isRevived: true) }
        try deletions.finish()
    }

    func conflict(
        _ reason: MergeConflict.Reason, _ object: ManagedObject, _ otherID: ObjectID?, stored: [String: Value], version: UInt32 = 0
    ) throws -> MergeConflict {
        let scopes = try context.loader.scopes(ofStore: context.targetStoreID(of: object))
        var conflict = MergeConflict(
            reason, entity: object.entity, objectID: object.objectID, otherID: otherID, values: object.currentValues())
        conflict.isDeletion = object.isDeleted
        conflict.base = object.row?.values(in: object.entity, scopes) ?? [:]
        conflict.stored = stored
        conflict.oldVersionNumber = object.row?.version ?? 0
        conflict.newVersionNumber = version
        return conflict
    }

    // MARK: - Concurrent changes

    private func resolve(_ object: ManagedObject, changed stored: Row, _ revived: inout [ManagedObject]) throws -> Bool {
        guard stored.entityIndex == object.entityIndex, !object.isNew else { return false }
        let scopes = try context.loader.scopes(of: object.objectID)
        var resolution = try policy.resolve(
            conflict(.changed, object, object.objectID, stored: stored.values(in: object.entity, scopes), version: stored.version))
        if resolution == .error { return false }
        // An object that joined for its partner only keeps the pair.
        if resolution == .overwrite, context.saveState.joinedPartners.contains(ObjectIdentifier(object)) {
            resolution = .mergeByPropertyObjectTrump
        }
        if object.isDeleted {
            context.tracker.willReplaceValues(of: object)
            // A value that was set to its stored one is no change: undoing the deletion restores the saved value.
            context.keepChanges(of: object)
            object.row = stored
            if resolution.keepsStore {
                // The relationships follow when the other restored objects are known.
                context.tracker.revive(object)
                revived.append(object)
            } else {
                // Its row may reference other objects than the one that the delete rules followed.
                object.unloadRelationships()
                context.tracker.applyRulesAgain(of: object)
            }
            return true
        }
        try rebase(object, onto: stored, resolution)
        return true
    }

    /// Moves an object's changes to another row, except those that the resolution discards.
    private func rebase(_ object: ManagedObject, onto stored: Row, _ resolution: MergePolicy.Resolution) throws {
        let base = object.row
        context.keepChanges(of: object)
        let changedComposites = base.map { self.changedComposites(of: object, $0, stored) } ?? []
        var replaced = PropertySet()
        var forgotten: [RelationshipDescription] = []
        var claimed: [(relationship: RelationshipDescription, partner: ObjectID?)] = []
        for property in object.entity.properties {
            let propertySlot = object.entity.propertySlots[property.index]
            guard let slot = propertySlot.slot else { continue }
            let isPending = object.isPending(property.index)
            let isChangedInStore =
                base.map { !$0.slot(slot, propertySlot.kind, equals: stored) } ?? true
                || property.attribute?.compositeName.map { changedComposites.contains($0) } ?? false
            let isForgotten = isPending && resolution.forgetsChange(changedInStore: isChangedInStore)
            if isForgotten || isChangedInStore { replaced.insert(property.index) }
            if isForgotten {
                if let pair = pair(property) { forgotten.append(pair) } else { try revert(property, of: object, to: stored) }
            } else if resolution == .overwrite && !isPending && isChangedInStore {
                if let pair = pair(property) {
                    claimed.append((pair, base.flatMap { object.destinationID(pair, in: $0) }))
                } else {
                    object.change(property.index, to: object.currentValue(property))
                }
            }
        }
        context.tracker.willReplaceValues(of: object, replaced)
        object.row = stored
        let pairs = OneToOneReconciler(context: context)
        for relationship in forgotten { pairs.forget(object, relationship) }
        for (relationship, partner) in claimed { try claim(partner, for: object, relationship, takes: true) }
        pairs.keep(object, from: base)
        try set(resolution.givenValues, of: object)
    }

    private func changedComposites(of object: ManagedObject, _ base: Row, _ stored: Row) -> Set<String> {
        let changed = object.entity.compositeAttributes.filter { composite in
            composite.attributes.contains { attribute in
                attribute.slot.map { !base.slot($0, attribute.slotKind, equals: stored) } ?? false
            }
        }
        return Set(changed.map(\.name))
    }

    private func pair(_ property: PropertyDescription) -> RelationshipDescription? {
        guard let relationship = property.relationship, !relationship.isToMany else { return nil }
        return context.model.inverse(of: relationship)?.isToMany == false ? relationship : nil
    }

    /// Discards the pending value of a property, and of a relationship's inverse.
    private func revert(_ property: PropertyDescription, of object: ManagedObject, to stored: Row) throws {
        if case .relationship(let relationship) = property, case .toOne(let slot, let entitySlot, _) = relationship.storage {
            let entity = stored.destinationEntity(entitySlot, of: relationship)
            let id = try stored.integer(slot).flatMap { try context.id($0, entity, near: object.objectID) }
            try object.set(id.map { context.fault(with: $0) }, relationship)
        }
        context.tracker.forget(property.index, of: object)
    }

    func set(_ values: [String: Value], of object: ManagedObject) throws {
        // Composite attributes are set before their elements.
        for (name, value) in values.sortedByKey() {
            if case .objectID(let id) = value {
                try object.setValue(context.fault(with: id), forKey: name)
            } else {
                try object.setValue(value.isNull ? nil : value, forKey: name)
            }
        }
    }

    // MARK: - Concurrent deletions

    private func resolveDeleted(_ object: ManagedObject, _ anew: inout [(object: ManagedObject, values: [String: Value])]) throws -> Bool {
        let resolution = try policy.resolve(conflict(.deleted, object, object.objectID, stored: [:]))
        if resolution == .error { return false }
        // An object that was only relied on has no changes to save.
        if object.isDeleted || !object.hasChanges || resolution.keepsStore {
            context.becomeDeleted(object)
            return true
        }
        // Its links were deleted with its row; those to it have to be loaded again.
        context.unloadRelationships(touchedBy: [.inserted: [object.objectID]])
        object.unloadRelationships()
        context.tracker.makeAnew(object)
        anew.append((object, resolution.givenValues))
        return true
    }

    /// Clears the to-one relationships of an object that is inserted again to objects that are deleted.
    private func dropLostDestinations(of object: ManagedObject) throws {
        for relationship in object.entity.relationships where !relationship.isToMany && !relationship.isTransient {
            guard case .objectID(let id) = object.currentValue(.relationship(relationship)) else { continue }
            let destination = context.registered(id)
            if destination?.isDeleted != true {
                guard try destination?.isNew != true && context.loader.savedRow(of: id) == nil else { continue }
            }
            object.change(relationship.index, to: .null)
        }
    }

    /// Restores the partners of an object that is inserted again, unless they have others.
    private func rejoin(_ object: ManagedObject) throws {
        for relationship in context.model.oneToOneRelationships[object.entityIndex] where !object.isPending(relationship.index) {
            guard let partner = object.row.flatMap({ object.destinationID(relationship, in: $0) }) else { continue }
            try claim(partner, for: object, relationship, takes: false)
        }
    }

    /// Gives an object its partner, after conflicts of the partner are resolved.
    private func claim(_ partner: ObjectID?, for object: ManagedObject, _ relationship: RelationshipDescription, takes isTaken: Bool) throws
    {
        let pairs = OneToOneReconciler(context: context)
        do { try pairs.claim(partner, for: object, relationship, takes: isTaken) } catch let error as SaveConflictError {
            try resolve(error)
            try pairs.claim(partner, for: object, relationship, takes: isTaken)
        }
    }

    // MARK: - Deleted destinations

    /// Removes a missing destination: for a policy, another process changed the value to nil.
    private func resolve(_ object: ManagedObject, _ relationship: RelationshipDescription, _ missing: [ObjectID]) throws -> Bool {
        guard let destination = missing.first else { return false }
        var stored = object.row?.values(in: object.entity, try context.loader.scopes(ofStore: context.targetStoreID(of: object))) ?? [:]
        if !relationship.isToMany { stored[relationship.name] = .null }
        let resolution = try policy.resolve(conflict(.changed, object, destination, stored: stored, version: object.row?.version ?? 0))
        if resolution == .error { return false }
        try set(resolution.givenValues, of: object)
        if relationship.isToMany {
            context.unlink(destination, from: object, relationship)
        } else if case .objectID(destination) = object.currentValue(.relationship(relationship)) {
            try object.set(nil, relationship)
        }
        if let other = context.registered(destination), !other.isNew { context.becomeDeleted(other) }
        return true
    }

    // MARK: - Unique values of other objects

    private func resolve(_ object: ManagedObject, _ names: [String], _ reference: Int64, _ revived: inout [ManagedObject]) throws -> Bool {
        // Several constraints may be broken by one other object, which this one was united with already.
        if object.isForgotten { return true }
        let storeID = try context.targetStoreID(of: object)
        let otherID = try context.id(root: object.entity.root, reference: reference, storeID: storeID)
        if otherID == object.objectID { return true }
        if object.isNew, context.registered(otherID) == nil,
            let done = try takeOver(otherID, object, names, storeID)
        {
            return done
        }
        let other = context.fault(with: otherID)
        if !other.isNew {
            try context.loader.requireRow(of: other)
            // A value equal to that of an older row would count as unchanged, and another context's value would stay.
            if let row = try context.loader.savedRow(of: otherID) {
                if other.changesRow, let old = other.row, old.version != row.version {
                    return try resolve(other, changed: row, &revived)
                }
                try context.refetched(row, context.loader.scopes(ofStore: storeID))
            }
        }
        guard !other.isDeleted else { return false }
        let stored = other.row?.values(in: other.entity, try context.loader.scopes(ofStore: storeID)) ?? [:]
        let resolution = try policy.resolve(conflict(.constraint(names), object, other.objectID, stored: stored))
        if resolution == .error { return false }
        if object.isNew {
            guard other.entity.isKind(of: object.entity) else { return false }
            try unite(object, with: other, resolution)
            return true
        }
        // Two saved objects cannot be united: the change that made them equal is discarded.
        guard let row = object.row else { return false }
        switch resolution {
        case .rollback: try rebase(object, onto: row, .rollback)
        case .mergeByPropertyStoreTrump:
            for name in names { try object.entity.property(named: name).map { try revert($0, of: object, to: row) } }
        default: return false
        }
        return true
    }
}
