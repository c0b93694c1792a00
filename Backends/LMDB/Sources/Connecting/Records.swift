import CStrataLMDB
import Glibc

extension MDB_val {
    /// The bytes, valid as long as what they lie in.
    init(_ bytes: UnsafeRawBufferPointer) {
        // LMDB only reads through the pointers of keys and values that it is given.
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }

    /// The number in eight bytes; `nil` for another length.
    var integer: Int64? { mv_size == 8 ? bytes.loadUnaligned(as: Int64.self) : nil }
}

/// Single reads and writes in a transaction.
enum Records {
    static func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String) throws -> MDB_val? {
        var key = key
        return try key.withUTF8 { key in
            var keyValue = MDB_val(UnsafeRawBufferPointer(key))
            var value = MDB_val()
            return try LMDBStatus.found(mdb_get(transaction, database, &keyValue, &value), "mdb_get") ? value : nil
        }
    }

    static func put(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: String, _ bytes: [UInt8]) throws {
        var key = key
        try key.withUTF8 { key in
            try bytes.withUnsafeBytes { bytes in
                var keyValue = MDB_val(UnsafeRawBufferPointer(key))
                var value = MDB_val(bytes)
                try LMDBStatus.check(mdb_put(transaction, database, &keyValue, &value, 0), "mdb_put")
            }
        }
    }

    static func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: UnsafeRawBufferPointer) throws -> MDB_val? {
        var key = MDB_val(key)
        var value = MDB_val()
        return try LMDBStatus.found(mdb_get(transaction, database, &key, &value), "mdb_get") ? value : nil
    }

    @inline(__always)
    static func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: Int64) throws -> MDB_val? {
        try withUnsafeBytes(of: key) { key in
            var keyValue = MDB_val(key)
            var value = MDB_val()
            return try LMDBStatus.found(mdb_get(transaction, database, &keyValue, &value), "mdb_get") ? value : nil
        }
    }

    /// The number of entries, duplicates included.
    static func count(_ transaction: OpaquePointer, _ database: MDB_dbi) throws -> Int {
        var statistics = MDB_stat()
        try LMDBStatus.check(mdb_stat(transaction, database, &statistics), "mdb_stat")
        return Int(statistics.ms_entries)
    }
}

/// A place in a database; closed when it is released, which must be within its transaction.
final class Cursor {
    let handle: OpaquePointer
    /// The key and the value, in memory of their own: accesses to it need no check of exclusivity.
    private let pair: UnsafeMutablePointer<MDB_val>

    var key: MDB_val {
        get { pair[0] }
        set { pair[0] = newValue }
    }
    var value: MDB_val {
        get { pair[1] }
        set { pair[1] = newValue }
    }

    init(_ transaction: OpaquePointer, _ database: MDB_dbi) throws {
        var opened: OpaquePointer?
        try LMDBStatus.check(mdb_cursor_open(transaction, database, &opened), "mdb_cursor_open")
        guard let opened else { throw LMDBStatus(code: EINVAL, call: "mdb_cursor_open") }
        handle = opened
        pair = .allocate(capacity: 2)
        pair.initialize(repeating: MDB_val(), count: 2)
    }

    deinit {
        mdb_cursor_close(handle)
        pair.deallocate()
    }

    /// Moves; false where there is nothing.
    ///
    /// ``key`` and ``value`` are those of the place.
    @inline(__always)
    func move(_ operation: MDB_cursor_op) throws -> Bool {
        try LMDBStatus.found(mdb_cursor_get(handle, pair, pair + 1, operation), "mdb_cursor_get")
    }

    /// Moves to a key.
    func seek(_ key: UnsafeRawBufferPointer, _ operation: MDB_cursor_op) throws -> Bool {
        self.key = MDB_val(key)
        return try move(operation)
    }

    /// Moves to a key.
    func seek(_ key: [UInt8], _ operation: MDB_cursor_op) throws -> Bool { try key.withUnsafeBytes { try seek($0, operation) } }

    /// Moves to the first key that does not precede `start`, which may be empty, as LMDB's own keys may not.
    func seek(notBefore start: [UInt8]) throws -> Bool {
        if start.isEmpty { return try move(MDB_FIRST) }
        // Longer bounds than keys can be are cut before.
        return try start.withUnsafeBytes { try seek($0, MDB_SET_RANGE) }
    }

    /// Moves to a reference.
    func seek(_ reference: Int64, _ operation: MDB_cursor_op) throws -> Bool {
        try withUnsafeBytes(of: reference) { try seek($0, operation) }
    }

    /// Moves to an entry; false where there is none.
    func seek(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ operation: MDB_cursor_op) throws -> Bool {
        self.key = MDB_val(key)
        self.value = MDB_val(value)
        return try move(operation)
    }

    /// Writes an entry; false where it is there already and the flags forbid that.
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ flags: Int32) throws -> Bool {
        self.key = MDB_val(key)
        self.value = MDB_val(value)
        let status = mdb_cursor_put(handle, pair, pair + 1, UInt32(flags))
        if status == MDB_KEYEXIST { return false }
        try LMDBStatus.check(status, "mdb_cursor_put")
        return true
    }

    /// Removes the entry at the place.
    func remove() throws { try LMDBStatus.check(mdb_cursor_del(handle, 0), "mdb_cursor_del") }
}
