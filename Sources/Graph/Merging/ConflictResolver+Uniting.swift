import StrataCoordinator
import StrataModel
import StrataStore

extension ConflictResolver {
    /// Has a new object be the one in the store that has its unique values, as nobody else here is: whoever made it goes on with it.
    ///
    /// - Returns: Whether the policy has an answer; `nil` where the object cannot be that one, because its entity is another.
    func takeOver(_ id: ObjectID, _ new: ManagedObject, _ names: [String], _ store: String) throws -> Bool? {
        let scopes = try context.scopes(ofStore: store)
        guard let row = try context.coordinator.row(for: id), row.entityIndex == new.entity.index else { return nil }
        let stored = row.values(in: new.entity, scopes)
        let resolution = try policy.resolve(conflict(.constraint(names), new, id, stored: stored))
        if resolution == .error { return false }
        var links: [(relationship: RelationshipDescription, members: [ManagedObject])] = []
        for property in new.entity.properties {
            switch property {
            case .attribute(let attribute):
                guard attribute.slot != nil else { continue }
                // What was never set is nil in a new object, and what the row holds in one that has a row.
                let value: Value? = resolution.takes(attribute, of: new) ? new.currentValue(property) : nil
                new.extra?.set(value, attribute.index, of: new.entity.properties.count)
            case .relationship(let relationship) where relationship.isTransient: continue
            case .relationship(let relationship):
                let isTaken = relationship.isToMany ? resolution != .rollback : resolution.takes(new.currentValue(property))
                let members = try context.destinations(of: new, relationship).map { context.object(with: $0) }
                if isTaken { links.append((relationship, members)) }
                if !relationship.isToMany {
                    try new.set(nil, relationship)
                    new.extra?.set(nil, relationship.index, of: new.entity.properties.count)
                } else {
                    for member in members { try new.removeMember(member, relationship) }
                }
            }
        }
        become(ObjectID(scope: scopes[row.entityIndex], reference: row.reference), new, row)
        for (relationship, members) in links {
            if relationship.isToMany {
                for member in members { try new.addMember(member, relationship) }
            } else {
                try new.set(members.first, relationship)
            }
        }
        if case .values(let values) = resolution { try set(values, of: new) }
        return true
    }

    /// Has a new object be one that was saved.
    private func become(_ id: ObjectID, _ new: ManagedObject, _ row: Row) {
        let temporary = new.objectID
        context.rename(new, to: id)
        if temporary.isTemporary { context.permanentIDs[temporary.reference] = id }
        new.row = row
        new.extra?.dropStoredRelationships { new.entity.properties[$0].relationship?.isTransient == true }
        new.flags.remove(.inserted)
        context.markUpdated(new)
        for object in context.changed { object.extra?.rename(inRelationships: true) { $0 == temporary ? id : $0 } }
    }

    /// Gives an object what a new one with the same unique values has, as far as the resolution says, and lets the new one go.
    func unite(_ new: ManagedObject, with other: ManagedObject, _ resolution: MergePolicy.Resolution) throws {
        for property in new.entity.properties {
            switch property {
            case .attribute(let attribute):
                guard attribute.slot != nil, resolution.takes(attribute, of: new) else { continue }
                other.change(attribute.index, to: new.currentValue(property))
            case .relationship(let relationship) where relationship.isTransient: continue
            case .relationship(let relationship) where relationship.isToMany:
                for id in try context.destinations(of: new, relationship) {
                    let member = context.object(with: id)
                    try new.removeMember(member, relationship)
                    if resolution != .rollback { try other.addMember(member, relationship) }
                }
            case .relationship(let relationship):
                let value = new.currentValue(property)
                let destination: ManagedObject? = if case .objectID(let id) = value { context.object(with: id) } else { nil }
                try new.set(nil, relationship)
                if resolution.takes(value) { try other.set(destination, relationship) }
            }
        }
        if case .values(let values) = resolution { try set(values, of: other) }
        // Those without an inverse that name the new object.
        for object in context.changed {
            for relationship in object.entity.relationships where !relationship.isToMany {
                guard case .objectID(let id)? = object.extra?.value(relationship.index), id == new.objectID else { continue }
                object.change(relationship.index, to: .objectID(other.objectID))
            }
        }
        new.extra?.survivor = other
        new.flags.insert([.deleted, .propagated])
    }
}

extension MergePolicy.Resolution {
    /// Whether a new object's partner or owner goes over that of an object with the same unique values.
    fileprivate func takes(_ value: Value) -> Bool {
        switch self {
        case .overwrite: true
        case .mergeByPropertyObjectTrump: !value.isNull
        case .error, .rollback, .mergeByPropertyStoreTrump, .values: false
        }
    }

    /// Whether a new object's value goes over that of an object with the same unique values: a default does where the whole object does.
    fileprivate func takes(_ attribute: AttributeDescription, of new: ManagedObject) -> Bool {
        switch self {
        case .overwrite: true
        case .mergeByPropertyObjectTrump: new.extra?.isGiven(attribute.index) ?? false
        case .error, .rollback, .mergeByPropertyStoreTrump, .values: false
        }
    }
}
