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

    /// Brings a fault's row with those that other objects here reference over the relationship that led to it, where it is walked along.
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

    /// Brings a fault's row with those of others that to-one relationships led to and that somebody holds.
    ///
    /// - Returns: Whether the row came.
    /// - Throws: What kept the store from telling.
    func requireRowOfMet(_ object: ManagedObject) throws -> Bool {
        let scope = object.objectID.scope
        let faults = walked.takeMet(with: object.objectID).compactMap { identity[scope, $0] }
            .filter { $0.row == nil && !$0.isNew && !$0.isGone }
        if faults.isEmpty { return false }
        try loadRows(of: [object] + faults)
        walked.keepCompany(([object] + faults).lazy.map(\.objectID))
        return object.row != nil
    }

    // MARK: - To many

    /// The destinations of a to-many relationship as they were saved; those of other objects come along where it is walked along, and the rows
    /// of all of them where they are read each time.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinationsAlongWalk(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        if object.isNew || object.isGone { return [] }
        let id = object.objectID
        if let kept = keptDestinations(of: relationship, from: id) ?? walked.takeDestinations(of: relationship, from: id) { return kept }
        var others = walked.follow(relationship) ? company(of: object, relationship) : []
        // Rows that somebody wants to be of some age come when they are asked for.
        var mostOwners = stalenessInterval == nil ? walked.mostOwnersWithRows(relationship) : 0
        if others.isEmpty && walked.isWalk(relationship) {
            others = ownersHere(of: relationship, but: object)
            walked.didBring(others.count, along: relationship)
            // Many at once: their members' rows come by the batch.
            if !others.isEmpty { mostOwners = 0 }
        }
        if others.isEmpty { tellOfSingle(object.entity.name, relationship.name) }
        if mostOwners > 0 { return try bringMembersWithRows(of: relationship, from: object, others.prefix(mostOwners - 1)) }
        if others.isEmpty {
            let found = try source.destinations(of: relationship, from: id)
            keep([found], of: relationship, from: [])
            return found
        }
        let found = try source.destinations(of: relationship, from: [id] + others.map(\.id))
        keep(found, of: relationship, from: others)
        walked.keepMembers(found.joined().lazy.filter { !$0.isTemporary }, of: relationship)
        return found[0]
    }

    /// An object whose to-many relationship is to be loaded, be it here or not.
    private struct Owner {
        let id: ObjectID
        let object: ManagedObject?
    }

    /// The objects that came with one and whose relationship is not loaded either, be they here or not.
    private func company(of object: ManagedObject, _ relationship: RelationshipDescription) -> [Owner] {
        let scope = object.objectID.scope
        let most = walked.mostOwners(relationship)
        var owners: [Owner] = []
        for reference in walked.company(of: object.objectID) where owners.count < most && reference != object.objectID.reference {
            let id = ObjectID(scope: scope, reference: reference)
            if let owner = identity[scope, reference] {
                if owner.lacks(relationship) { owners.append(Owner(id: id, object: owner)) }
            } else if !walked.hasDestinations(of: relationship, from: id) {
                owners.append(Owner(id: id, object: nil))
            }
        }
        return owners
    }

    /// The objects here whose relationship is not loaded either.
    private func ownersHere(of relationship: RelationshipDescription, but object: ManagedObject) -> [Owner] {
        var owners: [Owner] = []
        identity.table(object.objectID.scope).forEach { owner in
            guard owner !== object, owner.row != nil, owner.lacks(relationship) else { return true }
            owners.append(Owner(id: owner.objectID, object: owner))
            return owners.count < WalkedRelationships.batchSize
        }
        return owners
    }

    /// Keeps what an object's relationship and those of others reference, the object's own first.
    private func keep(_ found: [[ObjectID]], of relationship: RelationshipDescription, from others: some Sequence<Owner>) {
        walked.didLoad(found, of: relationship)
        walked.keepCompany(found.joined())
        for (owner, ids) in zip(others, found.dropFirst()) {
            if let object = owner.object {
                load(ids, of: relationship, into: object)
            } else {
                walked.keepDestinations(ids, of: relationship, from: owner.id)
            }
        }
    }

    /// Brings the members of several owners with their rows, in one round trip.
    private func bringMembersWithRows(
        of relationship: RelationshipDescription, from object: ManagedObject, _ others: ArraySlice<Owner>
    ) throws -> [ObjectID] {
        let (found, rows) = try source.destinationsWithRows(of: relationship, from: [object.objectID] + others.map(\.id))
        keep(found, of: relationship, from: others)
        walked.watch(found[0].first { rows[$0] != nil && isUnread($0) }, of: relationship)
        walked.makeRoom(for: rows.count)
        for (id, row) in rows where isUnread(id) { walked.keep(row, of: id) }
        // Not every coordinator has rows come along.
        if rows.isEmpty && !others.isEmpty { walked.keepMembers(found.joined().lazy.filter { !$0.isTemporary }, of: relationship) }
        return found[0]
    }

    /// Takes note of the members of a relationship that were read: those whose rows do not wait for their faults fire together.
    func noteMembers(_ members: [ManagedObject], of relationship: RelationshipDescription) {
        guard let first = members.first(where: { $0.row == nil }), !walked.hasRow(of: first.objectID) else { return }
        if members.count == 1 { return walked.noteOnlyMember(first.objectID, of: relationship) }
        noteSiblings(members, of: relationship)
    }

    /// Takes note of a round trip for one object.
    func tellOfSingle(_ entity: String, _ relationship: String?) {
        if let diagnostic = walked.noteSingle(entity, relationship) { onDiagnostic?(diagnostic) }
    }
}

extension ManagedObject {
    /// Whether the members of a to-many relationship of the object are not known, and may be asked for.
    fileprivate final func lacks(_ relationship: RelationshipDescription) -> Bool {
        !isNew && !isGone && !isDeleted && leads(over: relationship) && extra?.toMany(relationship.index) == nil
    }

    /// Whether the object's entity has a relationship.
    fileprivate final func leads(over relationship: RelationshipDescription) -> Bool {
        let properties = entity.properties
        return relationship.index < properties.count && properties[relationship.index].relationship === relationship
    }
}
