import StrataModel

/// Follows the delete rules of deleted objects, as far as the context knows where they lead.
struct DeletionPropagator {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Follows the rules of the objects deleted since the last time, and of those that these take with them.
    ///
    /// - Throws: What a store throws while destinations are loaded; what was not followed yet is followed next time.
    func run() throws {
        while true {
            let objects = context.tracker.nextDeletions()
            if objects.isEmpty { return }
            let destinations = try bringDestinations(of: objects)
            try withExtendedLifetime(destinations) {
                for object in objects where !object.flags.contains(.propagated) {
                    try followRules(of: object)
                    context.tracker.didFollowRules(of: object)
                }
            }
        }
    }

    /// Brings what the rules of several objects lead to, in a round trip or two for each relationship rather than for each object.
    ///
    /// - Returns: The destinations whose rows were brought, for as long as these are needed.
    private func bringDestinations(of objects: [ManagedObject]) throws -> [ManagedObject] {
        guard objects.count > 1 else { return [] }
        let saved = objects.filter { !$0.isNew && !$0.isGone }
        try context.loader.loadRows(of: saved)
        var brought: [ManagedObject] = []
        for owners in Dictionary(grouping: saved.filter { $0.row != nil }, by: \.entity.index).values {
            for property in owners[0].entity.properties {
                guard let relationship = property.relationship, isFollowed(relationship, isNew: false) else { continue }
                if relationship.isToMany {
                    let unloaded = owners.filter { !$0.state(relationship).isLoaded }
                    let found = try context.loader.savedDestinations(of: relationship, from: unloaded)
                    for (owner, ids) in zip(unloaded, found) { context.loader.load(ids, of: relationship, into: owner) }
                }
                guard needsRows(relationship) else { continue }
                let destinations = try owners.flatMap { try $0.destinationIDs(relationship) }.map { context.fault(with: $0) }
                try context.loader.loadRows(of: destinations)
                brought += destinations
            }
        }
        return brought
    }

    private func isFollowed(_ relationship: RelationshipDescription, isNew: Bool) -> Bool {
        switch relationship.deleteRule {
        case .nullify: relationship.inverse != nil
        case .cascade: true
        // An object that was never saved just goes: nothing may keep it, and nothing may lead to it.
        case .noAction, .deny: isNew && relationship.inverse != nil
        }
    }

    /// Whether destinations are changed, or deleted too, rather than to lose a member.
    private func needsRows(_ relationship: RelationshipDescription) -> Bool {
        relationship.deleteRule == .cascade || context.model.inverse(of: relationship)?.isToMany == false
    }

    private func followRules(of object: ManagedObject) throws {
        try context.loader.requireRow(of: object)
        for property in object.entity.properties {
            guard let relationship = property.relationship, isFollowed(relationship, isNew: object.isNew) else { continue }
            let ids = try object.destinationIDs(relationship)
            if needsRows(relationship) { try context.loader.loadRows(of: ids.map { context.fault(with: $0) }) }
            let inverse = context.model.inverse(of: relationship)
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
    /// - Parameter isOfDeletion: Whether that belongs to the deletions, whenever these were: an undo of one brings the references back, and
    ///   there is no step for them alone.
    /// - Complexity: O(n) in the changed objects.
    func clearReferencesToDeleted(isOfDeletion: Bool = true) {
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
                if isOfDeletion {
                    tracker.journal?.willDetach(destination, from: object, relationship)
                    tracker.unjournaled { object.change(property.index, to: .null) }
                } else {
                    object.change(property.index, to: .null)
                }
            }
        }
    }
}
