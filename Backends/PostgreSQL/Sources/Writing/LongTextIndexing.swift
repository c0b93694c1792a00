import StrataModel
import StrataStore

/// Gives an index over text another form before a row brings a key that no B-tree takes, which is limited to 2,704 bytes.
///
/// An index over one column becomes a hash index, which looks at the value itself behind the hash; of several columns a uniqueness constraint
/// has a hash in the place of the text, and a fetch index the beginning of the text. Stores that were made before get it in the same way: the
/// form is decided by what is there, and remembered by the server's catalogue alone. Until then B-trees serve orders and ranges too.
struct LongTextIndexing {
    /// The most bytes of text in a key of a B-tree, the other columns left out.
    static let limit = 2_400

    let transaction: PostgreSQLTransaction

    /// Prepares the indexes for the rows that changes bring.
    func prepare(_ changes: ChangeSet) throws {
        var needed: [String: IndexDefinition] = [:]
        func look(at row: Row, _ changed: [Slot]? = nil) {
            for index in transaction.store.textIndexes[row.entityIndex] where isLong(row, index.slots) {
                if let changed, !index.slots.contains(where: changed.contains) { continue }
                needed[index.definition.name] = index.definition
            }
        }
        for row in changes.inserted { look(at: row) }
        for update in changes.updated { look(at: update.row, update.changedSlots) }
        for (_, definition) in needed.sorted(by: { $0.key < $1.key }) { try change(definition) }
    }

    /// Whether the text that all rows of an entity get is such that an index may have to be changed.
    func concerns(_ template: Row, _ slots: [Slot]) -> Bool {
        transaction.store.textIndexes[template.entityIndex].contains { index in
            isLong(template, index.slots.filter(slots.contains), limit: LongTextIndexing.limit / index.slots.count)
        }
    }

    private func isLong(_ row: Row, _ slots: [Slot], limit: Int = LongTextIndexing.limit) -> Bool {
        var size = 0
        for slot in slots { size += unsafe row.bytes(slot)?.count ?? 0 }
        return size > limit
    }

    private func change(_ index: IndexDefinition) throws {
        let connection = transaction.connection
        let found = try connection.execute(index.isForLongText, .save)
        // One that another client removed is not made again.
        guard found.count > 0, found.integer(0, 0) == 0 else { return }
        // No table is altered while a deferred constraint has rows of it to check.
        if index.constraint != nil { try connection.run(SQLText("SET CONSTRAINTS ALL IMMEDIATE"), .save) }
        var sql = index.removal
        sql.add(index.creation(isForLongText: true))
        do { try connection.run(sql, .save) } catch let error as StoreError where error.code == .denied {
            throw StoreError(
                .tooLarge, .save,
                "the index \(index.name) takes no text of more than \(LongTextIndexing.limit) bytes, and the role may not change it",
                underlying: error.underlying)
        }
        if index.constraint != nil { try connection.run(SQLText("SET CONSTRAINTS ALL DEFERRED"), .save) }
    }
}

extension IndexDefinition {
    /// Whether rows that are there have keys that no B-tree takes.
    ///
    /// ```sql
    /// SELECT 1 FROM "s"."person" WHERE coalesce(octet_length("name"), 0) > 2400 LIMIT 1
    /// ```
    func hasLongText(_ connection: Connection, _ operation: StoreError.Operation) throws -> Bool {
        let columns = elements.filter(\.isText)
        if columns.isEmpty { return false }
        var sql = SQLText("SELECT 1 FROM ")
        sql.add(table)
        sql.add(" WHERE ")
        sql.add(columns, separator: " + ") {
            $0.add("coalesce(pg_catalog.octet_length(")
            $0.add(identifier: $1.column)
            $0.add("), 0)")
        }
        sql.add(" > ")
        sql.add(number: LongTextIndexing.limit)
        sql.add(" LIMIT 1")
        return try connection.execute(sql, operation).count > 0
    }

    /// What answers 1 where the index has the form for long text, 0 where not, and nothing where there is no such index.
    fileprivate var isForLongText: SQLText {
        var sql = SQLText(
            """
            SELECT (a.amname = 'hash' OR i.indexprs IS NOT NULL)::integer::bigint FROM pg_catalog.pg_index i \
            JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_am a ON a.oid = c.relam \
            WHERE c.oid = pg_catalog.to_regclass(
            """)
        sql.add(relation: QualifiedName(schema: table.schema, name: name))
        sql.add(")")
        return sql
    }
}

extension SQLText {
    /// Adds what an index over several columns has of text that may be long.
    mutating func add(shortened column: String, of index: IndexDefinition) {
        add(index.constraint != nil ? "pg_catalog.hashtextextended(" : "pg_catalog.left(")
        add(identifier: column)
        add(", ")
        // A character takes up to four bytes.
        add(number: index.constraint != nil ? 0 : LongTextIndexing.limit / 4 / index.elements.count(where: \.isText))
        add(")")
    }
}
