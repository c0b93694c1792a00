import StrataCoordinator
import StrataModel
import StrataStore

extension RowLoader {
    /// Reads a fault's row with those of the other members that were read together; returns whether it was found.
    func requireRowOfMembers(of object: ManagedObject) throws -> Bool {
        let members = prefetcher.takeMembers(with: object.objectID).filter(isUnread)
        return try !members.isEmpty && readAhead(members, with: object) > 0
    }

    /// Reads a fault's row with the destinations of other objects of the traversal; returns whether it was found.
    func requireRowOfTraversal(of object: ManagedObject) throws -> Bool {
        guard let (relationship, scope) = prefetcher.traversals.relationship(to: object.objectID),
            prefetcher.traversals.continues(over: relationship)
        else { return false }
        var ids: [ObjectID] = []
        let most = PrefetchPolicy.batchSize
        var kinds = OwnersOfRelationship(relationship)
        var destinations = HeldDestinations(relationship)
        identity.table(scope).forEach { owner in
            guard owner.row != nil, !owner.isInaccessible, kinds.has(owner), let id = destinations.id(of: owner),
                !id.isTemporary
            else { return true }
            ids.append(id)
            if ids.count < 2 * most { return true }
            keepUnread(&ids, besides: object)
            return ids.count < most
        }
        keepUnread(&ids, besides: object)
        if ids.count > most { ids.removeLast(ids.count - most) }
        let count = ids.isEmpty ? 0 : try readAhead(ids, with: object)
        prefetcher.traversals.didReadAhead(count, over: relationship)
        return count > 0
    }

    /// Keeps the distinct IDs of objects whose rows are to be read with that of another object of their hierarchy.
    ///
    /// By sorting, as many objects have the same destination: a set would hash each.
    private func keepUnread(_ ids: inout [ObjectID], besides object: ManagedObject) {
        ids.sort { $0.reference < $1.reference }
        let (own, root) = (object.objectID, object.entity.root)
        var last = own
        ids.removeAll { id in
            if id == last || id == own || id.entity.root != root { return true }
            last = id
            return !isUnread(id)
        }
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
        var found: [ObjectID: Row] = [:]
        for (id, row) in zip(ids, rows.dropFirst()) { if let row { found[id] = row } }
        prefetcher.cache.add(found)
        guard let row = rows[0] else { return 0 }
        try give(row, to: object)
        return max(1, found.count)
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
    func savedDestinationsReadingAhead(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        if object.isNew || object.isInaccessible { return [] }
        let id = object.objectID
        if let known = prefetcher.cache.takeDestinations(of: relationship, from: id) { return known }
        var others = prefetcher.traversals.follow(relationship) ? fetchGroup(of: object, relationship) : []
        // With a staleness interval rows are read when their faults fire.
        var maximumOwners = stalenessInterval == nil ? prefetcher.maximumOwnersWithRows(of: relationship) : 0
        if others.isEmpty && prefetcher.traversals.continues(over: relationship) {
            // One owner whose members fired suffices, as the others are retained for something.
            let maximum = stalenessInterval == nil ? prefetcher.maximumOwnersWithRows(of: relationship, readers: 1) : 0
            others = registeredOwners(of: relationship, except: object, maximum: maximum > 0 ? maximum : PrefetchPolicy.batchSize)
            prefetcher.traversals.didReadAhead(others.count, over: relationship)
            if !others.isEmpty { maximumOwners = maximum }
        }
        if others.isEmpty { noteSingleRead(object.entity.name, relationship.name) }
        if maximumOwners > 0 { return try readMembersWithRows(of: relationship, from: object, others.prefix(maximumOwners - 1)) }
        if others.isEmpty {
            let found = try source.destinations(of: relationship, from: id)
            keep([found], of: relationship, from: [])
            return found
        }
        let found = try source.destinations(of: relationship, from: [id] + others.map(\.id))
        keep(found, of: relationship, from: others)
        prefetcher.keepMembers(found.joined().lazy.filter { !$0.isTemporary }, of: relationship)
        return found[0]
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
                if owner.has(relationship), owner.lacks(relationship) { owners.append(Owner(id: id, object: owner)) }
            } else if !prefetcher.cache.areDestinationsWaiting(of: relationship, from: id) {
                owners.append(Owner(id: id, object: nil))
            }
        }
        return owners
    }

    private func registeredOwners(of relationship: RelationshipDescription, except object: ManagedObject, maximum: Int) -> [Owner] {
        var owners: [Owner] = []
        var kinds = OwnersOfRelationship(relationship)
        identity.table(object.objectID.scope).forEach(from: object.objectID.reference) { owner in
            guard owner !== object, owner.row != nil, kinds.has(owner), owner.lacks(relationship) else { return true }
            owners.append(Owner(id: owner.objectID, object: owner))
            return owners.count < maximum
        }
        return owners
    }

    /// Caches the destinations of an object, which are first, and of others.
    private func keep(_ found: [[ObjectID]], of relationship: RelationshipDescription, from others: some Sequence<Owner>) {
        prefetcher.traversals.didLoad(found, of: relationship)
        prefetcher.groups.add(found.joined())
        for (owner, ids) in zip(others, found.dropFirst()) {
            if let object = owner.object {
                load(ids, of: relationship, into: object)
            } else {
                prefetcher.cache.add(ids, of: relationship, from: owner.id)
            }
        }
    }

    private func readMembersWithRows(
        of relationship: RelationshipDescription, from object: ManagedObject, _ others: ArraySlice<Owner>
    ) throws -> [ObjectID] {
        let owners = [object.objectID] + others.map(\.id)
        let (found, rows) = try source.destinationsWithRows(of: relationship, from: owners)
        keep(found, of: relationship, from: others)
        prefetcher.traversals.watch(rows[0].isEmpty ? nil : found[0].first(where: isUnread), of: relationship)
        prefetcher.cache.add(rows, of: relationship, from: owners)
        // Some coordinators return no rows with destinations.
        if !others.isEmpty && rows.allSatisfy(\.isEmpty) {
            prefetcher.keepMembers(found.joined().lazy.filter { !$0.isTemporary }, of: relationship)
        }
        return found[0]
    }

    /// Returns the objects of an owner's members, with the rows that were read with them.
    func members(_ ids: [ObjectID], of relationship: RelationshipDescription, from owner: ObjectID, for context: ManagedObjectContext)
        -> [ManagedObject]
    {
        guard let rows = prefetcher.cache.memberRows(of: relationship, from: owner) else {
            return ids.map { identity.object(with: $0, for: context) }
        }
        // Members that were removed since leave their rows, and added ones have none.
        var rowsOfMembers = RowsOfReferences(rows)
        var watched: ObjectID?
        var objects: [ManagedObject] = []
        objects.reserveCapacity(ids.count)
        guard var scope = ids.first?.scope else {
            prefetcher.cache.watch(nil, of: relationship, from: owner)
            return []
        }
        var (table, type) = (identity.table(scope), scope.entity.managedObjectClass)
        for id in ids {
            guard let row = rowsOfMembers.next(id.reference) else {
                objects.append(identity.object(with: id, for: context))
                continue
            }
            if id.scope != scope {
                scope = id.scope
                (table, type) = (identity.table(scope), scope.entity.managedObjectClass)
            }
            let object = object(of: row, scope, table, type, context)
            if watched == nil && object.isFault {
                object.markLoading(.watched)
                watched = id
            }
            objects.append(object)
        }
        prefetcher.cache.watch(watched, of: relationship, from: owner)
        return objects
    }

    /// Records the members of a relationship that were read: those without rows fire together.
    func noteMembers(_ members: [ManagedObject], of relationship: RelationshipDescription) {
        guard let first = members.first(where: { $0.row == nil }), !prefetcher.cache.isRowWaiting(of: first.objectID) else { return }
        if members.count == 1 { return prefetcher.onlyMember = (first.objectID, relationship) }
        noteSiblings(members, of: relationship)
    }

    func noteSingleRead(_ entity: String, _ relationship: String?) {
        if let diagnostic = prefetcher.singleReads.add(entity, relationship) { onDiagnostic?(diagnostic) }
    }
}

/// Whether objects have a relationship, looked up once for those of an entity that follow each other.
private struct OwnersOfRelationship {
    private let relationship: RelationshipDescription
    private var last: (scope: ObjectIDScope, has: Bool)?

    init(_ relationship: RelationshipDescription) { self.relationship = relationship }

    @inline(__always)
    mutating func has(_ owner: ManagedObject) -> Bool {
        let scope = owner.objectID.scope
        if let last, last.scope == scope { return last.has }
        let has = owner.has(relationship)
        last = (scope, has)
        return has
    }
}

/// The destinations of a to-one relationship, whose scope is looked up once for the objects of a store.
private struct HeldDestinations {
    private let relationship: RelationshipDescription
    private let slot: Slot?
    private var last: (owner: ObjectIDScope, destination: ObjectIDScope)?

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
        if case .toOne(let slot, entity: nil, _) = relationship.storage { self.slot = slot } else { slot = nil }
    }

    @inline(__always)
    mutating func id(of owner: ManagedObject) -> ObjectID? {
        guard let slot, !owner.isPending(relationship.index) else { return owner.heldDestination(relationship) }
        guard let reference = owner.row?.integer(slot) else { return nil }
        if reference > 0, let last, last.owner == owner.objectID.scope {
            return ObjectID(scope: last.destination, reference: reference)
        }
        let id = owner.heldDestination(relationship)
        if let id, !id.isTemporary { last = (owner.objectID.scope, id.scope) }
        return id
    }
}

extension ManagedObject {
    /// Returns whether an object with a relationship is to load it.
    fileprivate final func lacks(_ relationship: RelationshipDescription) -> Bool {
        !isNew && !isInaccessible && !isDeleted && withExtra { $0.hasToMany(relationship.index) } != true
    }

    fileprivate final func has(_ relationship: RelationshipDescription) -> Bool {
        let properties = entity.properties
        return relationship.index < properties.count && properties[relationship.index].relationship === relationship
    }
}
