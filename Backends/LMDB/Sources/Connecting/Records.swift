import CStrataLMDB
import StrataFiles
import StrataPlatform

extension MDB_val {
    /// Creates a value over bytes, valid as long as their memory.
    init(_ bytes: UnsafeRawBufferPointer) {
        // LMDB only reads through the pointers of keys and values.
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size) }

    var integer: Int64? { unsafe mv_size == 8 ? bytes.loadUnaligned(as: Int64.self) : nil }
}

func beginTransaction(_ environment: OpaquePointer, _ flags: Int32 = 0) throws -> OpaquePointer {
    var begun: OpaquePointer?
    try unsafe LMDBStatus.check(mdb_txn_begin(environment, nil, UInt32(flags), &begun), "mdb_txn_begin")
    guard let transaction = unsafe begun else { throw LMDBStatus(code: EINVAL, call: "mdb_txn_begin") }
    return unsafe transaction
}

/// Single reads and writes in a transaction.
enum Records {
    static func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String) throws -> MDB_val? {
        var key = key
        return try key.withUTF8 { try unsafe get(transaction, database, UnsafeRawBufferPointer($0)) }
    }

    static func put(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String, _ bytes: [UInt8]) throws {
        var key = key
        try key.withUTF8 { key in
            try unsafe bytes.withUnsafeBytes { bytes in
                var keyValue = unsafe MDB_val(UnsafeRawBufferPointer(key))
                var value = unsafe MDB_val(bytes)
                try unsafe LMDBStatus.check(mdb_put(transaction, database, &keyValue, &value, 0), "mdb_put")
            }
        }
    }

    /// Returns the number in a record, `nil` if there is none; throws `MalformedBytes` for a damaged one.
    static func number(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String) throws -> Int64? {
        guard let stored = try unsafe get(transaction, database, key) else { return nil }
        var reader = try unsafe ByteReader(record: stored.bytes)
        return try reader.number()
    }

    static func put(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String, number: Int64) throws {
        var writer = ByteWriter()
        writer.put(number)
        try unsafe put(transaction, database, key, writer.record())
    }

    static func remove(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String) throws {
        var key = key
        try key.withUTF8 { key in
            var keyValue = unsafe MDB_val(UnsafeRawBufferPointer(key))
            _ = try unsafe LMDBStatus.found(mdb_del(transaction, database, &keyValue, nil), "mdb_del")
        }
    }

    @inline(__always)
    static func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: UnsafeRawBufferPointer) throws -> MDB_val? {
        var key = unsafe MDB_val(key)
        var value = unsafe MDB_val()
        return try unsafe LMDBStatus.found(mdb_get(transaction, database, &key, &value), "mdb_get") ? value : nil
    }

    @inline(__always)
    static func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: Int64) throws -> MDB_val? {
        try unsafe withUnsafeBytes(of: key) { try unsafe get(transaction, database, $0) }
    }

    /// Returns the number of entries, with duplicates.
    static func count(_ transaction: OpaquePointer, _ database: MDB_dbi) throws -> Int {
        var statistics = MDB_stat()
        try unsafe LMDBStatus.check(mdb_stat(transaction, database, &statistics), "mdb_stat")
        return Int(statistics.ms_entries)
    }
}

/// A position in a database; released, and so closed, within its transaction.
// Safe: uses of its handle, a key or a value are marked unsafe.
@safe final class Cursor {
    let handle: OpaquePointer
    // Exclusivity is not checked at run time: no access spans another.
    @unsafe @exclusivity(unchecked) private(set) var key = unsafe MDB_val()
    @unsafe @exclusivity(unchecked) private(set) var value = unsafe MDB_val()

    init(_ transaction: OpaquePointer, _ database: MDB_dbi) throws {
        var opened: OpaquePointer?
        try unsafe LMDBStatus.check(mdb_cursor_open(transaction, database, &opened), "mdb_cursor_open")
        guard let opened = unsafe opened else { throw LMDBStatus(code: EINVAL, call: "mdb_cursor_open") }
        unsafe handle = opened
    }

    deinit { unsafe mdb_cursor_close(handle) }

    /// Moves, and sets ``key`` and ``value``; false if there is no entry.
    @inline(__always)
    func move(_ operation: MDB_cursor_op) throws -> Bool {
        try unsafe LMDBStatus.found(mdb_cursor_get(handle, &key, &value, operation), "mdb_cursor_get")
    }

    func seek(_ key: UnsafeRawBufferPointer, _ operation: MDB_cursor_op) throws -> Bool {
        unsafe self.key = MDB_val(key)
        return try move(operation)
    }

    func seek(_ key: [UInt8], _ operation: MDB_cursor_op) throws -> Bool {
        try unsafe key.withUnsafeBytes { try unsafe seek($0, operation) }
    }

    /// Moves to the first key not before `start`, which may be empty, as LMDB's own keys may not.
    func seek(notBefore start: [UInt8]) throws -> Bool {
        if start.isEmpty { return try move(MDB_FIRST) }
        // Bounds longer than the maximum key length are cut before.
        return try unsafe start.withUnsafeBytes { try unsafe seek($0, MDB_SET_RANGE) }
    }

    func seek(_ reference: Int64, _ operation: MDB_cursor_op) throws -> Bool {
        try unsafe withUnsafeBytes(of: reference) { try unsafe seek($0, operation) }
    }

    /// Moves to an entry; false if there is none.
    func seek(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ operation: MDB_cursor_op) throws -> Bool {
        unsafe self.key = MDB_val(key)
        unsafe self.value = MDB_val(value)
        return try move(operation)
    }

    /// Writes an entry; false if it exists and the flags forbid that.
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ flags: Int32) throws -> Bool {
        unsafe self.key = MDB_val(key)
        unsafe self.value = MDB_val(value)
        let status = unsafe mdb_cursor_put(handle, &self.key, &self.value, UInt32(flags))
        if status == MDB_KEYEXIST { return false }
        try LMDBStatus.check(status, "mdb_cursor_put")
        return true
    }

    func remove() throws { try unsafe LMDBStatus.check(mdb_cursor_del(handle, 0), "mdb_cursor_del") }
}
