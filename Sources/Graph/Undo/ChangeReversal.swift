import StrataModel

/// Restores the states of objects before a group of changes.
///
/// It uses the setters, which keep both ends of a relationship consistent, and accepts what these have done already; so
/// changes that others saved meanwhile stay whole. Its changes are journaled as all others, for the opposite group.
struct ChangeReversal {
    private let context: ManagedObjectContext
    private let group: ChangeGroup
    private var records: [ChangeGroup.Record]
    private var tracker: ChangeTracker { context.tracker }
    private let leaving: Set<ManagedObject>
    /// The objects that were inserted again, with their snapshots.
    private var returned: [(object: ManagedObject, life: Life, record: ChangeGroup.Record)] = []
    private var revived: [(object: ManagedObject, life: Life?)] = []

    init(_ group: ChangeGroup, in context: ManagedObjectContext) {
        self.context = context
        self.group = group
        records = group.records
        leaving = Set(records.filter { $0.existed == false }.map(\.object).filter { $0.managedObjectContext === context && !$0.isDeleted })
    }

    /// - Throws: The error of reading a necessary row.
    mutating func run() throws {
        try context.loader.loadRows(of: records.map(\.object).filter(isPresent))
        for record in records where leaving.contains(record.object) && isForgotten(record) {
            tracker.journal?.keepSnapshot(of: record.object)
        }
        for record in records where record.existed == true && record.object.isDeleted { try loadOrders(of: record.object) }
        // Others' changes of a deleted object become part of its deletion when it is loaded.
        records = group.records
        for record in records where record.existed == true { reinsert(record) }
        // Restored members are in these orders, and none has left them yet.
        for record in records where isPresent(record.object) { try loadOrders(changedBy: record) }
        for object in leaving { try loadOrders(of: object) }
        for (object, life, _) in returned { life.snapshot?.fill(object, context) }
        for (object, life, record) in returned { try life.snapshot?.relate(object, context, without: record) }
        for (object, life) in returned.map({ ($0.object, $0.life) }) + revived { try restoreReferences(to: object, life) }
        let kept = records.filter { $0.hadValues && isPresent($0.object) }
        for record in kept { try restoreValues(record) }
        for record in kept { try restoreMembers(record) }
        for record in kept { try restoreOrders(record) }
        // An earlier group restores them.
        for record in records where record.hadValues && !isPresent(record.object) { tracker.journal?.goBack(record) }
        try takeAway()
        try context.applyDueDeleteRules()
        for object in kept.map(\.object) { tracker.updateOwnersOfOlderRow(of: object) }
        tracker.settle(kept.map(\.object))
        let came = Set(returned.map(\.object) + revived.map(\.object))
        for object in records.map(\.object) {
            let events: SnapshotEvents = leaving.contains(object) ? .undoInsertion : came.contains(object) ? .undoDeletion : .undoUpdate
            if events == .undoInsertion || isPresent(object) { tracker.awake(object, from: events) }
        }
    }

    private func isPresent(_ object: ManagedObject) -> Bool { object.managedObjectContext === context && !object.isInaccessible }

    // MARK: - Insertions and deletions

    /// Loads the ordered relationships of a saved object whose deletion is about to be undone or redone.
    ///
    /// Its members do not reference it before an undo, and after the first steps of a redo. Loaded later, the
    /// relationship would be without them, and they would be appended in the order in which their references are
    /// restored.
    private func loadOrders(of object: ManagedObject) throws {
        guard isPresent(object), !object.isNew else { return }
        for relationship in object.entity.relationships where relationship.isOrdered { _ = try object.loadedState(relationship) }
    }

    /// Loads the ordered relationships that the group changes, before their members change.
    ///
    /// Loaded later, one would be without the members that reference another owner by then, and the opposite group
    /// without their positions.
    private func loadOrders(changedBy record: ChangeGroup.Record) throws {
        for property in Set(record.orders.keys).union(record.members.keys) {
            guard let relationship = record.object.entity.properties[property].relationship, relationship.isOrdered else { continue }
            _ = try record.object.loadedState(relationship)
        }
    }

    private mutating func reinsert(_ record: ChangeGroup.Record) {
        let object = record.object
        if isPresent(object) {
            guard object.isDeleted else { return }
            tracker.takeBackDeletion(of: object)
            revived.append((object, record.life))
        } else if object.managedObjectContext == nil, object.extra?.survivor == nil, let life = record.life, life.snapshot != nil {
            context.reinsert(object)
            returned.append((object, life, record))
        }
    }

    /// Restores the references to an object that its deletion cleared, where they are nil since.
    private func restoreReferences(to object: ManagedObject, _ life: Life?) throws {
        guard let referrers = life?.referrers, !referrers.isEmpty else { return }
        life?.referrers = []
        for (other, relationship) in referrers.map({ ($0.object.standing, $0.relationship) }) where isPresent(other) && !other.isDeleted {
            try other.requireValues()
            if other.currentDestination(relationship) == nil { try other.set(object, relationship) }
        }
    }

    /// Returns whether an object that leaves was not registered before; one that was deleted is just deleted again.
    private func isForgotten(_ record: ChangeGroup.Record) -> Bool { record.object.isNew && !record.hadValues }

    private func takeAway() throws {
        var forgotten: [ManagedObject] = []
        for record in records where leaving.contains(record.object) && isPresent(record.object) {
            let object = record.object
            if isForgotten(record) {
                detach(object)
                forgotten.append(object)
            } else {
                try release(object)
            }
            tracker.delete(object, isAnnounced: false)
        }
        if forgotten.isEmpty { return }
        context.clearReferencesToDeleted(isOfDeletion: false)
        detachFromDeleted(forgotten)
        for object in forgotten { context.drop(object) }
    }

    /// Removes a new object from the relationships of others.
    private func detach(_ object: ManagedObject) {
        for property in object.entity.properties {
            guard let relationship = property.relationship, let inverse = context.model.inverse(of: relationship) else { continue }
            let ids =
                relationship.isToMany ? object.state(relationship).members : object.currentDestination(relationship).map { [$0] } ?? []
            for other in ids.compactMap({ context.registered($0) }) {
                if inverse.isToMany {
                    tracker.takeBackAddition(of: object.objectID, to: inverse, other.state(inverse), of: other)
                } else if other.currentDestination(inverse) == object.objectID {
                    other.change(inverse.index, to: .null)
                }
            }
        }
    }

    /// Removes references of deleted objects to new objects that leave, which may return with other IDs.
    private func detachFromDeleted(_ forgotten: [ManagedObject]) {
        let ids = Set(forgotten.map(\.objectID))
        for object in tracker.changed where object.isDeleted && !object.isInaccessible && !ids.contains(object.objectID) {
            for relationship in object.entity.relationships {
                if relationship.isToMany {
                    guard let state = object.extra?.toMany(relationship.index) else { continue }
                    for id in state.added where ids.contains(id) { tracker.takeBackAddition(of: id, to: relationship, state, of: object) }
                } else if let id = object.pendingValue(relationship.index)?.objectID, ids.contains(id) {
                    object.change(relationship.index, to: .null)
                }
            }
        }
    }

    /// Removes the references of a saved object that leaves to those that its rules would delete, or that deny it.
    ///
    /// One whose deletion is redone keeps the ones that denied it.
    private func release(_ object: ManagedObject) throws {
        for relationship in object.entity.relationships where !relationship.isTransient {
            guard relationship.deleteRule == .cascade || relationship.deleteRule == .deny else { continue }
            for other in try object.destinationIDs(relationship).map({ context.fault(with: $0) }) where !leaving.contains(other) {
                if relationship.deleteRule == .deny && !cameToReference(other, to: object, relationship) { continue }
                if relationship.isToMany {
                    try object.removeMember(other, relationship)
                } else {
                    try object.set(nil, relationship)
                }
            }
        }
    }

    /// Returns whether an object got another one as a member of the inverse since the moment to restore.
    private func cameToReference(_ other: ManagedObject, to object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse, let record = group.record(of: other) else { return false }
        return record.members[inverse]?.added.contains(object) == true
    }

    // MARK: - Values and relationships

    /// Returns whether an object is deleted, and its delete rules were applied to the inverses.
    private func isSettledDeletion(_ object: ManagedObject) -> Bool { object.flags.contains([.deleted, .propagated]) }

    private func restoreValues(_ record: ChangeGroup.Record) throws {
        let object = record.object
        for property in record.values.keys {
            guard let attribute = object.entity.properties[property].attribute, let value = record.value(property),
                object.currentValue(.attribute(attribute)) != value
            else { continue }
            object.setAttribute(value, object.entity.propertySlots[property])
        }
        for property in record.destinations.keys {
            guard let relationship = object.entity.properties[property].relationship,
                let before = record.destination(relationship, in: context)
            else { continue }
            let destination = before.flatMap { isPresent($0) ? $0 : nil }
            // The other end of an object that is deleted, now or next, may be that of another one.
            if isSettledDeletion(object) || leaving.contains(object) && !isForgotten(record) {
                object.change(relationship.index, to: destination.map { .objectID($0.objectID) } ?? .null)
            } else {
                try object.set(destination, relationship)
            }
        }
    }

    /// Restores ends that setters leave alone because the other end is right: a deletion changes one end only.
    private func restoreMembers(_ record: ChangeGroup.Record) throws {
        let object = record.object
        for (property, members) in record.members {
            guard let relationship = object.entity.properties[property].relationship else { continue }
            // Without a row that holds the members, the saved state has to be known.
            let held = context.model.inverse(of: relationship).flatMap { $0.isToMany ? nil : $0 }
            let state = held != nil ? object.state(relationship) : try object.loadedState(relationship)
            func isStored(_ member: ManagedObject) -> Bool {
                held.map { member.storedDestination($0) == .objectID(object.objectID) } ?? false
            }
            // A deleted object keeps its references, also to a restored object that its delete rule deleted.
            for member in members.added where member.isDeleted || references(member, to: object, relationship) != true {
                if record.isSavedByOthers(member, relationship, state) { continue }
                tracker.takeBackAddition(of: member.objectID, to: relationship, state, of: object)
            }
            for member in members.removed.map(\.standing) where isPresent(member) {
                // A deleted object keeps its end, whatever the other one is.
                guard isSettledDeletion(object) || references(member, to: object, relationship) != false,
                    !record.isSavedByOthers(member, relationship, state)
                else { continue }
                let isStored = isStored(member)
                if !state.isLoaded && held != nil && !isStored {
                    // An unloaded relationship may have recorded the removal of a saved member, which this one was not.
                    tracker.add(member.objectID, to: relationship, state, of: object)
                } else if !state.isRemoved(member.objectID) {
                    // A relationship that was loaded since may lack a moved member, whose older row is restored.
                    tracker.add(member.objectID, wasSaved: isStored ? true : nil, to: relationship, state, of: object)
                } else {
                    tracker.takeBackRemoval(of: member.objectID, from: relationship, state, of: object)
                }
            }
            if state.isLoaded || held == nil { continue }
            // The member's saved row may have the change already.
            for member in members.added.union(members.removed) {
                if isStored(member) {
                    tracker.forgetAddition(of: member.objectID, to: state)
                } else {
                    tracker.forgetRemoval(of: member.objectID, from: state)
                }
            }
        }
    }

    /// Returns whether a member's to-one end of a relationship references an object.
    private func references(_ member: ManagedObject, to object: ManagedObject, _ relationship: RelationshipDescription) -> Bool? {
        if leaving.contains(member) { return false }
        guard let inverse = context.model.inverse(of: relationship), !inverse.isToMany else { return nil }
        return isPresent(member) && member.currentDestination(inverse) == object.objectID
    }

    private func restoreOrders(_ record: ChangeGroup.Record) throws {
        // Those that left an order before it was loaded were appended to it.
        for (property, members) in record.members where record.orders[property] == nil && !members.removed.isEmpty {
            guard let relationship = record.object.entity.properties[property].relationship, relationship.isOrdered else { continue }
            let state = try record.object.loadedState(relationship)
            let order = state.order(restoring: Set(members.removed.map(\.standing.objectID)))
            tracker.reorder(order, of: relationship, state, of: record.object)
        }
        for property in record.orders.keys {
            guard let relationship = record.object.entity.properties[property].relationship else { continue }
            let state = try record.object.loadedState(relationship)
            guard let order = record.order(state) else { continue }
            tracker.reorder(state.order(beginningWith: order), of: relationship, state, of: record.object)
        }
    }
}
