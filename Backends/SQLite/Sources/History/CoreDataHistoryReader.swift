import StrataModel
import StrataSQL
import StrataStore

/// Reads the transactions of a persistent history in Core Data's tables, as records of Strata's.
struct CoreDataHistoryReader {
    private let store: SQLiteStore
    private let connection: Connection
    private let columns: CoreDataHistoryColumns
    /// The estimated number of bytes of a change.
    private static let bytesPerChange = 32
    /// The author of a migration, as Core Data names it.
    private static let migrator = "com.apple.coredata.schemamigrator"

    init(_ store: SQLiteStore, _ connection: Connection, _ columns: CoreDataHistoryColumns) {
        (self.store, self.connection, self.columns) = (store, connection, columns)
    }

    /// Returns the records of a query; the first one is the mark of deleted transactions where there were earlier ones.
    func records(_ query: HistoryQuery) throws -> [HistoryRecord] {
        let mark = try deletionMark()
        let hasMark = mark.map { $0.number > query.after && $0.number <= query.through } ?? false
        if let mark, hasMark, !query.isReversed {
            var rest = query
            rest.limit -= 1
            return query.limit > 0 ? [mark] + (try transactions(rest)) : []
        }
        let found = try transactions(query)
        if let mark, hasMark, found.count < query.limit { return found + [mark] }
        return found
    }

    /// Returns the mark of the transactions before the first one, which have been deleted: the first one ever has the number 1.
    private func deletionMark() throws -> HistoryRecord? {
        let statement = try connection.statement("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK LIMIT 1")
        defer { statement.reset() }
        if try statement.step(.fetch) {
            let number = statement.integer(0) - 1
            return number > 0 ? .deleted(through: number, time: statement.double(1)) : nil
        }
        let last = try CoreDataHistoryTables(connection: connection, operation: .fetch).lastKey(.transaction)
        return last > 0 ? .deleted(through: last, time: 0) : nil
    }

    private func transactions(_ query: HistoryQuery) throws -> [HistoryRecord] {
        let texts = CoreDataHistoryTables.texts.map { name in
            let shared = "(SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(name)TS)"
            let own = columns.transaction.contains(name) ? "t.\(name)" : "NULL"
            return columns.transaction.contains(name + "TS") ? "ifnull(\(shared), \(own))" : own
        }
        let edges = ["max", "min"].map { "(SELECT \($0)(Z_PK) FROM ACHANGE WHERE ZTRANSACTIONID = t.Z_PK)" }
        let count = query.includesBodies ? "0" : "ifnull(\(edges[0]) - \(edges[1]) + 1, 0)"
        let statement = try connection.statement(
            """
            SELECT t.Z_PK, t.ZTIMESTAMP, \(texts.joined(separator: ", ")), \(count) FROM ATRANSACTION t \(query.range(of: "t.Z_PK"))
            """)
        return try query.records(statement) { statement in
            let (number, author, process) = (statement.integer(0), statement.text(2), statement.text(5))
            var origin = HistoryOrigin(
                author?.hasPrefix(CoreDataHistoryReader.migrator) == true ? .migration : .save, author: author,
                contextName: statement.text(4), processName: process)
            if let bundle = statement.text(3), bundle != process { origin.bundleID = bundle }
            let body = query.includesBodies ? try body(of: number) : []
            let byteCount = Int(clamping: statement.integer(6).multipliedReportingOverflow(by: Int64(Self.bytesPerChange)).partialValue)
            return HistoryRecord(
                number: number, time: statement.double(1), origin: origin.encoded, body: body,
                byteCount: query.includesBodies ? nil : byteCount)
        }
    }

    // MARK: - Changes

    private func body(of transaction: Int64) throws -> [UInt8] {
        let preserved = (0..<columns.tombstones).map { ", ZTOMBSTONE\($0)" }.joined()
        let statement = try connection.statement(
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(preserved) FROM ACHANGE WHERE ZTRANSACTIONID = ?1 ORDER BY Z_PK")
        defer { statement.reset() }
        statement.bind(transaction, at: 1)
        var writer = HistoryBodyWriter(store.model)
        var masks: [Mask: [Int]] = [:]
        while try statement.step(.fetch) {
            // Of other entities, such as Core Data's own for its synchronization, there is nothing to report.
            guard let index = store.schema.entity(ofNumber: statement.integer(1)),
                let known = store.historyEntity(store.model.entities[index])
            else { continue }
            let reference = statement.integer(2)
            guard let kind = UInt8(exactly: statement.integer(0)).flatMap({ HistoryChangeKind(rawValue: $0) }), reference > 0 else {
                throw StoreError(.corrupt, .fetch, "malformed change in the history", path: connection.path, entity: known.entity.name)
            }
            switch kind {
            case .insert: writer.insert(index, reference)
            case .update:
                let mask = Mask(entity: index, bytes: unsafe statement.blobBytes(3).map { unsafe Array($0) } ?? [])
                let properties = masks[mask] ?? known.properties(in: mask.bytes)
                masks[mask] = properties
                writer.update(index, reference, properties: properties)
            case .delete: writer.delete(index, reference, tombstone: tombstone(known, reference, statement))
            }
        }
        return writer.finish()
    }

    private struct Mask: Hashable {
        let entity: EntityIndex
        let bytes: [UInt8]
    }

    /// Returns a row with the preserved values of a deleted object.
    private func tombstone(_ known: CoreDataHistoryEntity, _ reference: Int64, _ statement: Statement) -> Row? {
        if known.tombstones.isEmpty { return nil }
        var writer = RowWriter(forOneRowOf: 256)
        writer.begin(known.entity, reference: reference, version: 1)
        for (column, attribute) in known.tombstones.prefix(columns.tombstones).enumerated() {
            guard let slot = attribute.slot, let value = try? ColumnValue.read(statement, Int32(4 + column), attribute.slotKind) else {
                continue
            }
            if value != .null { writer.set(value, at: slot, attribute.slotKind) }
        }
        return writer.finish()
    }
}

extension CoreDataHistoryEntity {
    /// Returns the indexes of the properties that a mask marks.
    fileprivate func properties(in mask: [UInt8]) -> [Int] {
        slots.changes(in: mask).compactMap { entity.property(named: $0)?.index }.sorted()
    }
}
