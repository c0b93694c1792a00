import CStrataLMDB
import StrataEngine

/// Entries of one index, sorted before they are written.
struct KeyBatch {
    private struct Entry {
        let start: Int
        let length: Int
        let reference: Int64
        /// The first eight bytes, which mostly determine the order.
        let beginning: UInt64
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var pairs: [(key: Int64, reference: Int64)] = []

    var isEmpty: Bool { entries.isEmpty && pairs.isEmpty }

    /// Adds the entry of a row, if it has one.
    mutating func add(_ row: Row, _ index: StoreSchema.Index, _ encoder: inout KeyEncoder) {
        if index.isInverse {
            guard let slot = index.elements.first?.slot, let destination = row.integer(slot) else { return }
            pairs.append((destination, row.reference))
        } else if encoder.encode(row, index.elements, isUnique: index.isUnique) {
            let beginning = (0..<8).reduce(0 as UInt64) { $0 << 8 | UInt64($1 < encoder.bytes.count ? encoder.bytes[$1] : 0) }
            entries.append(Entry(start: bytes.count, length: encoder.bytes.count, reference: row.reference, beginning: beginning))
            bytes.append(contentsOf: encoder.bytes)
        }
    }

    /// Visits the entries in the order of the index.
    mutating func forEach(_ body: (UnsafeRawBufferPointer, Int64) throws -> Void) throws {
        if pairs.count > 1 { pairs.sort { $0.key == $1.key ? $0.reference < $1.reference : $0.key < $1.key } }
        for pair in pairs { try unsafe withUnsafeBytes(of: pair.key) { try unsafe body($0, pair.reference) } }
        if let only = entries.first, entries.count == 1 {
            return try unsafe bytes.withUnsafeBytes { try unsafe body($0, only.reference) }
        }
        var entries = entries
        try unsafe bytes.withUnsafeBytes { bytes in
            func key(_ entry: Entry) -> UnsafeRawBufferPointer {
                unsafe UnsafeRawBufferPointer(rebasing: bytes[entry.start..<(entry.start + entry.length)])
            }
            entries.sort { a, b in
                if a.beginning != b.beginning { return a.beginning < b.beginning }
                let order = unsafe compareBytes(key(a), key(b))
                return order == .equal ? a.reference < b.reference : order == .less
            }
            for entry in entries { try unsafe body(key(entry), entry.reference) }
        }
    }
}

struct IndexChanges {
    let index: StoreSchema.Index
    var removals = KeyBatch()
    var additions = KeyBatch()
    /// Rows with an element whose file is lost: their entries are removed although their keys are unknown.
    var lost: Set<Int64> = []

    /// Whether the entries of new rows were added.
    private(set) var hasInserted = false

    init(_ index: StoreSchema.Index) { self.index = index }

    /// Adds the entries of those new rows that belong to the index.
    mutating func addInserted(_ rows: [Row]) {
        hasInserted = true
        var encoder = KeyEncoder()
        let (index, entities) = (index, index.entities)
        for row in rows where entities.contains(row.entityIndex) { additions.add(row, index, &encoder) }
    }

    /// Returns whether an addition may violate a constraint: its key, perhaps cut, is in the index, or another's.
    mutating func areContested(_ transaction: OpaquePointer) throws -> Bool {
        guard index.isUnique, !additions.isEmpty else { return false }
        let cursor = try unsafe Cursor(transaction, index.database)
        var last: UnsafeRawBufferPointer?
        var isContested = false
        try unsafe additions.forEach { key, _ in
            if isContested { return }
            isContested = try unsafe last.map { unsafe compareBytes($0, key) == .equal } ?? false || cursor.seek(key, MDB_SET_KEY)
            unsafe last = key
        }
        return isContested
    }

    /// Writes the changes: removals first, so that rows can swap unique values.
    ///
    /// - Parameters:
    ///   - isUncontested: Whether no addition violates a constraint.
    ///   - isTaken: Returns whether the row with an existing key really has the values of another.
    /// - Returns: The pairs of rows with equal unique values, the changed one first.
    mutating func write(
        _ transaction: OpaquePointer, _ path: String, isUncontested: Bool = false, isTaken: (Int64, Int64) throws -> Bool
    ) throws -> [(reference: Int64, other: Int64)] {
        if removals.isEmpty && additions.isEmpty && lost.isEmpty { return [] }
        let (name, isUnique) = (index.name, index.isUnique && !isUncontested)
        let cursor = try unsafe Cursor(transaction, index.database)
        try unsafe removals.forEach { key, reference in
            try unsafe withUnsafeBytes(of: reference) { value in
                guard try unsafe cursor.seek(key, value, MDB_GET_BOTH) else {
                    throw StoreError.damaged("index \(name) lacks row \(reference)", path: path)
                }
                try cursor.remove()
            }
        }
        if !lost.isEmpty { try removeLost(cursor) }
        var collisions: [(Int64, Int64)] = []
        try unsafe additions.forEach { key, reference in
            if isUnique, let other = try unsafe IndexChanges.holder(of: key, cursor, path, { try isTaken(reference, $0) }) {
                collisions.append((reference, other))
            }
            try unsafe withUnsafeBytes(of: reference) { _ = try unsafe cursor.put(key, $0, MDB_NODUPDATA) }
        }
        return collisions
    }

    /// - Complexity: O(n) in the entries of the index.
    private func removeLost(_ cursor: Cursor) throws {
        var entries: [(key: [UInt8], reference: Int64)] = []
        var isFound = try cursor.move(MDB_FIRST)
        while isFound {
            if let reference = unsafe cursor.value.integer, lost.contains(reference) {
                unsafe entries.append(([UInt8](cursor.key.bytes), reference))
            }
            isFound = try cursor.move(MDB_NEXT)
        }
        for (key, reference) in entries {
            try unsafe key.withUnsafeBytes { key in
                try unsafe withUnsafeBytes(of: reference) { if try unsafe cursor.seek(key, $0, MDB_GET_BOTH) { try cursor.remove() } }
            }
        }
    }

    /// Returns the row with the values of a key; different values share cut keys.
    private static func holder(
        of key: UnsafeRawBufferPointer, _ cursor: Cursor, _ path: String, _ isTaken: (Int64) throws -> Bool
    ) throws -> Int64? {
        guard try unsafe cursor.seek(key, MDB_SET_KEY) else { return nil }
        repeat {
            guard let other = unsafe cursor.value.integer else { throw StoreError.damaged("an index holds no reference", path: path) }
            if !KeyEncoder.isCut(key.count) { return other }
            if try isTaken(other) { return other }
        } while try cursor.move(MDB_NEXT_DUP)
        return nil
    }
}
