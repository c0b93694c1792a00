import StrataModel

/// Goes back to what objects were before a group of changes.
///
/// It goes by the setters, which keep both ends of a relationship, and sees to what these take for done already; so what others saved meanwhile
/// stays whole. What it changes is journaled as anything else: that is the way forth again.
struct ChangeReversal {
    private let context: ManagedObjectContext
    private let group: ChangeGroup
    private var records: [ChangeGroup.Record]
    private var tracker: ChangeTracker { context.tracker }
    private let leaving: Set<ManagedObject>
    /// The objects that came back as new ones, with what they held.
    private var returned: [(object: ManagedObject, life: Life, record: ChangeGroup.Record)] = []
    private var revived: [(object: ManagedObject, life: Life?)] = []

    init(_ group: ChangeGroup, in context: ManagedObjectContext) {
        self.context = context
        self.group = group
        records = group.records
        leaving = Set(records.filter { $0.existed == false }.map(\.object).filter { $0.managedObjectContext === context && !$0.isDeleted })
    }

    /// - Throws: What keeps a row from being read that has to be known.
    mutating func run() throws {
        try context.loader.loadRows(of: records.map(\.object).filter(isPresent))
        for record in records where leaving.contains(record.object) && isForgotten(record) {
            tracker.journal?.keepSnapshot(of: record.object)
        }
        for record in records where record.existed == true && record.object.isDeleted { try loadOrders(of: record.object) }
        // What others saved to a deleted object comes to be part of its deletion when it is loaded.
        records = group.records
        for record in records where record.existed == true { bringBack(record) }
        // Members that are back are in these orders, and none has left them yet.
        for record in records where isPresent(record.object) { try loadOrders(changedBy: record) }
        for object in leaving { try loadOrders(of: object) }
        for (object, life, _) in returned { life.snapshot?.fill(object, context) }
        for (object, life, record) in returned { try life.snapshot?.relate(object, context, without: record) }
        for (object, life) in returned.map({ ($0.object, $0.life) }) + revived { try restoreReferences(to: object, life) }
        let kept = records.filter { $0.hadValues && isPresent($0.object) }
        for record in kept { try restoreValues(record) }
        for record in kept { try restoreMembers(record) }
        for record in kept { try restoreOrders(record) }
        // They come back with an earlier step.
        for record in records where record.hadValues && !isPresent(record.object) { tracker.journal?.goBack(record) }
        try takeAway()
        try context.followDueDeleteRules()
        for object in kept.map(\.object) { tracker.updateOwnersOfOlderRow(of: object) }
        tracker.settle(kept.map(\.object))
        let came = Set(returned.map(\.object) + revived.map(\.object))
        for object in records.map(\.object) {
            let events: SnapshotEvents =
                leaving.contains(object) ? .undoInsertion : came.contains(object) ? .undoDeletion : .undoUpdate
            if events == .undoInsertion || isPresent(object) { tracker.awake(object, from: events) }
        }
    }

    private func isPresent(_ object: ManagedObject) -> Bool { object.managedObjectContext === context && !object.isGone }

    // MARK: - Coming and going

    /// Loads the ordered relationships of a saved object whose deletion is about to be taken back, or done again.
    ///
    /// In the first case its members do not reference it at this moment, in the second the step takes their references away first. Loaded later,
    /// the relationship would be without them, and they would be appended in the order in which their references are restored.
    ///
    /// - Throws: What kept a store from being read.
    private func loadOrders(of object: ManagedObject) throws {
        guard isPresent(object), !object.isNew else { return }
        for relationship in object.entity.relationships where relationship.isOrdered { _ = try object.loadedState(relationship) }
    }

    /// Loads the ordered relationships that the step changes, before any of their members does.
    ///
    /// Loaded later, one would be without the members that reference another owner by then, and the way back without their positions.
    ///
    /// - Throws: What kept a store from being read.
    private func loadOrders(changedBy record: ChangeGroup.Record) throws {
        for property in Set(record.orders.keys).union(record.members.keys) {
            guard let relationship = record.object.entity.properties[property].relationship, relationship.isOrdered else { continue }
            _ = try record.object.loadedState(relationship)
        }
    }

    private mutating func bringBack(_ record: ChangeGroup.Record) {
        let object = record.object
        if isPresent(object) {
            guard object.isDeleted else { return }
            tracker.takeBackDeletion(of: object)
            revived.append((object, record.life))
        } else if object.managedObjectContext == nil, object.extra?.survivor == nil, let life = record.life, life.snapshot != nil {
            context.bringBack(object)
            returned.append((object, life, record))
        }
    }

    /// Has those lead to an object again that led to it when it was deleted, and lead nowhere since.
    private func restoreReferences(to object: ManagedObject, _ life: Life?) throws {
        guard let referrers = life?.referrers, !referrers.isEmpty else { return }
        life?.referrers = []
        for (other, relationship) in referrers.map({ ($0.object.standing, $0.relationship) }) where isPresent(other) && !other.isDeleted {
            try other.requireValues()
            if other.currentDestination(relationship) == nil { try other.set(object, relationship) }
        }
    }

    /// Returns whether an object that leaves was not here before; one that was, though deleted, is just deleted again.
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

    /// Has those that a new object is related to know nothing of it.
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

    /// Has deleted objects, which keep what they lead to, lead to none of some new ones that leave: these may come back with other IDs.
    private func detachFromDeleted(_ forgotten: [ManagedObject]) {
        let ids = Set(forgotten.map(\.objectID))
        for object in tracker.changed where object.isDeleted && !object.isGone && !ids.contains(object.objectID) {
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

    /// Has a saved object that leaves lead to none of those that its rules would take along, or keep it for, though they were there without it.
    ///
    /// One whose deletion is done again leads to those that deny it, as it did.
    private func release(_ object: ManagedObject) throws {
        for relationship in object.entity.relationships where !relationship.isTransient {
            guard relationship.deleteRule == .cascade || relationship.deleteRule == .deny else { continue }
            for other in try object.destinationIDs(relationship).map({ context.fault(with: $0) }) where !leaving.contains(other) {
                if relationship.deleteRule == .deny && !cameToLead(other, to: object, relationship) { continue }
                if relationship.isToMany {
                    try object.removeMember(other, relationship)
                } else {
                    try object.set(nil, relationship)
                }
            }
        }
    }

    /// Returns whether an object got another one as a member of the inverse of a relationship since the moment that is
    /// gone back to.
    private func cameToLead(_ other: ManagedObject, to object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse, let record = records.first(where: { $0.object === other }) else { return false }
        return record.members[inverse]?.added.contains(object) == true
    }

    // MARK: - Values and relationships

    /// Returns whether an object is deleted, and its delete rules have seen to the other ends of its relationships.
    private func isSettledDeletion(_ object: ManagedObject) -> Bool { object.flags.isSuperset(of: [.deleted, .propagated]) }

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
            // The other end of an object that is deleted, or is deleted again next, may be that of another one.
            if isSettledDeletion(object) || leaving.contains(object) && !isForgotten(record) {
                object.change(relationship.index, to: destination.map { .objectID($0.objectID) } ?? .null)
            } else {
                try object.set(destination, relationship)
            }
        }
    }

    /// Sees to the ends that setters leave alone because the other end is right: a deletion takes one end only.
    private func restoreMembers(_ record: ChangeGroup.Record) throws {
        let object = record.object
        for (property, members) in record.members {
            guard let relationship = object.entity.properties[property].relationship else { continue }
            // Where a member does not say itself where it is, what is saved has to be known.
            let isSaidByMembers = context.model.inverse(of: relationship)?.isToMany == false
            let state = isSaidByMembers ? object.state(relationship) : try object.loadedState(relationship)
            // A deleted object keeps its references, also to an object that its delete rule deleted and that is back.
            for member in members.added where member.isDeleted || leads(member, to: object, relationship) != true {
                if record.isSavedByOthers(member, relationship, state) { continue }
                tracker.takeBackAddition(of: member.objectID, to: relationship, state, of: object)
            }
            for member in members.removed.map(\.standing) where isPresent(member) {
                // A deleted object keeps its end, whatever became of the other one.
                guard isSettledDeletion(object) || leads(member, to: object, relationship) != false,
                    !record.isSavedByOthers(member, relationship, state)
                else { continue }
                let isStored = isSaidByMembers && isStored(member, in: object, relationship)
                if !state.isLoaded && isSaidByMembers && !isStored {
                    // What is not loaded may know of one that left as of a saved one, which this one was not.
                    tracker.add(member.objectID, to: relationship, state, of: object)
                } else if !state.isRemoved(member.objectID) {
                    // What was loaded since may be without a member that another context moved: the member's row, which is older, is gone back to.
                    tracker.add(member.objectID, wasSaved: isStored ? true : nil, to: relationship, state, of: object)
                } else {
                    tracker.takeBackRemoval(of: member.objectID, from: relationship, state, of: object)
                }
            }
            if state.isLoaded { continue }
            for member in members.added.union(members.removed) { forgetNeedless(member, relationship, state, of: object) }
        }
    }

    /// Forgets that a member came to, or left, a relationship that is not loaded, where the member's saved row says so already.
    private func forgetNeedless(
        _ member: ManagedObject, _ relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject
    ) {
        if context.model.inverse(of: relationship)?.isToMany != false { return }
        if isStored(member, in: object, relationship) {
            tracker.forgetAddition(of: member.objectID, to: state)
        } else {
            tracker.forgetRemoval(of: member.objectID, from: state)
        }
    }

    /// Returns whether a member's saved row says that it is in a relationship of an object.
    private func isStored(_ member: ManagedObject, in object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        guard let inverse = context.model.inverse(of: relationship), !inverse.isToMany else { return false }
        return member.storedDestination(inverse) == .objectID(object.objectID)
    }

    /// Returns whether a member's own end of a relationship, where it has just one place, is an object.
    private func leads(_ member: ManagedObject, to object: ManagedObject, _ relationship: RelationshipDescription) -> Bool? {
        if leaving.contains(member) { return false }
        guard let inverse = context.model.inverse(of: relationship), !inverse.isToMany else { return nil }
        return isPresent(member) && member.currentDestination(inverse) == object.objectID
    }

    private func restoreOrders(_ record: ChangeGroup.Record) throws {
        // Those that left an order before it was loaded have come back to its end.
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
