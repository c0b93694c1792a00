import CStrataLMDB
import StrataEngine

/// Finds the files that a store's rows reference, without a model: each value that looks like a name with its tag.
// Safe: it lives within its transaction.
@safe struct ExternalNames {
    private let transaction: OpaquePointer
    private let hierarchies: [MDB_dbi]
    /// The slots that may hold bytes, by the entity's number.
    private let slots: [Int: [Slot]]

    /// Creates the list of a store's files in a transaction; its databases are open already.
    init(_ transaction: OpaquePointer, _ environment: LMDBEnvironment, _ catalog: Catalog) {
        unsafe self.transaction = transaction
        hierarchies = ExternalNames.databases(catalog).compactMap { environment.knownDatabase($0.name) }
        slots = catalog.entities.reversed().reduce(into: [:]) { slots, entity in
            slots[entity.number] = entity.slots.typedIndices().filter { SlotKind(rawValue: entity.slots[$0].kind)?.isVariable ?? false }
        }
    }

    /// Returns the databases of the rows of all entities.
    static func databases(_ catalog: Catalog) -> [(name: String, kind: LMDBEnvironment.DatabaseKind)] {
        Set(catalog.entities.map(\.root)).sorted().map { (Names.rows(root: $0), .rows) }
    }

    /// Calls `body` with the names, until it returns false.
    func forEach(_ body: (String) -> Bool) throws {
        for hierarchy in hierarchies {
            let cursor = try unsafe Cursor(transaction, hierarchy)
            var found = try cursor.move(MDB_FIRST)
            while found {
                if unsafe !forEach(in: cursor.value.bytes, body) { return }
                found = try cursor.move(MDB_NEXT)
            }
        }
    }

    private func forEach(in row: UnsafeRawBufferPointer, _ body: (String) -> Bool) -> Bool {
        guard row.count >= RowLayout.headerSize else { return true }
        let number = unsafe row.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        guard number & MappedRows.taggedBit != 0 else { return true }
        for slot in slots[Int(number & ~MappedRows.taggedBit)] ?? [] {
            let offset = RowLayout.offset(ofSlot: slot)
            guard offset + 8 <= row.count else { break }
            let word = unsafe row.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let (start, count) = (Int(word & 0xFFFF_FFFF), Int(word >> 32))
            guard count == ExternalTag.fileContentLength, start <= row.count - count,
                let name = unsafe ExternalTag.fileName(in: UnsafeRawBufferPointer(rebasing: row[start..<(start + count)]))
            else { continue }
            if !body(name) { return false }
        }
        return true
    }
}

extension ExternalValuesOfStore {
    /// Creates the list of a store that is about to be removed, replaced or copied.
    ///
    /// The first call must be outside of any transaction.
    init(_ environment: LMDBEnvironment, _ operation: StoreError.Operation) throws {
        let deadline = Deadline(after: 10)
        try SchemaOpener.findDatabases([(Names.store, .records)], in: environment, until: deadline)
        let head = try environment.read(operation) { try unsafe SchemaOpener.head(in: $0.handle, environment) }
        guard let head else { throw StoreError(.foreign, operation, "the file holds no store", path: environment.path) }
        try SchemaOpener.findDatabases(ExternalNames.databases(head.catalog), in: environment, until: deadline)
        try self.init(of: head.metadata.storeID, at: environment.path) { body in
            try environment.read(operation) { try unsafe ExternalNames($0.handle, environment, head.catalog).forEach(body) }
        }
    }
}
