import CStrataLMDB
import StrataStore

/// The database of the transactions of the store's history, by their numbers.
///
/// A value is the number of bytes before the body, then the time and the origin, sealed, and the body, which has a
/// checksum of its own: a query without bodies does not read their pages.
// Safe: it lives within its transaction.
@safe struct HistoryDatabase {
    private let transaction: OpaquePointer
    private let database: MDB_dbi
    private let path: String

    /// Finds the database of an open file; throws `StoreError` with `corrupt` where it has none.
    init(_ transaction: OpaquePointer, _ environment: LMDBEnvironment) throws {
        guard let database = environment.knownDatabase(Names.history) else {
            throw StoreError.damaged("the file has no database for its history", path: environment.path)
        }
        unsafe self.transaction = transaction
        self.database = database
        path = environment.path
    }

    /// Adds a record, and returns its number.
    func append(_ record: HistoryRecord) throws -> Int64 {
        let cursor = try unsafe Cursor(transaction, database)
        let number = try record.number(after: cursor.move(MDB_LAST) ? number(cursor) : 0, path: path)
        try put(record, as: number, cursor)
        return number
    }

    private func put(_ record: HistoryRecord, as number: Int64, _ cursor: Cursor) throws {
        var writer = ByteWriter()
        writer.put(record.time.bitPattern)
        writer.put(content: record.origin)
        let head = writer.record()
        var value = ByteWriter()
        value.put(count: head.count)
        value.put(raw: head)
        value.put(raw: record.body)
        _ = try unsafe withUnsafeBytes(of: number) { key in
            try unsafe value.bytes.withUnsafeBytes { try unsafe cursor.put(key, $0, 0) }
        }
    }

    /// Replaces the oldest records by a mark.
    func delete(through mark: HistoryRecord) throws {
        let cursor = try unsafe Cursor(transaction, database)
        while try cursor.move(MDB_FIRST), try number(cursor) <= mark.number { try cursor.remove() }
        try put(mark, as: mark.number, cursor)
    }

    /// Returns the records of a query, in its order.
    func records(_ query: HistoryQuery) throws -> [HistoryRecord] {
        guard query.after < .max, query.through > 0 else { return [] }
        let cursor = try unsafe Cursor(transaction, database)
        var records: [HistoryRecord] = []
        var isFound = try query.isReversed ? seekLast(cursor, query.through) : cursor.seek(max(query.after, 0) + 1, MDB_SET_RANGE)
        while isFound, records.count < query.limit {
            let record = try record(cursor, query.includesBodies)
            if query.isReversed ? record.number <= query.after : record.number > query.through { break }
            records.append(record)
            isFound = try cursor.move(query.isReversed ? MDB_PREV : MDB_NEXT)
        }
        return records
    }

    /// Moves to the last record up to a number.
    private func seekLast(_ cursor: Cursor, _ number: Int64) throws -> Bool {
        guard try cursor.seek(number, MDB_SET_RANGE) else { return try cursor.move(MDB_LAST) }
        return try self.number(cursor) == number ? true : cursor.move(MDB_PREV)
    }

    private func number(_ cursor: Cursor) throws -> Int64 {
        guard let number = unsafe cursor.key.integer, number > 0 else {
            throw StoreError.damaged("a key of the history is no number", path: path)
        }
        return number
    }

    private func record(_ cursor: Cursor, _ includesBody: Bool) throws -> HistoryRecord {
        do {
            let bytes = unsafe cursor.value.bytes
            var reader = unsafe ByteReader(bytes)
            let head = try unsafe reader.take(reader.count())
            let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[reader.offset...])
            var fields = try unsafe ByteReader(record: head)
            let time = Double(bitPattern: try fields.number())
            return HistoryRecord(
                number: try number(cursor), time: time, origin: unsafe Array(try fields.content()),
                body: includesBody ? unsafe Array(body) : [], byteCount: body.count)
        } catch is MalformedBytes {
            throw StoreError.damaged("malformed transaction in the history", path: path)
        }
    }
}

extension LMDBStore {
    func history(_ query: HistoryQuery) throws -> [HistoryRecord] {
        try checkOpen(.fetch)
        return try storeErrors(.fetch, path: environment.path) {
            try environment.read(.fetch) { try unsafe HistoryDatabase($0.handle, environment).records(query) }
        }
    }
}
