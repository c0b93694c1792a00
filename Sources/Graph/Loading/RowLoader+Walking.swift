import StrataCoordinator
import StrataModel
import StrataStore

extension RowLoader {
    /// Brings a fault's row with those of the other members that came along with it.
    ///
    /// - Returns: Whether the row came.
    /// - Throws: What kept the store from telling.
    func requireRowOfMembers(of object: ManagedObject) throws -> Bool {
        let members = walked.takeMembers(with: object.objectID).filter(isUnread)
        return try !members.isEmpty && bring(members, with: object) > 0
    }

    /// Brings a fault's row with those that other objects here lead to over the relationship that led to it, where it is walked along.
    ///
    /// - Returns: Whether the row came.
    /// - Throws: What kept the store from telling.
    func requireRowAlongWalk(of object: ManagedObject) throws -> Bool {
        guard let (relationship, scope) = walked.way(to: object.objectID), walked.isWalk(relationship) else { return false }
        var ids: [ObjectID] = []
        var seen: Set<ObjectID> = [object.objectID]
        identity.table(scope).forEach { owner in
            guard owner.row != nil, !owner.isGone, owner.leads(over: relationship) else { return true }
            let value = owner.pendingValue(relationship.index) ?? owner.storedDestination(relationship)
            guard let id = value.objectID, !id.isTemporary, seen.insert(id).inserted, isUnread(id) else { return true }
            ids.append(id)
            return ids.count < WalkedRelationships.batchSize
        }
        let count = ids.isEmpty ? 0 : try bring(ids, with: object)
        walked.didBring(count, along: relationship)
        return count > 0
    }

    /// Whether the row of an object is neither here nor on its way.
    private func isUnread(_ id: ObjectID) -> Bool {
        if walked.hasRow(of: id) { return false }
        guard let object = identity[id] else { return true }
        return object.row == nil && !object.isNew && !object.isGone
    }

    /// Brings rows in one round trip: an object's own, and others that wait for their faults.
    private func bring(_ ids: [ObjectID], with object: ManagedObject) throws -> Int {
        let root = object.entity.root
        let ids = ids.filter { $0.entity.root == root }
        let rows = try source.rows(for: [object.objectID] + ids)
        var found: [ObjectID: Row] = [:]
        for (id, row) in zip(ids, rows.dropFirst()) { if let row { found[id] = row } }
        walked.keep(found)
        guard let row = rows[0] else { return 0 }
        try give(row, to: object)
        return max(1, found.count)
    }

    /// The destinations of a to-many relationship as they were saved; those of other objects here come along where it is walked along.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinationsAlongWalk(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        if object.isNew || object.isGone { return [] }
        if let kept = keptDestinations(of: relationship, from: object.objectID) { return kept }
        var owners: [ManagedObject] = []
        if walked.isWalk(relationship) {
            identity.table(object.objectID.scope).forEach { owner in
                guard owner !== object, owner.row != nil, !owner.isNew, !owner.isGone, !owner.isDeleted, owner.leads(over: relationship),
                    owner.extra?.toMany(relationship.index) == nil
                else { return true }
                owners.append(owner)
                return owners.count < WalkedRelationships.batchSize
            }
            walked.didBring(owners.count, along: relationship)
        }
        if owners.isEmpty {
            tellOfSingle(object.entity.name, relationship.name)
            return try source.destinations(of: relationship, from: object.objectID)
        }
        let found = try source.destinations(of: relationship, from: [object.objectID] + owners.map(\.objectID))
        for (owner, ids) in zip(owners, found.dropFirst()) { load(ids, of: relationship, into: owner) }
        walked.keepMembers(found.joined().lazy.filter { !$0.isTemporary })
        return found[0]
    }

    /// Takes note of a round trip for one object.
    func tellOfSingle(_ entity: String, _ relationship: String?) {
        if let diagnostic = walked.noteSingle(entity, relationship) { onDiagnostic?(diagnostic) }
    }
}

extension ManagedObject {
    /// Whether the object's entity has a relationship.
    fileprivate final func leads(over relationship: RelationshipDescription) -> Bool {
        let properties = entity.properties
        return relationship.index < properties.count && properties[relationship.index].relationship === relationship
    }
}
