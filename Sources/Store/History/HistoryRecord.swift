/// A transaction in the history of a store, as the store keeps it: a number and bytes that only the core interprets.
///
/// A store keeps records by their numbers. The oldest one may have no body: it is the mark that it, and all before it,
/// were deleted. So the last number of a store outlives its transactions, and no number is used twice.
public struct HistoryRecord: Sendable, Hashable {
    /// The number of the transaction: greater than those of all transactions that were visible before it.
    public var number: Int64
    /// The time of the transaction, in seconds since 2001.
    public var time: Double
    /// The author and the process of the transaction, see ``HistoryOrigin``.
    public var origin: [UInt8]
    /// The changes, see ``HistoryBody``; empty in the mark of deleted transactions, and where a query leaves it out.
    public var body: [UInt8]
    /// The number of bytes of the origin and the body, also where the body is left out.
    public var byteCount: Int

    /// Creates a record, by default one that the store numbers.
    ///
    /// - Parameters:
    ///   - number: The number; 0 for the next one of the store.
    ///   - time: The time, in seconds since 2001.
    ///   - origin: The bytes of the origin.
    ///   - body: The bytes of the changes.
    ///   - byteCount: The number of bytes of the body where it is left out.
    public init(number: Int64 = 0, time: Double, origin: [UInt8], body: [UInt8], byteCount: Int? = nil) {
        self.number = number
        self.time = time
        self.origin = origin
        self.body = body
        self.byteCount = origin.count + (byteCount ?? body.count)
    }

    /// Returns the mark of deleted transactions, the last of which has a number and time.
    public static func deleted(through number: Int64, time: Double) -> HistoryRecord {
        HistoryRecord(number: number, time: time, origin: [], body: [])
    }

    /// Whether the record is the mark of deleted transactions; an ordinary one has an origin.
    public var marksDeletion: Bool { origin.isEmpty }
}

/// The records of a history to read: those with numbers in a range, in order.
public struct HistoryQuery: Sendable, Hashable {
    /// The number before the first one; 0 for all.
    public var after: Int64
    /// The greatest number.
    public var through: Int64
    /// The greatest number of records.
    public var limit: Int
    /// Whether the latest records come first.
    public var isReversed: Bool
    /// Whether the records have their bodies; without them a store reads less.
    public var includesBodies: Bool
    /// Whether records are read although earlier ones may follow, whose transactions are under way; false by default.
    ///
    /// Only a store with several writers at a time has such records.
    public var includesUnordered: Bool

    /// Creates a query, by default for all records.
    public init(
        after: Int64 = 0, through: Int64 = .max, limit: Int = .max, isReversed: Bool = false, includesBodies: Bool = true,
        includesUnordered: Bool = false
    ) {
        self.after = after
        self.through = through
        self.limit = limit
        self.isReversed = isReversed
        self.includesBodies = includesBodies
        self.includesUnordered = includesUnordered
    }

    /// Returns the records of the query among those of a history, which are in order.
    public func answer(_ records: some BidirectionalCollection<HistoryRecord>) -> [HistoryRecord] {
        func select(_ records: some Sequence<HistoryRecord>) -> [HistoryRecord] {
            var found: [HistoryRecord] = []
            for record in records {
                if found.count >= limit || (isReversed ? record.number <= after : record.number > through) { break }
                if isReversed ? record.number > through : record.number <= after { continue }
                found.append(record)
                if !includesBodies { found[found.count - 1].body = [] }
            }
            return found
        }
        return isReversed ? select(records.reversed()) : select(records)
    }
}
