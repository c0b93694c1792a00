import StrataModel
import StrataStore

/// Takes an object's pending relationships back at both of their ends.
///
/// Either end of a relationship knows of a change; one of them alone would be saved as half of it, or shown as what no save stores. What
/// other objects hold in rows of their own, the members of a to-many relationship, is a change of theirs, and stays.
struct RelationshipForgetter {
    private let context: ManagedObjectContext
    private var tracker: ChangeTracker { context.tracker }

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Has an object, and those that its changes concern, forget them; its own values are left to the caller.
    ///
    /// - Parameter isRevived: Whether the object was deleted and is not any more: others have it again, but for those that stay deleted.
    func forget(_ object: ManagedObject, isRevived: Bool) {
        OneToOneReconciler(context).forget(object)
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

    /// Has an object, and those that this concerns, forget the pending destination of a to-one relationship.
    func forgetDestination(of object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let inverse = context.model.inverse(of: relationship) else { return tracker.forget(relationship.index, of: object) }
        if !inverse.isToMany { return OneToOneReconciler(context).forget(object, relationship) }
        forgetOwner(of: object, relationship, inverse, false)
    }

    /// Does so with an object whose deletion is taken back as a change of its own: it was deleted with relationships that no store has, and an
    /// undo has it be deleted with them again.
    func forgetUndoably(_ object: ManagedObject) {
        guard let journal = tracker.journal else { return forget(object, isRevived: true) }
        let others = tracker.changed.filter { $0 !== object }
        journal.comparingRelationships(of: others + [object]) { forget(object, isRevived: true) }
    }

    /// Has the owners that an object left and joined know nothing of it.
    private func forgetOwner(
        of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ isRevived: Bool
    ) {
        if case .objectID(let id)? = object.pendingValue(relationship.index) {
            tracker.forgetAddition(of: object.objectID, to: known(id, inverse))
        }
        if isRevived || object.isPending(relationship.index) {
            // Others may have given it to an owner since, who knows of it as one that has left: where it is now the store knows.
            for owner in tracker.changed where owner.entity.isKind(of: context.model.destination(of: relationship)) {
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
            // Whom it led to forgot it when its delete rules were followed.
            let destination = context.model.destination(of: relationship)
            for other in tracker.changed where other.entity.isKind(of: destination) {
                tracker.forgetRemoval(of: object.objectID, from: other.extra?.toMany(inverse.index))
            }
        }
        for id in state?.removed ?? [] where isDeleted(id) {
            tracker.remove(id, from: relationship, object.state(relationship), of: object)
        }
    }

    /// Has members that lost their owner because it was deleted have it again.
    private func restoreMembers(of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription) {
        let destination = context.model.destination(of: relationship)
        for member in tracker.changed where !member.isDeleted && member.entity.isKind(of: destination) {
            guard member.pendingValue(inverse.index)?.isNull == true, member.storedDestination(inverse) == .objectID(object.objectID) else {
                continue
            }
            tracker.forget(inverse.index, of: member)
        }
    }

    /// Has an owner know of the members that came and went, as these are changed themselves.
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

    /// Has an object that is not deleted after all lead to none of those that stay so, and would have taken it along or let go of it.
    private func leaveDeleted(_ object: ManagedObject) {
        for relationship in object.entity.relationships where !relationship.isTransient {
            guard let inverse = context.model.inverse(of: relationship), inverse.deleteRule == .cascade || inverse.deleteRule == .nullify
            else {
                continue
            }
            if !relationship.isToMany {
                guard let id = object.currentDestination(relationship), isDeleted(id) else { continue }
                object.change(relationship.index, to: .null)
                continue
            }
            let destination = context.model.destination(of: relationship)
            for other in tracker.changed where other.isDeleted && !other.isGone && other.entity.isKind(of: destination) {
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

    private func isDeleted(_ id: ObjectID) -> Bool { context.registered(id)?.isDeleted == true }

    private func known(_ id: ObjectID, _ relationship: RelationshipDescription) -> ToManyState? {
        context.registered(id)?.extra?.toMany(relationship.index)
    }
}
