import CStrataLMDB
import StrataStore

/// A link in one side's database: under the owner's reference, the other one's and, if ordered, its order key.
struct LinkEntry {
    let other: Int64
    /// `nil` in an unordered relationship.
    let order: OrderKey?

    /// Returns the bytes, which sort as the references do.
    func bytes(isOrdered: Bool) -> [UInt8] {
        var encoder = KeyEncoder()
        encoder.append(other)
        if isOrdered { encoder.append((order ?? .min).rawValue) }
        return encoder.bytes
    }

    init(other: Int64, order: OrderKey?) {
        self.other = other
        self.order = order
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 8 || bytes.count == 16 else { return nil }
        other = unsafe LinkEntry.number(bytes, 0)
        order = unsafe bytes.count == 16 ? OrderKey(rawValue: LinkEntry.number(bytes, 8)) : nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int64 {
        unsafe Int64(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ (1 << 63))
    }

    /// Returns the links of an owner, by the other's reference.
    static func entries(_ transaction: OpaquePointer, _ database: MDB_dbi, of owner: Int64) throws -> [LinkEntry] {
        var entries: [LinkEntry] = []
        let cursor = try unsafe Cursor(transaction, database)
        guard try cursor.seek(owner, MDB_SET_KEY) else { return [] }
        repeat { try entries.append(entry(cursor)) } while try cursor.move(MDB_NEXT_DUP)
        return entries
    }

    static func each(_ transaction: OpaquePointer, _ database: MDB_dbi, _ body: (Int64, LinkEntry) throws -> Void) throws {
        let cursor = try unsafe Cursor(transaction, database)
        var found = try cursor.move(MDB_FIRST)
        while found {
            guard let owner = unsafe cursor.key.integer else { throw StoreError.damaged("a link has no owner", path: nil) }
            try body(owner, try entry(cursor))
            found = try cursor.move(MDB_NEXT)
        }
    }

    /// Moves to a link, whatever its order key.
    static func find(_ owner: Int64, _ other: Int64, isOrdered: Bool, _ cursor: Cursor) throws -> LinkEntry? {
        let found = try unsafe withUnsafeBytes(of: owner) { key in
            try unsafe LinkEntry(other: other, order: .min).bytes(isOrdered: isOrdered).withUnsafeBytes {
                try unsafe cursor.seek(key, $0, MDB_GET_BOTH_RANGE)
            }
        }
        guard found else { return nil }
        let entry = try entry(cursor)
        return entry.other == other ? entry : nil
    }

    static func entry(_ cursor: Cursor) throws -> LinkEntry {
        guard let entry = unsafe LinkEntry(cursor.value.bytes) else { throw StoreError.damaged("a link is damaged", path: nil) }
        return entry
    }
}
