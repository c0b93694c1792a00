import StrataModel

extension ManagedObjectContext {
    /// Prepares an object for another row: it keeps its changes, except values that were changed back.
    ///
    /// A composite attribute is kept as a whole where any of its elements is changed.
    func keepChanges(of object: ManagedObject) {
        guard object.row != nil, !object.isNew, object.extra?.hasValues == true else { return }
        let united = saveState.unitedProperties[ObjectIdentifier(object)] ?? PropertySet()
        for attribute in object.entity.attributes where object.isPending(attribute.index) && !united.contains(attribute.index) {
            let whole = object.entity.attributes(with: attribute)
            if whole.allSatisfy({ !object.isPending($0.index) || object.keepsValue(object.entity.propertySlots[$0.index]) }) {
                tracker.forget(attribute.index, of: object)
            }
        }
        // Including hidden ones, the inverses of relationships that are declared at one end.
        for property in object.entity.properties where object.isPending(property.index) && !united.contains(property.index) {
            guard let relationship = property.relationship, !relationship.isTransient else { continue }
            forgetRetainedDestination(relationship, of: object)
        }
        tracker.completeComposites(of: object)
    }

    private func forgetRetainedDestination(_ relationship: RelationshipDescription, of object: ManagedObject) {
        guard object.keepsDestination(relationship) else { return }
        if let id = object.pendingValue(relationship.index)?.objectID, let inverse = model.inverse(of: relationship),
            let destination = registered(id)
        {
            // Both ends of a pair are changed, or none.
            if !inverse.isToMany && !destination.keepsDestination(inverse) { return }
            if inverse.isToMany { tracker.forgetAddition(of: object.objectID, to: destination.extra?.toMany(inverse.index)) }
        }
        tracker.forget(relationship.index, of: object)
    }
}
