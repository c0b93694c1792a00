import StrataModel

/// Rows that fetches brought along for faults that are still to fire.
///
/// Objects do not keep their destinations alive, so the rows wait here: those of the latest fetches, until the context saves or is reset.
struct PrefetchedRows {
    private static let greatestCount = 8
    private var batches: [(rows: [ObjectID: Row], arrival: ContinuousClock.Instant)] = []
    /// How long a row is one to be used; `nil` for any time.
    var stalenessInterval: Duration?

    /// The row of an object, the latest that came.
    subscript(id: ObjectID) -> Row? {
        for batch in batches.reversed() {
            guard let row = batch.rows[id] else { continue }
            guard let stalenessInterval else { return row }
            return batch.arrival.duration(to: .now) <= stalenessInterval ? row : nil
        }
        return nil
    }

    /// Takes the rows of one fetch; those of the oldest go.
    mutating func add(_ rows: [ObjectID: Row]) {
        if rows.isEmpty { return }
        if batches.count == PrefetchedRows.greatestCount { batches.removeFirst() }
        batches.append((rows, .now))
    }

    /// Forgets the row of an object.
    mutating func remove(_ id: ObjectID) {
        for index in batches.indices { batches[index].rows[id] = nil }
    }

    mutating func removeAll() { batches = [] }
}
