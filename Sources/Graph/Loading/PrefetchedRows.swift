import StrataModel

/// Rows that fetches brought along for faults that are still to fire.
///
/// Objects do not keep their destinations alive, so the rows wait here: those of the latest fetches, until the context saves or is reset.
struct PrefetchedRows {
    private static let greatestCount = 8
    private var batches: [[ObjectID: Row]] = []

    /// The row of an object, the latest that came.
    subscript(id: ObjectID) -> Row? {
        for batch in batches.reversed() {
            if let row = batch[id] { return row }
        }
        return nil
    }

    /// Takes the rows of one fetch; those of the oldest go.
    mutating func add(_ rows: [ObjectID: Row]) {
        if rows.isEmpty { return }
        if batches.count == PrefetchedRows.greatestCount { batches.removeFirst() }
        batches.append(rows)
    }

    /// Forgets the row of an object.
    mutating func remove(_ id: ObjectID) {
        for index in batches.indices { batches[index][id] = nil }
    }

    mutating func removeAll() { batches = [] }
}
