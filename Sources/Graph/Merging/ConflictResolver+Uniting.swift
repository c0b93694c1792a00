import StrataCoordinator
import StrataModel
import StrataStore

extension ConflictResolver {
    /// Has a new object be the one in the store that has its unique values, as nobody else here is: whoever made it goes on with it.
    ///
    /// - Returns: Whether the policy has an answer; `nil` where the object cannot be that one, because its entity is another.
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
                // What was never set is nil in a new object, and what the row holds in one that has a row.
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

    /// Has a new object be one that was saved.
    private func become(_ id: ObjectID, _ new: ManagedObject, _ row: Row) {
        let temporary = new.objectID
        context.identity.rename(new, to: id, remembering: true)
        new.row = row
        context.tracker.becomeSaved(new)
        context.tracker.rename { $0 == temporary ? id : $0 }
    }

    /// Has a value be a change for the rest of the save, though the row says the same: another context may save a different one meanwhile.
    private func keep(_ property: PropertyDescription, of object: ManagedObject) {
        // Of a pair both ends are changed, or none.
        if let relationship = property.relationship, context.model.inverse(of: relationship)?.isToMany == false { return }
        if !object.isPending(property.index) { object.change(property.index, to: object.currentValue(property)) }
        context.saveState.unitedProperties[ObjectIdentifier(object), default: PropertySet()].insert(property.index)
    }

    /// Adds a member to the object in the store, whatever is known of its members here: another context may have removed it since.
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

    /// Gives an object what a new one with the same unique values has, as far as the resolution says, and lets the new one go.
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
        // Those without an inverse that name the new object.
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
    /// Returns whether the value of an attribute, or any element of the composite one that it is of, was set since the
    /// object was made, other than by a default.
    fileprivate final func isGiven(_ attribute: AttributeDescription) -> Bool {
        entity.attributes(with: attribute).contains { extra?.isGiven($0.index) ?? false }
    }
}
