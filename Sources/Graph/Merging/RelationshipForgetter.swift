import StrataModel

/// Discards an object's pending relationships at both of their ends.
///
/// One end alone would be saved as half of a change, or shown without being saved. To-one references of the members of
/// a to-many relationship are changes of the members, and stay.
struct RelationshipForgetter {
    let context: ManagedObjectContext
    private var tracker: ChangeTracker { context.tracker }

    /// Discards an object's relationship changes at both ends; its attributes are left to the caller.
    ///
    /// - Parameter isRevived: Whether the object was deleted and is restored: others reference it again, except those
    ///   that stay deleted.
    func forget(_ object: ManagedObject, isRevived: Bool) {
        OneToOneReconciler(context: context).forget(object)
        let states = Array(object.toManyStates)
        tracker.forgetDestinations(of: object)
        for property in object.entity.properties {
            guard let relationship = property.relationship, !relationship.isTransient, let inverse = context.model.inverse(of: relationship)
            else { continue }
            if relationship.isToMany {
                let state = states.first { $0.property == relationship.index }?.state
                if inverse.isToMany {
                    forgetLinks(of: object, relationship, inverse, state, isRevived)
                } else {
                    if isRevived { restoreMembers(of: object, relationship, inverse) }
                    keepMembers(of: object, relationship, inverse, state)
                }
            } else if inverse.isToMany {
                forgetOwner(of: object, relationship, inverse, isRevived)
            }
        }
        if isRevived { leaveDeleted(object) }
        if object.extra?.toManyStates.contains(where: { $0.state.hasChanges }) == true { tracker.noteChange(of: object) }
    }

    /// Discards the pending destination of a to-one relationship at both ends.
    func forgetDestination(of object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let inverse = context.model.inverse(of: relationship) else { return tracker.forget(relationship.index, of: object) }
        if !inverse.isToMany { return OneToOneReconciler(context: context).forget(object, relationship) }
        forgetOwner(of: object, relationship, inverse, false)
    }

    /// Does the same for an object whose deletion is reverted undoably: an undo deletes it with its unsaved ends.
    func forgetUndoably(_ object: ManagedObject) {
        guard let journal = tracker.journal else { return forget(object, isRevived: true) }
        let others = tracker.changed.filter { $0 !== object }
        journal.comparingRelationships(of: others + [object]) { forget(object, isRevived: true) }
    }

    /// Discards the changes of owners that an object left and joined.
    private func forgetOwner(
        of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ isRevived: Bool
    ) {
        if case .objectID(let id)? = object.pendingValue(relationship.index) {
            tracker.forgetAddition(of: object.objectID, to: known(id, inverse))
        }
        if isRevived || object.isPending(relationship.index) {
            // Another owner may have recorded its removal since: only the store knows the current one.
            for owner in changed(around: object) where owner.entity.isKind(of: context.model.destination(of: relationship)) {
                guard let state = owner.extra?.toMany(inverse.index), state.isRemoved(object.objectID) else { continue }
                tracker.forgetRemoval(of: object.objectID, from: state)
                defer { tracker.settle([owner]) }
                if isRevived && object.storedDestination(relationship) == .objectID(owner.objectID) { continue }
                tracker.willReplaceValues(of: owner, PropertySet(inverse.index))
                state.unload()
            }
            tracker.forget(relationship.index, of: object)
        } else if case .objectID(let id) = object.storedDestination(relationship) {
            tracker.forgetRemoval(of: object.objectID, from: known(id, inverse))
        }
    }

    private func forgetLinks(
        of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ state: ToManyState?,
        _ isRevived: Bool
    ) {
        for id in state?.added ?? [] { tracker.forgetAddition(of: object.objectID, to: known(id, inverse)) }
        for id in state?.removed ?? [] { tracker.forgetRemoval(of: object.objectID, from: known(id, inverse)) }
        if isRevived {
            // Its destination forgot it when its delete rules were applied.
            let destination = context.model.destination(of: relationship)
            for other in changed(around: object) where other.entity.isKind(of: destination) {
                tracker.forgetRemoval(of: object.objectID, from: other.extra?.toMany(inverse.index))
            }
        }
        for id in state?.removed ?? [] where isDeleted(id) {
            tracker.remove(id, from: relationship, object.state(relationship), of: object)
        }
    }

    /// Restores the members that lost their owner by its deletion.
    private func restoreMembers(of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription) {
        let destination = context.model.destination(of: relationship)
        for member in changed(around: object) where !member.isDeleted && member.entity.isKind(of: destination) {
            guard member.pendingValue(inverse.index)?.isNull == true, member.storedDestination(inverse) == .objectID(object.objectID)
            else { continue }
            tracker.forget(inverse.index, of: member)
        }
    }

    /// Records at an owner the members that were added and removed, as these are changed themselves.
    private func keepMembers(
        of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ state: ToManyState?
    ) {
        for id in state?.added ?? [] where context.registered(id)?.pendingValue(inverse.index) == .objectID(object.objectID) {
            tracker.add(id, to: relationship, object.state(relationship), of: object)
        }
        for id in state?.removed ?? [] where isDeleted(id) || context.registered(id)?.isPending(inverse.index) == true {
            tracker.remove(id, from: relationship, object.state(relationship), of: object)
        }
    }

    /// Removes the references of a restored object to objects that stay deleted.
    private func leaveDeleted(_ object: ManagedObject) {
        for relationship in object.entity.relationships where !relationship.isTransient {
            guard let inverse = context.model.inverse(of: relationship), inverse.deleteRule == .cascade || inverse.deleteRule == .nullify
            else { continue }
            if !relationship.isToMany {
                guard let id = object.currentDestination(relationship), isDeleted(id) else { continue }
                object.change(relationship.index, to: .null)
                continue
            }
            let destination = context.model.destination(of: relationship)
            for other in changed(around: object) where other.isDeleted && !other.isInaccessible && other.entity.isKind(of: destination) {
                if !inverse.isToMany {
                    guard other.currentDestination(inverse) == object.objectID else { continue }
                } else if let links = other.extra?.toMany(inverse.index), links.contains(object.objectID) {
                    tracker.remove(object.objectID, from: inverse, links, of: other)
                } else {
                    continue
                }
                tracker.remove(other.objectID, from: relationship, object.state(relationship), of: object)
            }
        }
    }

    /// Returns the changed objects, at least those that reference an object or recorded that it left them.
    private func changed(around object: ManagedObject) -> [ManagedObject] {
        guard let ids = tracker.referrers(of: object) else { return tracker.changed }
        return ids.compactMap { context.registered($0) }.filter { $0.flags.contains(.listed) }
    }

    private func isDeleted(_ id: ObjectID) -> Bool { context.registered(id)?.isDeleted == true }

    private func known(_ id: ObjectID, _ relationship: RelationshipDescription) -> ToManyState? {
        context.registered(id)?.extra?.toMany(relationship.index)
    }
}
