import StrataModel

/// Rows that were read before their faults fire, and destinations before their relationships are loaded.
///
/// Objects do not retain their destinations, so the rows wait here. Rows of prefetching requests stay until the context
/// saves or is reset, for the latest fetches; rows that the context read ahead are removed on use.
struct PrefetchedRows {
    fileprivate struct RelationshipOfObject: Hashable {
        let owner: ObjectID
        let relationship: Int

        init(_ owner: ObjectID, _ relationship: RelationshipDescription) { (self.owner, self.relationship) = (owner, relationship.index) }
    }

    struct Batch {
        var rows: [ObjectID: Row] = [:]
        fileprivate var destinations: [RelationshipOfObject: [ObjectID]] = [:]

        mutating func add(_ destinations: [ObjectID], of relationship: RelationshipDescription, from owner: ObjectID) {
            self.destinations[RelationshipOfObject(owner, relationship)] = destinations
        }
    }

    private var batches: [(content: Batch, arrival: ContinuousClock.Instant)] = []
    var stalenessInterval: Duration?
    private var rowsAhead: [ObjectID: Row] = [:]
    private var destinationsAhead: [RelationshipOfObject: [ObjectID]] = [:]
    /// The rows of members, by owner, until one of the members fires: the objects of the others have theirs then.
    private var membersAhead: [RelationshipOfObject: [Row]] = [:]
    private var memberCount = 0
    /// The owner whose members were made last, and the first of them that was a fault.
    private var watched: (owner: RelationshipOfObject, member: ObjectID)?

    /// Returns the row of an object for its fault, the latest of the fetches first.
    mutating func takeRow(of id: ObjectID) -> Row? {
        if let row = latest({ $0.rows[id] }) { return row }
        return rowsAhead.isEmpty ? nil : rowsAhead.removeValue(forKey: id)
    }

    func hasRow(of id: ObjectID) -> Bool { isRowWaiting(of: id) || latest({ $0.rows[id] }) != nil }

    func isRowWaiting(of id: ObjectID) -> Bool { !rowsAhead.isEmpty && rowsAhead[id] != nil }

    /// Returns the destinations of an object's to-many relationship, the latest of the fetches first.
    mutating func takeDestinations(of relationship: RelationshipDescription, from owner: ObjectID) -> [ObjectID]? {
        if let destinations = latest({ $0.destinations[RelationshipOfObject(owner, relationship)] }) { return destinations }
        return destinationsAhead.isEmpty ? nil : destinationsAhead.removeValue(forKey: RelationshipOfObject(owner, relationship))
    }

    func areDestinationsWaiting(of relationship: RelationshipDescription, from owner: ObjectID) -> Bool {
        destinationsAhead[RelationshipOfObject(owner, relationship)] != nil
    }

    private func latest<T>(_ part: (Batch) -> T?) -> T? {
        for batch in batches.reversed() {
            guard let part = part(batch.content) else { continue }
            guard let stalenessInterval else { return part }
            return batch.arrival.duration(to: .now) <= stalenessInterval ? part : nil
        }
        return nil
    }

    mutating func add(_ batch: Batch) {
        if batch.rows.isEmpty && batch.destinations.isEmpty { return }
        if batches.count == PrefetchPolicy.maximumFetches { batches.removeFirst() }
        batches.append((batch, .now))
    }

    mutating func add(_ rows: [ObjectID: Row]) {
        if rowsAhead.count + rows.count > PrefetchPolicy.maximumRows { rowsAhead = [:] }
        rowsAhead.merge(rows) { $1 }
    }

    /// Adds the rows of the members of several owners.
    mutating func add(_ rows: [[Row]], of relationship: RelationshipDescription, from owners: [ObjectID]) {
        let count = rows.reduce(0) { $0 + $1.count }
        if memberCount + count > PrefetchPolicy.maximumRows { (membersAhead, memberCount) = ([:], 0) }
        for (owner, rows) in zip(owners, rows) where !rows.isEmpty {
            membersAhead[RelationshipOfObject(owner, relationship)] = rows
        }
        memberCount += count
    }

    /// Returns the rows that were read with the members of an owner.
    func memberRows(of relationship: RelationshipDescription, from owner: ObjectID) -> [Row]? {
        membersAhead.isEmpty ? nil : membersAhead[RelationshipOfObject(owner, relationship)]
    }

    /// Keeps the rows of an owner's members until a member fires, to whose objects they were given.
    mutating func watch(_ member: ObjectID?, of relationship: RelationshipDescription, from owner: ObjectID) {
        watched = member.map { (RelationshipOfObject(owner, relationship), $0) }
    }

    /// Removes the rows of the members that were made last, if the one fired that is watched.
    mutating func didFire(_ member: ObjectID) {
        guard let (owner, watchedMember) = watched, watchedMember == member else { return }
        watched = nil
        memberCount -= membersAhead.removeValue(forKey: owner)?.count ?? 0
    }

    mutating func add(_ ids: [ObjectID], of relationship: RelationshipDescription, from owner: ObjectID) {
        if destinationsAhead.count >= PrefetchPolicy.batchSize { destinationsAhead = [:] }
        destinationsAhead[RelationshipOfObject(owner, relationship)] = ids
    }

    /// Removes the row of an object, and all destinations and their rows, which may include the object.
    mutating func remove(_ id: ObjectID) {
        for index in batches.indices {
            batches[index].content.rows[id] = nil
            batches[index].content.destinations = [:]
        }
        rowsAhead[id] = nil
        (destinationsAhead, membersAhead, memberCount, watched) = ([:], [:], 0, nil)
    }

    mutating func removeAll() {
        (batches, rowsAhead) = ([], [:])
        (destinationsAhead, membersAhead, memberCount, watched) = ([:], [:], 0, nil)
    }
}
