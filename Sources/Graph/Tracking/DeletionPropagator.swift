import StrataModel

/// Follows the delete rules of deleted objects, as far as the context knows where they lead.
struct DeletionPropagator {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Follows the rules of the objects deleted since the last time, and of those that these take with them.
    ///
    /// - Throws: What a store throws while destinations are loaded; what was not followed yet is followed next time.
    func run() throws {
        while let object = context.tracker.nextDeletion() {
            try followRules(of: object)
            context.tracker.didFollowRules(of: object)
        }
    }

    private func followRules(of object: ManagedObject) throws {
        try context.loader.requireRow(of: object)
        for property in object.entity.properties {
            guard let relationship = property.relationship else { continue }
            switch relationship.deleteRule {
            case .nullify where relationship.inverse == nil: continue
            case .nullify, .cascade: break
            // An object that was never saved just goes: nothing may keep it, and nothing may lead to it.
            case .noAction, .deny: guard object.isNew, relationship.inverse != nil else { continue }
            }
            let ids = try object.destinationIDs(relationship)
            let inverse = context.model.inverse(of: relationship)
            if relationship.deleteRule == .cascade || inverse?.isToMany == false {
                try context.loader.loadRows(of: ids.map { context.fault(with: $0) })
            }
            for id in ids {
                if relationship.deleteRule == .cascade {
                    let destination = context.fault(with: id)
                    if !destination.isDeleted { context.delete(destination) }
                } else if let inverse {
                    try context.detach(object.objectID, from: id, inverse)
                }
            }
        }
    }
}

extension ManagedObjectContext {
    /// Ends an event: follows the delete rules of the objects deleted since the last time, unless only a save is to do so, see
    /// ``propagatesDeletesAtEndOfEvent``; what was changed is a step of the ``undoManager``, unless a group of it is open, and listeners hear of it.
    ///
    /// - Throws: What a store throws while destinations are loaded; what was not followed yet is followed next time.
    public func processPendingChanges() throws {
        assertQueue()
        try followDueDeleteRules()
        endUndoEvent()
        tellChanges()
    }

    /// Follows the delete rules of the objects deleted since the last time, unless only a save is to do so.
    func followDueDeleteRules() throws { if propagatesDeletesAtEndOfEvent { try followDeleteRules() } }

    /// Follows the delete rules of the objects deleted since the last time.
    package func followDeleteRules() throws { try DeletionPropagator(self).run() }

    /// Has an object forget another one, on its own side only.
    ///
    /// - Throws: What kept the object from being read.
    func detach(_ id: ObjectID, from ownerID: ObjectID, _ relationship: RelationshipDescription) throws {
        // An owner that is not here yet is made: it may load its destinations before the save.
        let owner = fault(with: ownerID)
        if relationship.isToMany { return owner.note(id, removedFrom: relationship) }
        try owner.requireValues()
        // One whose rule keeps it from being deleted counts its destinations at the save: they may have gone over to others by then.
        let isCounted = owner.isDeleted && !owner.isGone && relationship.deleteRule == .deny
        guard !owner.isDeleted || isCounted, case .objectID(let current) = owner.currentValue(.relationship(relationship)), current == id
        else { return }
        owner.change(relationship.index, to: .null)
    }

    /// Clears the pending references to objects that are deleted with them, where no delete rule says anything else.
    ///
    /// - Complexity: O(n) in the changed objects.
    func clearReferencesToDeleted() {
        guard tracker.changed.contains(where: \.isDeleted) else { return }
        for object in tracker.changed where !object.isDeleted && object.extra?.hasValues == true {
            for property in object.entity.properties {
                guard let relationship = property.relationship, case .toOne = relationship.storage,
                    case .objectID(let id)? = object.pendingValue(property.index), let destination = registered(id),
                    destination.isDeleted, !destination.isGone
                else { continue }
                let rule = model.inverse(of: relationship)?.deleteRule ?? .nullify
                // These keep an object, or take the other one with it; neither is so with an object that was never saved.
                if (rule == .deny || rule == .cascade) && !destination.isNew { continue }
                object.change(property.index, to: .null)
            }
        }
    }
}
