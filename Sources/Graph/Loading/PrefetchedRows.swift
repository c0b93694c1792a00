import StrataModel

/// Rows that fetches brought along for faults that are still to fire, and destinations of relationships that are still to be loaded.
///
/// Objects do not keep their destinations alive, so the rows wait here: those of the latest fetches, until the context saves or is reset.
struct PrefetchedRows {
    /// A to-many relationship of an object.
    fileprivate struct Way: Hashable {
        let owner: ObjectID
        let relationship: Int
    }

    /// What one fetch brought along.
    struct Batch {
        var rows: [ObjectID: Row] = [:]
        fileprivate var destinations: [Way: [ObjectID]] = [:]

        mutating func add(_ destinations: [ObjectID], of relationship: RelationshipDescription, from owner: ObjectID) {
            self.destinations[Way(owner: owner, relationship: relationship.index)] = destinations
        }
    }

    private static let greatestCount = 8
    private var batches: [(content: Batch, arrival: ContinuousClock.Instant)] = []
    /// How long a row is one to be used; `nil` for any time.
    var stalenessInterval: Duration?

    /// The row of an object, the latest that came.
    subscript(id: ObjectID) -> Row? { latest { $0.rows[id] } }

    /// The destinations of a to-many relationship of an object, the latest that came.
    func destinations(of relationship: RelationshipDescription, from owner: ObjectID) -> [ObjectID]? {
        latest { $0.destinations[Way(owner: owner, relationship: relationship.index)] }
    }

    private func latest<T>(_ part: (Batch) -> T?) -> T? {
        for batch in batches.reversed() {
            guard let part = part(batch.content) else { continue }
            guard let stalenessInterval else { return part }
            return batch.arrival.duration(to: .now) <= stalenessInterval ? part : nil
        }
        return nil
    }

    /// Takes what one fetch brought along; that of the oldest goes.
    mutating func add(_ batch: Batch) {
        if batch.rows.isEmpty && batch.destinations.isEmpty { return }
        if batches.count == PrefetchedRows.greatestCount { batches.removeFirst() }
        batches.append((batch, .now))
    }

    /// Forgets the row of an object, and all destinations: it may have been among any.
    mutating func remove(_ id: ObjectID) {
        for index in batches.indices {
            batches[index].content.rows[id] = nil
            batches[index].content.destinations = [:]
        }
    }

    mutating func removeAll() { batches = [] }
}
