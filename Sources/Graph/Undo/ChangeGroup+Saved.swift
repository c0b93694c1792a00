import StrataModel

// The values that undo restores where others' saves changed the saved ones meanwhile.

extension ChangeGroup.Record {
    private var hasSavedValues: Bool { object.row != nil && !object.isNew }

    private var relationships: [RelationshipDescription] { object.entity.properties.compactMap(\.relationship) }

    /// Returns the attribute's value to restore.
    func value(_ property: Int) -> Value? {
        guard let before = values[property] else { return nil }
        return before.isSaved && hasSavedValues ? object.storedValue(object.entity.propertySlots[property]) : before.content
    }

    /// Returns the to-one destination to restore, which may have left the context.
    func destination(_ relationship: RelationshipDescription, in context: ManagedObjectContext) -> ManagedObject?? {
        guard let before = destinations[relationship.index] else { return nil }
        if !before.isSaved || !hasSavedValues { return .some(before.content?.standing) }
        let saved: ManagedObject? = object.storedDestination(relationship).objectID.map { context.fault(with: $0) }
        return .some(saved)
    }

    func order(_ state: ToManyState) -> [ObjectID]? {
        orders[state.property].map { mergedOrder(state) ?? $0.members.map(\.standing.objectID) }
    }

    /// Returns the order to restore where another context saved an order; `nil` otherwise.
    private func mergedOrder(_ state: ToManyState) -> [ObjectID]? {
        guard let before = orders[state.property], let saved = before.saved?.map(\.standing.objectID), saved != state.savedOrder
        else { return nil }
        return OrderMerge.apply(before.members.map(\.standing.objectID), madeOf: saved, to: state.savedOrder)
    }

    /// Returns whether another context saved the addition or removal of a member, too, which undo then keeps.
    func isSavedByOthers(_ member: ManagedObject, _ relationship: RelationshipDescription, _ state: ToManyState) -> Bool {
        guard let members = members[relationship.index], members.asSaved.contains(member),
            let isSaved = state.pendingWasSaved(member.objectID) ?? state.loadedWasSaved(member.objectID)
        else { return false }
        return isSaved == members.added.contains(member)
    }

    /// The unloaded relationships with unsaved changes of which undo restores the saved state.
    var unloadedRelationships: [RelationshipDescription] {
        relationships.filter { isMadeUponSaved($0) && object.extra?.toMany($0.index).map { !$0.isLoaded && $0.hasChanges } == true }
    }

    private func isMadeUponSaved(_ relationship: RelationshipDescription) -> Bool {
        orders[relationship.index]?.saved != nil || members[relationship.index]?.asSaved.isEmpty == false
    }

    /// Records that the context saved the object: undo changes the saved state from then on; returns whether the saved
    /// state is completely known, and nothing more is to be recorded.
    func settle(in context: ManagedObjectContext) -> Bool {
        var isSettled = true
        // Of a fault only members were saved: its row stays.
        if object.isNew || object.row != nil { settleRow(in: context) } else { isSettled = !hasSavedRow }
        for relationship in relationships where isMadeUponSaved(relationship) {
            let index = relationship.index
            guard let state = object.extra?.toMany(index), state.isLoaded else {
                isSettled = false
                continue
            }
            let others: Set<ManagedObject> = members[index]?.asSaved.filter { isSavedByOthers($0, relationship, state) } ?? []
            members[index]?.settle(others)
            if let merged = mergedOrder(state) { orders[index]?.members = merged.map { context.fault(with: $0) } }
            orders[index]?.saved = nil
        }
        return isSettled
    }

    private var hasSavedRow: Bool { values.values.contains(where: \.isSaved) || destinations.values.contains(where: \.isSaved) }

    private func settleRow(in context: ManagedObjectContext) {
        for (property, before) in values where before.isSaved {
            values[property] = ChangeGroup.Before(content: value(property) ?? before.content, isSaved: false)
        }
        for relationship in relationships where destinations[relationship.index]?.isSaved == true {
            guard let destination = destination(relationship, in: context) else { continue }
            destinations[relationship.index] = ChangeGroup.Before(content: destination, isSaved: false)
        }
    }
}
