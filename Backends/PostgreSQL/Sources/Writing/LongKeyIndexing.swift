import StrataEngine
import StrataSQL

/// Replaces an index over text or binary values before a row brings a key that no B-tree takes, which is limited to 2,704 bytes.
///
/// An index over one column becomes a hash index, which compares the values themselves behind equal hashes; of several columns a uniqueness
/// constraint has a hash instead of the text or the bytes, and a fetch index the beginning of the text. Stores that were made before get it in
/// the same way: the form is decided by the rows, and recorded in the server's catalogue alone. Until then B-trees serve orders and ranges too.
struct LongKeyIndexing {
    /// The most bytes of text and of binary values in a key of a B-tree, the other columns left out.
    static let limit = 2_400

    let transaction: PostgreSQLTransaction

    /// Prepares the indexes for the rows that changes bring.
    func prepare(_ changes: ChangeSet) throws {
        var needed: [String: IndexDefinition] = [:]
        func look(at row: Row, _ changed: [Slot]? = nil) {
            for index in transaction.store.longKeyIndexes[row.entityIndex] ?? [] where isLong(row, index.slots) {
                if let changed, !index.slots.contains(where: changed.contains) { continue }
                needed[index.definition.name] = index.definition
            }
        }
        for row in changes.inserted { look(at: row) }
        for update in changes.updated { look(at: update.row, update.changedSlots) }
        for (_, definition) in needed.sortedByKey() { try change(definition) }
    }

    /// Whether the values that all rows of an entity get are such that an index may have to be changed.
    func concerns(_ template: Row, _ slots: [Slot]) -> Bool {
        transaction.store.longKeyIndexes[template.entityIndex]?.contains { index in
            isLong(template, index.slots.filter(slots.contains), limit: LongKeyIndexing.limit / index.slots.count)
        } ?? false
    }

    private func isLong(_ row: Row, _ slots: [Slot], limit: Int = LongKeyIndexing.limit) -> Bool {
        var size = 0
        for slot in slots { size += unsafe row.bytes(slot)?.count ?? 0 }
        return size > limit
    }

    private func change(_ index: IndexDefinition) throws {
        let connection = transaction.connection
        let found = try connection.execute(index.isForLongKeys, .save)
        // One that another client removed is not made again.
        guard found.count > 0, found.integer(0, 0) == 0 else { return }
        // No table is altered while a deferred constraint has rows of it to check.
        if index.constraint != nil { try connection.run(SQLText("SET CONSTRAINTS ALL IMMEDIATE"), .save) }
        let change: SQLText = "\(index.removal)\(index.creation(isForLongKeys: true))"
        do { try connection.run(change, .save) } catch let error as StoreError where error.code == .denied {
            throw StoreError(
                .tooLarge, .save,
                "the index \(index.name) takes no values of more than \(LongKeyIndexing.limit) bytes, and the role may not change it",
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
    func hasLongKeys(_ connection: Connection, _ operation: StoreError.Operation) throws -> Bool {
        let columns = elements.filter(\.hasAnyLength)
        if columns.isEmpty { return false }
        let lengths = columns.map { SQLText("coalesce(pg_catalog.octet_length(\(identifier: $0.column)), 0)") }
        let sql: SQLText = "SELECT 1 FROM \(table) WHERE \(lengths, separator: " + ") > \(number: LongKeyIndexing.limit) LIMIT 1"
        return try connection.execute(sql, operation).count > 0
    }

    /// The query that answers 1 where the index has the form for long keys, 0 where not, and nothing where there is no such index.
    fileprivate var isForLongKeys: SQLText {
        """
        SELECT (a.amname = 'hash' OR i.indexprs IS NOT NULL)::integer::bigint FROM pg_catalog.pg_index i \
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_am a ON a.oid = c.relam \
        WHERE c.oid = pg_catalog.to_regclass(\(relation: QualifiedName(schema: table.schema, name: name)))
        """
    }
}

extension SQLText {
    /// The expression that an index over several columns has for a value that may be long.
    static func shortened(_ element: IndexDefinition.Element, of index: IndexDefinition) -> SQLText {
        if index.constraint != nil { return hash(element.content, of: "\(identifier: element.column)") }
        // A character takes up to four bytes.
        let length = LongKeyIndexing.limit / 4 / index.elements.count(where: \.hasAnyLength)
        return "pg_catalog.left(\(identifier: element.column), \(number: length))"
    }

    /// The hash that a constraint over several columns has for a value that may be long; that of text depends on its collation.
    static func hash(_ content: IndexDefinition.Element.Content, of value: SQLText) -> SQLText {
        content == .text ? "pg_catalog.hashtextextended(\(value), 0)" : "pg_catalog.sha256(\(value))"
    }
}

extension SchemaWriter {
    /// The indexes and uniqueness constraints with text or bytes in their keys, for the rows of each entity, with the slots of these.
    var longKeyIndexes: [EntityIndex: [(definition: IndexDefinition, slots: [Slot])]] {
        var indexes: [EntityIndex: [(definition: IndexDefinition, slots: [Slot])]] = [:]
        for table in sortedTables {
            for index in table.hierarchy.flatMap({ ModelIndex.declared(by: model.entities[$0]) }) {
                guard let definition = definition(of: index, table) else { continue }
                let columns = Set(definition.elements.filter(\.hasAnyLength).map(\.column))
                if columns.isEmpty { continue }
                for entity in index.entity.hierarchy {
                    let slots = model.entities[entity].layout.indexedSlots.map(\.slot)
                    indexes[entity, default: []].append((definition, slots.filter { columns.contains(table.column($0, of: entity).name) }))
                }
            }
        }
        return indexes
    }
}
