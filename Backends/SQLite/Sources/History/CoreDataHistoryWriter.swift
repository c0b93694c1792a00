import StrataModel
import StrataSQL
import StrataStore

/// Adds transactions to a persistent history in Core Data's tables: a row of `ATRANSACTION`, and one of `ACHANGE` for each object.
struct CoreDataHistoryWriter {
    private let store: SQLiteStore
    private let connection: Connection
    private let columns: CoreDataHistoryColumns
    private let tables: CoreDataHistoryTables

    init(_ store: SQLiteStore, _ connection: Connection, _ columns: CoreDataHistoryColumns) {
        (self.store, self.connection, self.columns) = (store, connection, columns)
        tables = CoreDataHistoryTables(connection: connection, operation: .save)
    }

    /// Adds a record, and returns its number; of the mark of deleted transactions only the number is stored.
    ///
    /// - Throws: `StoreError`; `corrupt` where its bytes are damaged.
    func append(_ record: HistoryRecord) throws -> Int64 {
        if record.marksDeletion {
            let number = try record.number(after: tables.lastKey(.transaction), path: connection.path)
            try tables.note(number, of: .transaction)
            return number
        }
        guard let origin = try? HistoryOrigin(record.origin) else {
            throw StoreError(.corrupt, .save, "malformed transaction in the history", path: connection.path)
        }
        let body = try HistoryBody(record.body, path: connection.path)
        let number = try tables.add(record, by: origin, columns.transaction)
        var last = try tables.lastKey(.change)
        let forms = body.entities.map { form(of: $0) }
        for change in body.changes {
            // An entity that the store does not have has no number.
            guard var form = forms[change.entity] else { continue }
            if let set = change.set, form.changesLinksAlone[set], let leaf = try leaf(of: change, form) {
                form = self.form(of: body.entities[change.entity], as: leaf) ?? form
            }
            last += 1
            try insert(change, form, as: (last, number))
        }
        try tables.note(last, of: .change)
        return number
    }

    // MARK: - Forms

    /// How the changes of an entity of a body are written.
    private struct Form {
        let known: CoreDataHistoryEntity
        /// The mask of each set of changed properties.
        let masks: [[UInt8]]
        /// Whether each set has to-many relationships alone, of an entity with sub-entities.
        let changesLinksAlone: [Bool]
        /// The preserved attributes of the body in the order of the columns; `nil` for one that it lacks.
        let tombstones: [(index: Int, kind: SlotKind)?]
    }

    private func form(of stored: HistoryBody.Entity, as entity: EntityDescription? = nil) -> Form? {
        guard let entity = entity ?? store.model.entity(named: stored.name), let known = store.historyEntity(entity) else { return nil }
        let sets = stored.sets.map { set in Set(set.map { stored.properties[$0] }) }
        return Form(
            known: known, masks: sets.map { known.slots.mask(ofChanges: $0) },
            changesLinksAlone: sets.map { set in
                entity.hierarchy.count > 1 && set.allSatisfy { entity.relationship(named: $0)?.isToMany == true }
            },
            tombstones: known.tombstones.prefix(columns.tombstones).map { attribute in
                // As in Core Data, which preserves no value that may be in an external file.
                if attribute.declaration.allowsExternalStorage { return nil }
                return stored.preserved.firstIndex { $0.name == attribute.name && $0.kind == attribute.slotKind }
                    .map { ($0, attribute.slotKind) }
            })
    }

    /// Returns the entity of an object of which only links changed: a change may name an ancestor of it.
    private func leaf(of change: HistoryBody.Change, _ form: Form) throws -> EntityDescription? {
        guard let table = store.schema.tables[form.known.entity.root] else { return nil }
        let sql: SQLText = "SELECT Z_ENT FROM \(table: table.name) WHERE Z_PK = \(bind: .integer(change.reference))"
        return try connection.integer(sql, .save).flatMap { store.schema.entity(ofNumber: $0) }.map { store.model.entities[$0] }
    }

    // MARK: - Rows

    private func insert(_ change: HistoryBody.Change, _ form: Form, as key: (change: Int64, transaction: Int64)) throws {
        let preserved = change.tombstone.isEmpty ? 0 : form.tombstones.count
        let statement = try connection.statement(CoreDataHistoryWriter.insertion(preserved))
        defer { statement.clear() }
        statement.bind(key.change, at: 1)
        statement.bind(Int64(change.kind.rawValue), at: 2)
        statement.bind(Int64(form.known.number), at: 3)
        statement.bind(change.reference, at: 4)
        statement.bind(key.transaction, at: 5)
        if let set = change.set { try statement.bindBlobCopy(form.masks[set], at: 6) }
        for column in 0..<preserved {
            guard let (index, kind) = form.tombstones[column], let value = change.tombstone[index] else { continue }
            try CoreDataHistoryWriter.bind(value, kind, to: statement, at: 7 + column)
        }
        try statement.run(.save)
    }

    private static func insertion(_ preserved: Int) -> String {
        let columns = (0..<preserved).map { ", ZTOMBSTONE\($0)" }.joined()
        let parameters = (0..<preserved).map { ", ?\(7 + $0)" }.joined()
        return """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns)) \
            VALUES (?1, 16001, ?2, ?3, ?4, ?5, ?6\(parameters))
            """
    }

    /// Binds a preserved value as the column of its attribute stores it.
    private static func bind(_ value: HistoryBody.Preserved, _ kind: SlotKind, to statement: Statement, at index: Int) throws {
        switch (value, kind) {
        case (.word(let word), .double), (.word(let word), .float), (.word(let word), .date):
            let number = Double(bitPattern: word)
            if number.isNaN { try statement.bind(.text("NaN"), at: index) } else { statement.bind(number, at: index) }
        case (.word(let word), _): statement.bind(Int64(bitPattern: word), at: index)
        case (.bytes(let bytes), .decimal):
            try unsafe bytes.withUnsafeBytes { try unsafe DecimalColumn.bind($0, to: statement, at: index) }
        case (.bytes(let bytes), .string), (.bytes(let bytes), .uri):
            try unsafe bytes.withUnsafeBytes { try unsafe statement.bindTextCopy($0, at: index) }
        case (.bytes(let bytes), _): try statement.bindBlobCopy(bytes, at: index)
        }
    }
}
