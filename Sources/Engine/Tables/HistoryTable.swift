/// The history of a store of tables, by the numbers of its transactions; versions share what does not change.
struct HistoryTable: Sendable {
    /// The order of the numbers.
    private struct Order: EntryOrder {
        func precedes(_ a: HistoryRecord, _ b: HistoryRecord) -> Bool { a.number < b.number }
    }

    private var tree = EntryTree<Order>()

    init(_ records: [HistoryRecord] = []) {
        if !records.isEmpty { tree = EntryTree(sorted: records.sorted { $0.number < $1.number }) }
    }

    /// All records, in order.
    var records: [HistoryRecord] { records(0..<tree.count) }

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
        var record = record
        record.number = try record.number(after: last?.number ?? 0, path: path)
        tree.put(record, Order())
        return record.number
    }

    /// Replaces the first records by a mark.
    mutating func delete(through mark: HistoryRecord) {
        let first = tree.lowerBound { $0.number <= mark.number }
        tree = EntryTree(sorted: [mark] + records(first..<tree.count))
    }

    func answer(_ query: HistoryQuery) -> [HistoryRecord] {
        let first = tree.lowerBound { $0.number <= query.after }
        let end = max(first, tree.lowerBound { $0.number <= query.through })
        let count = max(0, min(query.limit, end - first))
        return query.answer(records(query.isReversed ? end - count..<end : first..<first + count))
    }
}
