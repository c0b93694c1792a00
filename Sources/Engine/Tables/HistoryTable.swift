/// The history of a store of tables, by the numbers of its transactions; versions share what does not change.
struct HistoryTable: Sendable {
    /// The order of the numbers.
    private struct Order: EntryOrder {
        func precedes(_ a: HistoryRecord, _ b: HistoryRecord) -> Bool { a.number < b.number }
    }

    private var tree = EntryTree<Order>()
    /// Whether the records could not be read.
    private let isDamaged: Bool

    /// Creates a history of records, which are in order; `nil` for damaged ones.
    init(_ records: [HistoryRecord]? = []) {
        isDamaged = records == nil
        if let records, !records.isEmpty { tree = EntryTree(sorted: records) }
    }

    /// All records, in order; `nil` for damaged ones.
    var records: [HistoryRecord]? { isDamaged ? nil : records(0..<tree.count) }

    private func check(_ operation: StoreError.Operation, _ path: String?) throws(StoreError) {
        if isDamaged { throw StoreError(.corrupt, operation, "malformed transaction in the history", path: path) }
    }

    /// The last record; `nil` without any.
    private var last: HistoryRecord? { records(tree.count - 1..<tree.count).first }

    private func records(_ positions: Range<Int>) -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        tree.forEach(in: positions.clamped(to: 0..<tree.count)) { record in
            records.append(record)
            return true
        }
        return records
    }

    /// Adds a record, and returns its number; throws `StoreError` where it does not follow the last one.
    mutating func append(_ record: HistoryRecord, path: String?) throws(StoreError) -> Int64 {
        try check(.save, path)
        var record = record
        record.number = try record.number(after: last?.number ?? 0, path: path)
        tree.put(record, Order())
        return record.number
    }

    /// Replaces the first records by a mark; throws `StoreError` where they are damaged.
    mutating func delete(through mark: HistoryRecord, path: String?) throws(StoreError) {
        try check(.save, path)
        let first = tree.lowerBound { $0.number <= mark.number }
        tree = EntryTree(sorted: [mark] + records(first..<tree.count))
    }

    /// Returns the records of a query; throws `StoreError` where they are damaged.
    func answer(_ query: HistoryQuery, path: String?) throws(StoreError) -> [HistoryRecord] {
        try check(.fetch, path)
        let first = tree.lowerBound { $0.number <= query.after }
        let end = max(first, tree.lowerBound { $0.number <= query.through })
        let count = max(0, min(query.limit, end - first))
        return query.answer(records(query.isReversed ? end - count..<end : first..<first + count))
    }
}
