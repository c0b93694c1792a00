import StrataCoordinator
import StrataModel

extension ConflictResolver {
    /// Turns a new object into the stored one with its unique values, which is not registered here; returns whether the
    /// policy decides it; `nil` where the entities differ, so that the object cannot be that one.
    func takeOver(_ id: ObjectID, _ new: ManagedObject, _ names: [String], _ storeID: StoreID) throws -> Bool? {
        let scopes = try context.loader.scopes(ofStore: storeID)
        guard let row = try context.loader.savedRow(of: id), row.entityIndex == new.entity.index else { return nil }
        let stored = row.values(in: new.entity, scopes)
        let resolution = try policy.resolve(conflict(.constraint(names), new, id, stored: stored))
        if resolution == .error { return false }
        var links: [(relationship: RelationshipDescription, members: [ManagedObject])] = []
        for property in new.entity.properties {
            switch property {
            case .attribute(let attribute):
                guard attribute.slot != nil else { continue }
                // A value that was never set is nil in a new object, and the row's in a stored one.
                let value = resolution.takesAttribute(isGiven: new.isGiven(attribute)) ? new.currentValue(property) : nil
                if let value {
                    context.tracker.set(value, new.entity.propertySlots[attribute.index], of: new)
                    keep(property, of: new)
                } else {
                    context.tracker.forget(attribute.index, of: new)
                }
            case .relationship(let relationship) where relationship.isTransient: continue
            case .relationship(let relationship):
                let isTaken =
                    relationship.isToMany ? resolution.takesMembers : resolution.takesDestination(isNull: new.currentValue(property).isNull)
                let members = try new.destinationIDs(relationship).map { context.fault(with: $0) }
                if isTaken { links.append((relationship, members)) }
                if !relationship.isToMany {
                    try new.set(nil, relationship)
                    context.tracker.forget(relationship.index, of: new)
                } else {
                    for member in members { try new.removeMember(member, relationship) }
                }
            }
        }
        become(ObjectID(scope: scopes[row.entityIndex], reference: row.reference), new, row)
        for (relationship, members) in links {
            if relationship.isToMany {
                for member in members { try add(member, to: new, relationship) }
            } else {
                try new.set(members.first, relationship)
                keep(.relationship(relationship), of: new)
            }
        }
        try set(resolution.givenValues, of: new)
        return true
    }

    private func become(_ id: ObjectID, _ new: ManagedObject, _ row: Row) {
        let temporary = new.objectID
        context.identity.rename(new, to: id, remembering: true)
        new.row = row
        context.tracker.becomeSaved(new)
        context.tracker.rename { $0 == temporary ? id : $0 }
    }

    /// Marks a value as changed for the rest of the save, even if equal to the row's: another context may save a
    /// different one.
    private func keep(_ property: PropertyDescription, of object: ManagedObject) {
        // Both ends of a pair are changed, or none.
        if let relationship = property.relationship, context.model.inverse(of: relationship)?.isToMany == false { return }
        if !object.isPending(property.index) { object.change(property.index, to: object.currentValue(property)) }
        context.saveState.unitedProperties[ObjectIdentifier(object), default: PropertySet()].insert(property.index)
    }

    /// Adds a member to the stored object, whatever is known of its members here: another context may have removed it.
    private func add(_ member: ManagedObject, to object: ManagedObject, _ relationship: RelationshipDescription) throws {
        if !member.isNew, let inverse = context.model.inverse(of: relationship), let state = member.extra?.toMany(inverse.index),
            state.isLoaded
        {
            context.tracker.willReplaceValues(of: member, PropertySet(inverse.index))
            state.unload()
        }
        try object.addMember(member, relationship)
        if let inverse = context.model.inverse(of: relationship), !inverse.isToMany, !member.isNew {
            keep(.relationship(inverse), of: member)
        }
    }

    /// Gives an object the values of a new one with the same unique values, by the policy, and removes the new one.
    func unite(_ new: ManagedObject, with other: ManagedObject, _ resolution: MergePolicy.Resolution) throws {
        for property in new.entity.properties {
            switch property {
            case .attribute(let attribute):
                guard attribute.slot != nil, resolution.takesAttribute(isGiven: new.isGiven(attribute)) else { continue }
                other.change(attribute.index, to: new.currentValue(property))
                keep(property, of: other)
            case .relationship(let relationship) where relationship.isTransient: continue
            case .relationship(let relationship) where relationship.isToMany:
                for id in try new.destinationIDs(relationship) {
                    let member = context.fault(with: id)
                    try new.removeMember(member, relationship)
                    if resolution.takesMembers { try add(member, to: other, relationship) }
                }
            case .relationship(let relationship):
                let value = new.currentValue(property)
                let destination: ManagedObject? = if case .objectID(let id) = value { context.fault(with: id) } else { nil }
                try new.set(nil, relationship)
                guard resolution.takesDestination(isNull: value.isNull) else { continue }
                try other.set(destination, relationship)
                keep(property, of: other)
            }
        }
        try set(resolution.givenValues, of: other)
        // Relationships without an inverse that reference the new object.
        for object in context.tracker.changed {
            for relationship in object.entity.relationships where !relationship.isToMany {
                guard case .objectID(let id)? = object.pendingValue(relationship.index), id == new.objectID else { continue }
                object.change(relationship.index, to: .objectID(other.objectID))
                keep(.relationship(relationship), of: object)
            }
        }
        context.tracker.unite(new, with: other)
    }
}

extension ManagedObject {
    /// Returns whether an attribute, or any element of its composite attribute, was set, other than by a default.
    fileprivate final func isGiven(_ attribute: AttributeDescription) -> Bool {
        entity.attributes(with: attribute).contains { extra?.given.contains($0.index) ?? false }
    }
}
