import StrataCoordinator
import StrataModel
import StrataStore

extension RowLoader {
    /// Gives a fault its row where that was read with its owner's other members, or reads it with theirs; returns
    /// whether there is one.
    func requireRowOfMember(_ object: ManagedObject) throws -> Bool {
        let id = object.objectID
        for block in prefetcher.blocks.reversed() where block.mayHold(id) {
            guard let index = block.index(of: id) else { continue }
            if let row = prefetcher.row(at: index, of: block) {
                try give(row, to: object)
                _ = block.takeRow(at: index)
                return true
            }
            if try readRows(around: index, of: block, with: object) { return true }
        }
        return false
    }

    /// Reads the rows of members without one together with that of one of them; returns whether there is one.
    private func readRows(around index: Int, of block: LoadedMembers, with object: ManagedObject) throws -> Bool {
        // Members of another store might be unreadable.
        var (scope, isOfStore) = (object.objectID.scope, true)
        let storeID = scope.storeID
        var (ids, members): ([ObjectID], [(index: Int, object: ManagedObject?)]) = ([object.objectID], [])
        for index in block.batch(around: index) where prefetcher.row(at: index, of: block) == nil {
            let id = block.ids[index]
            if id.scope != scope { (scope, isOfStore) = (id.scope, id.scope.storeID == storeID) }
            guard isOfStore, id.reference > 0 else { continue }
            let known = identity[id.scope, id.reference]
            if let known, known === object || known.row != nil || known.isNew || known.isInaccessible { continue }
            ids.append(id)
            members.append((index, known))
        }
        prefetcher.traversals.didReadMembers(of: block.relationship)
        // One alone may be read with others that are no members.
        if members.isEmpty { return false }
        prefetcher.reserve(block.ids.count, for: block)
        let rows = try source.rows(for: ids)
        for ((index, known), row) in zip(members, rows.dropFirst()) {
            guard let row else { continue }
            if let known { try give(row, to: known) } else { prefetcher.put(row, at: index, of: block) }
        }
        if let row = rows[0] { try give(row, to: object) }
        return rows[0] != nil
    }

    /// Reads a fault's row with the destinations of other objects of the traversal; returns whether it was found.
    func requireRowOfTraversal(of object: ManagedObject) throws -> Bool {
        guard let (relationship, scope) = prefetcher.traversals.relationship(to: object.objectID),
            prefetcher.traversals.continues(over: relationship)
        else { return false }
        var ids: [ObjectID] = []
        var seen: Set<ObjectID> = [object.objectID]
        identity.table(scope).forEach { owner in
            guard owner.row != nil, !owner.isInaccessible, owner.has(relationship) else { return true }
            let value = owner.pendingValue(relationship.index) ?? owner.storedDestination(relationship)
            guard let id = value.objectID, !id.isTemporary, seen.insert(id).inserted, isUnread(id) else { return true }
            ids.append(id)
            return ids.count < PrefetchPolicy.batchSize
        }
        let count = ids.isEmpty ? 0 : try readAhead(ids, with: object)
        prefetcher.traversals.didReadAhead(count, over: relationship)
        return count > 0
    }

    private func isUnread(_ id: ObjectID) -> Bool {
        if prefetcher.cache.isRowWaiting(of: id) { return false }
        guard let object = identity[id] else { return true }
        return object.row == nil && !object.isNew && !object.isInaccessible
    }

    /// Reads rows in one round trip: an object's own, and others ahead.
    private func readAhead(_ ids: [ObjectID], with object: ManagedObject) throws -> Int {
        let root = object.entity.root
        let ids = ids.filter { $0.entity.root == root }
        let rows = try source.rows(for: [object.objectID] + ids)
        prefetcher.cache.reserve(ids.count)
        var count = 0
        for (id, row) in zip(ids, rows.dropFirst()) {
            guard let row else { continue }
            prefetcher.cache.add(row, of: id)
            count += 1
        }
        guard let row = rows[0] else { return 0 }
        try give(row, to: object)
        return max(1, count)
    }

    /// Reads a fault's row with those of other referenced faults; returns whether it was found.
    func requireRowOfReached(_ object: ManagedObject) throws -> Bool {
        let scope = object.objectID.scope
        let faults = prefetcher.reached.take(with: object.objectID).compactMap { identity[scope, $0] }
            .filter { $0.row == nil && !$0.isNew && !$0.isInaccessible }
        if faults.isEmpty { return false }
        try loadRows(of: [object] + faults)
        prefetcher.groups.add(([object] + faults).lazy.map(\.objectID))
        return object.row != nil
    }

    /// Returns the saved destinations of a to-many relationship; in a traversal it reads those of other objects with
    /// them, and their rows where these are used.
    func savedMembersReadingAhead(of relationship: RelationshipDescription, from object: ManagedObject) throws -> LoadedMembers.Slice {
        if object.isNew || object.isInaccessible { return LoadedMembers([], of: relationship)[owner: 0] }
        let id = object.objectID
        if let known = prefetcher.cache.takeDestinations(of: relationship, from: id) { return known }
        var others = prefetcher.traversals.follow(relationship) ? fetchGroup(of: object, relationship) : []
        // With a staleness interval rows are read when their faults fire.
        var maximumOwners = stalenessInterval == nil ? prefetcher.maximumOwnersWithRows(of: relationship) : 0
        if others.isEmpty && prefetcher.traversals.continues(over: relationship) {
            others = registeredOwners(of: relationship, except: object)
            prefetcher.traversals.didReadAhead(others.count, over: relationship)
            // Many owners at once: their members' rows are read in batches.
            if !others.isEmpty { maximumOwners = 0 }
        }
        if others.isEmpty { noteSingleRead(object.entity.name, relationship.name) }
        if maximumOwners > 0 { others.removeLast(max(0, others.count + 1 - maximumOwners)) }
        let ids = [id] + others.map(\.id)
        let block = LoadedMembers(
            try source.members(of: relationship, from: ids, withRows: maximumOwners > 0), of: relationship)
        keep(block, of: others)
        if block.hasRows { watchRow(of: block) }
        return block[owner: 0]
    }

    /// Watches whether the rows of members are used: that of one, an object of the first owner, waits for its fault.
    private func watchRow(of block: LoadedMembers) {
        let watched = block[owner: 0].range.first { block.row(at: $0) != nil && isUnread(block.ids[$0]) }
        if let watched, let row = block.takeRow(at: watched) { prefetcher.cache.add(row, of: block.ids[watched]) }
        prefetcher.traversals.watch(watched.map { block.ids[$0] }, of: block.relationship)
    }

    /// An object, registered or not, whose to-many relationship is to be loaded.
    private struct Owner {
        let id: ObjectID
        let object: ManagedObject?
    }

    /// Returns the fetch group of an object, as far as its relationship is not loaded.
    private func fetchGroup(of object: ManagedObject, _ relationship: RelationshipDescription) -> [Owner] {
        let scope = object.objectID.scope
        let maximum = prefetcher.traversals.maximumOwners(of: relationship)
        var owners: [Owner] = []
        for reference in prefetcher.groups.references(with: object.objectID)
        where owners.count < maximum && reference != object.objectID.reference {
            let id = ObjectID(scope: scope, reference: reference)
            if let owner = identity[scope, reference] {
                if owner.lacks(relationship) { owners.append(Owner(id: id, object: owner)) }
            } else if !prefetcher.cache.areDestinationsWaiting(of: relationship, from: id) {
                owners.append(Owner(id: id, object: nil))
            }
        }
        return owners
    }

    private func registeredOwners(of relationship: RelationshipDescription, except object: ManagedObject) -> [Owner] {
        var owners: [Owner] = []
        identity.table(object.objectID.scope).forEach { owner in
            guard owner !== object, owner.row != nil, owner.lacks(relationship) else { return true }
            owners.append(Owner(id: owner.objectID, object: owner))
            return owners.count < PrefetchPolicy.batchSize
        }
        return owners
    }

    /// Caches the destinations of an object, which are first, and of others.
    private func keep(_ block: LoadedMembers, of others: [Owner]) {
        let relationship = block.relationship
        prefetcher.traversals.didLoad(block.mostMembers, of: relationship)
        prefetcher.groups.add(block.ids)
        prefetcher.add(block)
        for (index, owner) in others.enumerated() {
            let members = block[owner: index + 1]
            if let object = owner.object {
                load(members, of: relationship, into: object)
            } else {
                prefetcher.cache.add(members, of: relationship, from: owner.id)
            }
        }
    }

    /// Returns the objects of members, with the rows that wait for them; makes those that are not registered.
    func objects(of members: LoadedMembers.Slice, for context: ManagedObjectContext) -> [ManagedObject] {
        let block = members.block
        let hasRows = block.hasRows
        var objects: [ManagedObject] = []
        objects.reserveCapacity(members.count)
        var firstFault: ObjectID?
        var (scope, table, type): (ObjectIDScope?, IdentityTable?, ManagedObject.Type) = (nil, nil, ManagedObject.self)
        for index in members.range {
            let id = block.ids[index]
            // The parent may have renamed objects since.
            guard id.reference > 0 else {
                objects.append(context.fault(with: id))
                continue
            }
            if id.scope != scope { (scope, table, type) = (id.scope, identity.table(id.scope), id.entity.managedObjectClass) }
            let row = hasRows ? prefetcher.row(at: index, of: block) : nil
            let object: ManagedObject
            if let known = table?[id.reference] {
                object = known
                if let row, known.row == nil, !known.isNew, !known.isInaccessible, (try? give(row, to: known)) != nil {
                    known.markLoading(.readAhead)
                }
            } else {
                object = type.init(ObjectOrigin(id: id, context: context))
                let isOfRow = row?.entityIndex == id.scope.entityIndex
                object.row = isOfRow ? row : nil
                object.markLoading(isOfRow ? [.fault, .readAhead] : .fault)
                table?.insert(object, id.reference)
            }
            if firstFault == nil && object.row == nil { firstFault = id }
            objects.append(object)
        }
        block.lastRead = members.range
        if let firstFault, !prefetcher.cache.isRowWaiting(of: firstFault), !prefetcher.has(block) {
            noteSiblings(objects, of: block.relationship)
        }
        return objects
    }

    func noteSingleRead(_ entity: String, _ relationship: String?) {
        if let diagnostic = prefetcher.singleReads.add(entity, relationship) { onDiagnostic?(diagnostic) }
    }
}

extension ManagedObject {
    fileprivate final func lacks(_ relationship: RelationshipDescription) -> Bool {
        !isNew && !isInaccessible && !isDeleted && has(relationship) && extra?.toMany(relationship.index) == nil
    }

    fileprivate final func has(_ relationship: RelationshipDescription) -> Bool {
        let properties = entity.properties
        return relationship.index < properties.count && properties[relationship.index].relationship === relationship
    }
}
