import BenchLMDB

/// One LMDB environment with its named databases.
final class LMDBEnvironment {
    /// How a database's keys and values are ordered.
    enum Shape {
        /// 64-bit integer → record.
        case records
        /// bytes → 64-bit integer.
        case names
        /// 64-bit integer → sorted 64-bit integers.
        case index

        fileprivate var flags: UInt32 {
            switch self {
            case .records: UInt32(MDB_INTEGERKEY)
            case .names: 0
            case .index: UInt32(MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
            }
        }
    }

    private let handle: OpaquePointer
    private(set) var databases: [MDB_dbi] = []

    /// Opens or creates; `shapes` gives the databases, named by their place.
    init(path: String, mapSize: Int, shapes: [Shape]) throws {
        var environment: OpaquePointer?
        try Self.check(mdb_env_create(&environment), "create")
        guard let environment else { throw LibraryError(library: "LMDB", operation: "create", message: "no environment") }
        handle = environment
        try Self.check(mdb_env_set_mapsize(handle, mapSize), "map size")
        try Self.check(mdb_env_set_maxdbs(handle, UInt32(shapes.count)), "databases")
        try Self.check(mdb_env_open(handle, path, UInt32(MDB_NOSUBDIR), 0o644), "open \(path)")
        var opened: [MDB_dbi] = []
        _ = try write { transaction in
            for (place, shape) in shapes.enumerated() {
                var database: MDB_dbi = 0
                try Self.check(
                    mdb_dbi_open(transaction.handle, "\(place)", shape.flags | UInt32(MDB_CREATE), &database),
                    "open database \(place)"
                )
                opened.append(database)
            }
        }
        databases = opened
    }

    func close() { mdb_env_close(handle) }

    func read<Result>(_ body: (LMDBTransaction) throws -> Result) throws -> Result {
        let transaction = try begin(UInt32(MDB_RDONLY))
        defer { mdb_txn_abort(transaction.handle) }
        return try body(transaction)
    }

    func write<Result>(_ body: (LMDBTransaction) throws -> Result) throws -> Result {
        let transaction = try begin(0)
        let result: Result
        do {
            result = try body(transaction)
        } catch {
            mdb_txn_abort(transaction.handle)
            throw error
        }
        try Self.check(mdb_txn_commit(transaction.handle), "commit")
        return result
    }

    private func begin(_ flags: UInt32) throws -> LMDBTransaction {
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(handle, nil, flags, &transaction), "begin")
        guard let transaction else { throw LibraryError(library: "LMDB", operation: "begin", message: "no transaction") }
        return LMDBTransaction(handle: transaction)
    }

    static func check(_ status: Int32, _ operation: String) throws {
        guard status == 0 else {
            throw LibraryError(library: "LMDB", operation: operation, message: String(cString: mdb_strerror(status)))
        }
    }
}

/// A transaction; values that it answers point into the map and live as long as it, or until the next write.
struct LMDBTransaction {
    let handle: OpaquePointer

    func put(_ database: MDB_dbi, _ key: Int64, _ value: UnsafeRawBufferPointer, flags: Int32 = 0) throws {
        try withUnsafeBytes(of: key) { try put(database, $0, value, flags: flags) }
    }

    func put(_ database: MDB_dbi, _ key: Int64, _ value: Int64, flags: Int32 = 0) throws {
        try withUnsafeBytes(of: value) { try put(database, key, $0, flags: flags) }
    }

    func put(_ database: MDB_dbi, _ key: String, _ value: Int64) throws {
        var key = key
        try key.withUTF8 { key in try withUnsafeBytes(of: value) { try put(database, UnsafeRawBufferPointer(key), $0) } }
    }

    private func put(
        _ database: MDB_dbi,
        _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        flags: Int32 = 0
    ) throws {
        var keyValue = MDB_val(key)
        var dataValue = MDB_val(value)
        try LMDBEnvironment.check(mdb_put(handle, database, &keyValue, &dataValue, UInt32(bitPattern: flags)), "put")
    }

    func get(_ database: MDB_dbi, _ key: Int64) throws -> UnsafeRawBufferPointer? {
        try withUnsafeBytes(of: key) { try get(database, $0) }
    }

    func get(_ database: MDB_dbi, _ key: String) throws -> Int64? {
        var key = key
        return try key.withUTF8 { try get(database, UnsafeRawBufferPointer($0)) }?.loadUnaligned(as: Int64.self)
    }

    private func get(_ database: MDB_dbi, _ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        var keyValue = MDB_val(key)
        var dataValue = MDB_val()
        let status = mdb_get(handle, database, &keyValue, &dataValue)
        if status == MDB_NOTFOUND { return nil }
        try LMDBEnvironment.check(status, "get")
        return dataValue.bytes
    }

    /// Deletes a record, or every value of an index key.
    func delete(_ database: MDB_dbi, _ key: Int64) throws -> Bool {
        try withUnsafeBytes(of: key) { key in
            var keyValue = MDB_val(key)
            return try removed(mdb_del(handle, database, &keyValue, nil))
        }
    }

    /// Deletes one value of an index key.
    func delete(_ database: MDB_dbi, _ key: Int64, _ value: Int64) throws {
        _ = try withUnsafeBytes(of: key) { key in
            try withUnsafeBytes(of: value) { value in
                var keyValue = MDB_val(key)
                var dataValue = MDB_val(value)
                return try removed(mdb_del(handle, database, &keyValue, &dataValue))
            }
        }
    }

    func delete(_ database: MDB_dbi, _ key: String) throws {
        var key = key
        _ = try key.withUTF8 { key in
            var keyValue = MDB_val(UnsafeRawBufferPointer(key))
            return try removed(mdb_del(handle, database, &keyValue, nil))
        }
    }

    private func removed(_ status: Int32) throws -> Bool {
        if status == MDB_NOTFOUND { return false }
        try LMDBEnvironment.check(status, "delete")
        return true
    }

    func count(_ database: MDB_dbi) throws -> Int {
        var statistics = MDB_stat()
        try LMDBEnvironment.check(mdb_stat(handle, database, &statistics), "count")
        return statistics.ms_entries
    }

    /// Every pair in key order.
    func scan(_ database: MDB_dbi, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void) throws {
        try cursor(database, key: nil, first: MDB_FIRST, next: MDB_NEXT) {
            try body($0, $1)
            return true
        }
    }

    /// The pairs from a key on, as long as `body` answers true.
    func scan(
        _ database: MDB_dbi,
        from key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try cursor(database, key: key, first: MDB_SET_RANGE, next: MDB_NEXT, body)
    }

    /// The values of one index key.
    func values(_ database: MDB_dbi, of key: Int64) throws -> [Int64] {
        var values: [Int64] = []
        try withUnsafeBytes(of: key) { key in
            try cursor(database, key: key, first: MDB_SET_KEY, next: MDB_NEXT_DUP) { _, value in
                values.append(value.loadUnaligned(as: Int64.self))
                return true
            }
        }
        return values
    }

    private func cursor(
        _ database: MDB_dbi,
        key: UnsafeRawBufferPointer?,
        first: MDB_cursor_op,
        next: MDB_cursor_op,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var cursor: OpaquePointer?
        try LMDBEnvironment.check(mdb_cursor_open(handle, database, &cursor), "cursor")
        defer { mdb_cursor_close(cursor) }
        var keyValue = key.map { MDB_val($0) } ?? MDB_val()
        var dataValue = MDB_val()
        var status = mdb_cursor_get(cursor, &keyValue, &dataValue, first)
        while status == 0 {
            guard try body(keyValue.bytes, dataValue.bytes) else { return }
            status = mdb_cursor_get(cursor, &keyValue, &dataValue, next)
        }
        if status != MDB_NOTFOUND { try LMDBEnvironment.check(status, "scan") }
    }
}

extension MDB_val {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        // LMDB only reads through the pointers of keys and values that it is given.
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    fileprivate var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
