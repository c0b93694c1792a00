import CStrataLMDB
import StrataPlatform
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
        try put(record, as: number, cursor, MDB_APPEND)
        return number
    }

    /// Writes a record in its page.
    private func put(_ record: HistoryRecord, as number: Int64, _ cursor: Cursor, _ flags: Int32 = 0) throws {
        // The time, the length of the origin and the origin, and their checksum.
        let end = 24 + record.origin.count
        let size = end + 4 + record.body.count
        // Of the value only the size is read.
        guard
            try unsafe withUnsafeBytes(
                of: number, { try unsafe cursor.put($0, UnsafeRawBufferPointer(start: $0.baseAddress, count: size), flags | MDB_RESERVE) }),
            let start = unsafe cursor.value.mv_data
        else { throw StoreError.damaged("a key of the history is no number", path: path) }
        func write(_ number: some FixedWidthInteger, at offset: Int) {
            unsafe start.storeBytes(of: number.littleEndian, toByteOffset: offset, as: type(of: number))
        }
        func write(_ bytes: [UInt8], at offset: Int) {
            unsafe bytes.withUnsafeBytes { if let source = $0.baseAddress { unsafe memcpy(start + offset, source, $0.count) } }
        }
        write(Int64(end - 4), at: 0)
        write(record.time.bitPattern, at: 8)
        write(Int64(record.origin.count), at: 16)
        write(record.origin, at: 24)
        unsafe write(CRC32C.checksum(of: UnsafeRawBufferPointer(start: start + 8, count: end - 8)), at: end)
        write(record.body, at: end + 4)
    }

    /// Replaces the oldest records by a mark.
    func delete(through mark: HistoryRecord) throws {
        let cursor = try unsafe Cursor(transaction, database)
        while try cursor.move(MDB_FIRST), try number(cursor) <= mark.number { try cursor.remove() }
        try put(mark, as: mark.number, cursor)
    }

    /// Replaces all records by a mark.
    func replace(by mark: HistoryRecord) throws {
        try unsafe LMDBStatus.check(mdb_drop(transaction, database, 0), "mdb_drop")
        try unsafe put(mark, as: mark.number, Cursor(transaction, database))
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
