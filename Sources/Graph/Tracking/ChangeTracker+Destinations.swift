import StrataModel

// The destinations of to-many relationships, on one side each: inverses are the caller's.

extension ChangeTracker {
    /// Adds a destination, on the object's own side.
    ///
    /// - Parameter wasSaved: Whether a save stored it, where that is known beyond what is loaded on that side.
    func add(
        _ id: ObjectID, wasSaved: Bool? = nil, to relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject
    ) {
        var isKnown = false
        if object.isDeleted { list.indexes.referrers?.add(object, referencing: id) }
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object)) { token in
            isKnown = journal != nil && state.contains(id)
            return state.add(id, wasSaved: wasSaved, token)
        } record: {
            if !isKnown { $0.didAdd(id, to: relationship, of: object) }
        }
    }

    /// Removes a destination, on the object's own side.
    ///
    /// - Parameter wasSaved: Whether a save stored it, where that is known beyond what is loaded on that side.
    func remove(
        _ id: ObjectID, wasSaved: Bool? = nil, from relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject
    ) {
        list.indexes.referrers?.add(object, referencing: id)
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object), mayLose: true) { token in
            state.remove(id, wasSaved: wasSaved, token)
        } record: {
            $0.didRemove(id, from: relationship, of: object)
        }
    }

    /// Reverts the addition of a destination, which no save stored then.
    func takeBackAddition(of id: ObjectID, to relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        guard state.isAdded(id) else {
            if state.isLoaded && state.contains(id) { remove(id, from: relationship, state, of: object) }
            return
        }
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object), mayLose: true) { token in
            state.forgetAddition(of: id, token)
            return true
        } record: {
            $0.didRemove(id, from: relationship, of: object)
        }
    }

    /// Reverts the removal of a saved destination.
    func takeBackRemoval(of id: ObjectID, from relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object)) { token in
            state.forgetRemoval(of: id, token)
            return true
        } record: {
            $0.didAdd(id, to: relationship, of: object)
        }
    }

    func reorder(_ ids: [ObjectID], of relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        if state.order == ids { return }
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object)) { token in
            state.reorder(ids, token)
            return true
        }
    }

    /// Moves a destination of a loaded ordered relationship to an index, which is that after the move.
    func move(_ id: ObjectID, to index: Int, of relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        guard let before = state.index(of: id), before != index else { return }
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object)) { token in
            state.move(id, to: index, token)
            return true
        }
    }

    /// Keeps an order until the relationship is loaded.
    ///
    /// - Parameter base: The order that it is based on.
    func keepOrder(
        _ ids: [ObjectID], madeOf base: [ObjectID], of relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject
    ) {
        changeMembers(of: LinkEnd(relationship: relationship, state: state, object: object)) { token in
            state.keepOrder(ids, madeOf: base, token)
            return true
        }
    }

    /// Sets the destinations of a to-many relationship, in order, without notifications.
    func setPrimitiveMembers(_ ids: [ObjectID], _ state: ToManyState) {
        let kept = Set(ids)
        dropIndexes()
        for id in state.members where !kept.contains(id) { _ = state.remove(id, token) }
        for id in ids where !state.contains(id) { _ = state.add(id, token) }
        state.reorder(ids, token)
    }

    /// Records that the store has a member in an owner, though the member's row here, which is older, has another.
    func noteOlderRow(of member: ManagedObject, _ relationship: RelationshipDescription, _ owner: ManagedObject) {
        ownersOfOlderRows[member.objectID, default: []].append((owner, relationship))
    }

    /// Removes a member from its owners in the store while a change of the member requires it.
    ///
    /// The member's older row has another owner: setting the member's owner concerns that one, and an undo restores it.
    func updateOwnersOfOlderRow(of member: ManagedObject) {
        guard !ownersOfOlderRows.isEmpty, let owners = ownersOfOlderRows[member.objectID] else { return }
        for (owner, relationship) in owners {
            guard let context = owner.managedObjectContext, let inverse = context.model.inverse(of: relationship),
                let state = owner.extra?.toMany(relationship.index)
            else { continue }
            let hasLeft = member.hasLeft(owner, inverse)
            if hasLeft == state.isRemoved(member.objectID) { continue }
            unjournaled {
                if hasLeft {
                    remove(member.objectID, from: relationship, state, of: owner)
                } else {
                    takeBackRemoval(of: member.objectID, from: relationship, state, of: owner)
                    settle([owner])
                }
            }
        }
    }

    func forgetAddition(of id: ObjectID, to state: ToManyState?) { state?.forgetAddition(of: id, token) }

    func forgetRemoval(of id: ObjectID, from state: ToManyState?) { state?.forgetRemoval(of: id, token) }

    /// Discards an object's relationships, except transient ones.
    func forgetDestinations(of object: ManagedObject) {
        object.extra?.dropRelationships(token) { object.entity.properties[$0.property].relationship?.isTransient != false }
    }
}
