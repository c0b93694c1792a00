import StrataCoordinator
import StrataModel
import StrataStore

/// The propagation of deletes by the delete rules, as far as the context knows the destinations.
struct DeletionPropagator {
    let context: ManagedObjectContext

    /// Applies the rules of objects deleted since the last time, and of their cascades.
    ///
    /// - Parameter isPartOfDeletions: Whether the changes are part of the undo groups of the deletions, even if these
    ///   have ended.
    /// - Throws: What a store throws while destinations are loaded; the other rules are applied next time.
    func run(inStepsOfDeletions isPartOfDeletions: Bool = false) throws {
        let wereBeingApplied = context.tracker.deletions.areBeingApplied
        context.tracker.deletions.areBeingApplied = true
        defer { context.tracker.deletions.areBeingApplied = wereBeingApplied }
        while !context.tracker.deletions.isEmpty {
            let objects = context.tracker.deletions.next()
            if objects.isEmpty { return }
            let unlinked = try reloadLinks(of: objects)
            let destinations = try prefetchDestinations(of: objects)
            try withExtendedLifetime(destinations) {
                for object in objects where !object.flags.contains(.propagated) {
                    let unlinked = unlinked[object.objectID] ?? []
                    if isPartOfDeletions {
                        try context.tracker.asConsequence(of: object) { try applyRules(of: object, unlinked) }
                    } else {
                        try applyRules(of: object, unlinked)
                    }
                    context.tracker.didApplyRules(of: object)
                }
            }
        }
    }

    /// Reads the links anew over which objects delete others: no row has a version that detects a removed link;
    /// returns the destinations that were loaded and are not linked any more, by the ID of the object.
    private func reloadLinks(of objects: [ManagedObject]) throws -> [ObjectID: Set<ObjectID>] {
        var unlinked: [ObjectID: Set<ObjectID>] = [:]
        for owners in Dictionary(grouping: objects, by: \.entity.index).values {
            for relationship in owners[0].entity.relationships where relationship.deleteRule == .cascade {
                guard case .links = relationship.storage else { continue }
                let before = owners.map { $0.state(relationship).members }
                try context.reloadLinks(relationship, of: owners.map(\.objectID))
                for (owner, members) in zip(owners, before) where !members.isEmpty {
                    unlinked[owner.objectID, default: []].formUnion(Set(members).subtracting(owner.state(relationship).members))
                }
            }
        }
        return unlinked
    }

    /// Prefetches the destinations of several objects, with a round trip or two per relationship; returns the
    /// destinations whose rows were read, which are to be retained meanwhile.
    private func prefetchDestinations(of objects: [ManagedObject]) throws -> [ManagedObject] {
        guard objects.count > 1 else { return [] }
        let saved = objects.filter { !$0.isNew && !$0.isInaccessible }
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
        // An object that was never saved is just removed: nothing may deny that, or reference it.
        case .noAction, .deny: isNew && relationship.inverse != nil
        }
    }

    /// Returns whether the rule changes or deletes destinations, not only their members.
    private func needsRows(_ relationship: RelationshipDescription) -> Bool {
        relationship.deleteRule == .cascade || context.model.inverse(of: relationship)?.isToMany == false
    }

    /// - Parameter unlinked: Destinations that another context has removed from the object since they were loaded.
    private func applyRules(of object: ManagedObject, _ unlinked: Set<ObjectID>) throws {
        try context.loader.requireRow(of: object)
        var (left, followed): (Set<ObjectID>, [(RelationshipDescription, [ObjectID])]) = (unlinked, [])
        for property in object.entity.properties {
            guard let relationship = property.relationship, isFollowed(relationship, isNew: object.isNew) else { continue }
            var ids = try object.destinationIDs(relationship)
            if needsRows(relationship) { try context.loader.loadRows(of: ids.map { context.fault(with: $0) }) }
            if relationship.deleteRule == .cascade {
                let departed = try departed(ids, from: object, relationship)
                if !departed.isEmpty { ids.removeAll(where: departed.contains) }
                left.formUnion(departed)
            }
            followed.append((relationship, ids))
        }
        for (relationship, ids) in followed {
            let inverse = context.model.inverse(of: relationship)
            for id in ids {
                // An object that another context removed stays, though another relationship still references it: that
                // one is cleared.
                if relationship.deleteRule == .cascade && !left.contains(id) {
                    let destination = context.fault(with: id)
                    if destination.isDeleted { continue }
                    context.delete(destination)
                    noteCascade(from: object, relationship, to: destination)
                } else if let inverse {
                    try context.detach(object.objectID, from: id, inverse)
                }
            }
        }
    }

    /// Records a deletion by cascade, which a save confirms.
    func noteCascade(from object: ManagedObject, _ relationship: RelationshipDescription, to member: ManagedObject) {
        guard !object.isNew, !member.isNew else { return }
        if case .links = relationship.storage {
            if object.state(relationship).isAdded(member.objectID) { return }
        } else if isChangedHere(relationship, from: object, to: member) {
            return
        }
        context.tracker.deletions.add(PendingDeletions.Cascade(owner: object, relationship: relationship, member: member))
    }

    /// Returns whether the context itself made an object the destination of another one.
    private func isChangedHere(_ relationship: RelationshipDescription, from object: ManagedObject, to member: ManagedObject) -> Bool {
        if !relationship.isToMany && object.isPending(relationship.index) { return true }
        guard let inverse = context.model.inverse(of: relationship), !inverse.isToMany else { return false }
        return member.isPending(inverse.index)
    }

    /// Checks that members which were deleted before a save began still belong to the objects that they were deleted
    /// with; throws `SaveConflictError` with those that another context has moved away; what a store throws.
    func confirm(_ cascades: [PendingDeletions.Cascade]) throws {
        let cascades = cascades.filter {
            $0.owner.isDeleted && $0.member.isDeleted && !$0.owner.isInaccessible && !$0.member.isInaccessible
        }
        var (kept, moved): (Set<ObjectID>, [ObjectID]) = ([], [])
        for group in Dictionary(grouping: cascades, by: { ObjectIdentifier($0.relationship) }).values {
            for (cascade, isKept) in zip(group, try areKept(group, group[0].relationship)) {
                if isKept { kept.insert(cascade.member.objectID) } else { moved.append(cascade.member.objectID) }
            }
        }
        var conflicts: [SaveConflictError.Conflict] = []
        for id in Set(moved).subtracting(kept) {
            if let row = try context.loader.savedRow(of: id) { conflicts.append(.init(objectID: id, reason: .changed(row))) }
        }
        if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
    }

    /// Returns which deletions by cascade over a relationship hold by the current links or rows.
    private func areKept(_ cascades: [PendingDeletions.Cascade], _ relationship: RelationshipDescription) throws -> [Bool] {
        if case .links = relationship.storage {
            let owners = Array(Set(cascades.map(\.owner)))
            try context.parent?.reloadLinks(relationship, of: owners.map(\.objectID))
            let found = try context.loader.savedDestinations(of: relationship, from: owners)
            let members = Dictionary(zip(owners, found.map { Set($0) })) { first, _ in first }
            return cascades.map { members[$0.owner]?.contains($0.member.objectID) == true }
        }
        var kept = cascades.map { _ in true }
        if !relationship.isToMany {
            let found = try rowsReference(cascades.map { ($0.owner, $0.member.objectID) }, relationship)
            kept = found.map { $0 ?? true }
        }
        guard let inverse = context.model.inverse(of: relationship), !inverse.isToMany else { return kept }
        let found = try rowsReference(cascades.map { ($0.member, $0.owner.objectID) }, inverse)
        return zip(kept, found).map { $0 && $1 ?? true }
    }

    /// Returns whether the current rows of some objects reference others; `nil` where there is no row.
    ///
    /// The store has the rows that are here, or the save fails by the optimistic lock. The rows of a parent have no
    /// versions: they are read.
    private func rowsReference(
        _ pairs: [(object: ManagedObject, other: ObjectID)], _ relationship: RelationshipDescription
    ) throws -> [Bool?] {
        let rows = context.parent == nil ? pairs.map(\.object.row) : try context.loader.savedRows(of: pairs.map(\.object.objectID))
        return zip(pairs, rows).map { pair, row in row.map { pair.object.destinationID(relationship, in: $0) == pair.other } }
    }

    /// Returns the known destinations of an object that another context has moved away since they were loaded.
    private func departed(_ ids: [ObjectID], from object: ManagedObject, _ relationship: RelationshipDescription) throws -> Set<ObjectID> {
        // Otherwise the object's own row, or its links, hold the destinations.
        guard let inverse = context.model.inverse(of: relationship), !inverse.isToMany else { return [] }
        let destinations = ids.map { context.fault(with: $0) }
        // The rows of a parent have no versions to compare when the deletions are saved.
        let moved = context.parent == nil ? [] : try movedInParent(destinations, from: object, inverse)
        let departed = destinations.filter { moved.contains($0.objectID) || $0.currentDestination(inverse) != object.objectID }
        return Set(departed.map(\.objectID))
    }

    /// Returns the objects that do not reference another one in the parent any more, unless that was changed here.
    private func movedInParent(
        _ destinations: [ManagedObject], from object: ManagedObject, _ inverse: RelationshipDescription
    ) throws -> Set<ObjectID> {
        let saved = destinations.filter { !$0.isNew && !$0.isInaccessible && !$0.isPending(inverse.index) }
        let found = try rowsReference(saved.map { ($0, object.objectID) }, inverse)
        return Set(zip(saved, found).compactMap { $1 == true ? nil : $0.objectID })
    }
}

extension ManagedObjectContext {
    /// Ends an event: propagates deletes, unless only a save does, see ``propagatesDeletesAtEndOfEvent``, and notifies.
    ///
    /// The changes are an undo group of the ``undoManager``, unless a group of it is open.
    ///
    /// - Throws: What a store throws while destinations are loaded; the other rules are applied next time.
    public func processPendingChanges() throws {
        assertQueue()
        try applyDueDeleteRules()
        endUndoEvent()
        deliverChanges()
    }

    /// Propagates deletes, unless only a save is to do so, or the request is that of an observer of the propagation.
    func applyDueDeleteRules() throws {
        if propagatesDeletesAtEndOfEvent, !tracker.deletions.areBeingApplied { try applyDeleteRules() }
    }

    /// Propagates deletes since the last time.
    func applyDeleteRules() throws { try DeletionPropagator(context: self).run() }

    /// Reads the links of some objects anew, also in parents that have loaded them; pending changes of them stay.
    func reloadLinks(_ relationship: RelationshipDescription, of ids: [ObjectID]) throws {
        try parent?.reloadLinks(relationship, of: ids)
        let owners = ids.compactMap { registered($0) }.filter {
            !$0.isNew && !$0.isInaccessible && ($0.isDeleted || $0.extra?.toMany(relationship.index)?.isLoaded == true)
        }
        for (owner, ids) in zip(owners, try loader.savedDestinations(of: relationship, from: owners)) {
            if !owner.isDeleted { tracker.willReplaceValues(of: owner, PropertySet(relationship.index)) }
            owner.state(relationship).unload()
            loader.load(ids, of: relationship, into: owner)
        }
    }

    /// Removes an object from another one's relationship, on that side only.
    func detach(_ id: ObjectID, from ownerID: ObjectID, _ relationship: RelationshipDescription) throws {
        // An unregistered owner is registered: it may load its destinations before the save.
        let owner = fault(with: ownerID)
        if relationship.isToMany { return owner.note(id, removedFrom: relationship) }
        try owner.requireValues()
        // A deny rule counts the destinations at the save, which may have moved to others by then.
        let isCounted = owner.isDeleted && !owner.isInaccessible && relationship.deleteRule == .deny
        guard !owner.isDeleted || isCounted, case .objectID(let current) = owner.currentValue(.relationship(relationship)), current == id
        else { return }
        owner.change(relationship.index, to: .null)
    }

    /// Clears the pending references to deleted objects that no delete rule cleared.
    ///
    /// - Parameter isOfDeletion: Whether that is part of the deletions, whenever these were: an undo of one restores
    ///   the references.
    /// - Complexity: O(n) in the changed objects.
    func clearReferencesToDeleted(isOfDeletion: Bool = true) {
        guard tracker.changed.contains(where: \.isDeleted) else { return }
        for object in tracker.changed where !object.isDeleted && object.extra?.hasValues == true {
            for property in object.entity.properties {
                guard let relationship = property.relationship, case .toOne = relationship.storage,
                    case .objectID(let id)? = object.pendingValue(property.index), let destination = registered(id),
                    destination.isDeleted, !destination.isInaccessible
                else { continue }
                let rule = model.inverse(of: relationship)?.deleteRule ?? .nullify
                // These rules deny the deletion, or delete the other object; neither applies to a new object.
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
