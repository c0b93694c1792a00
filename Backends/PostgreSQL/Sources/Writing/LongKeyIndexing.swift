import StrataEngine
import StrataSQL

/// Replaces an index over text or binary values before a row with a key over the limit of a B-tree, 2,704 bytes, is written.
///
/// An index over one column becomes a hash index, which compares the values themselves after equal hashes. Over several columns, a
/// uniqueness constraint gets a hash instead of the text or the bytes, and a fetch index a prefix of the text. Stores of earlier versions
/// are changed in the same way: the rows decide on the form, and only the server's catalogue records it. Until then B-trees serve orders and
/// ranges, too.
struct LongKeyIndexing {
    /// The maximum total length of text and binary values in a key of a B-tree, in bytes, other columns left out.
    static let limit = 2_400

    let transaction: PostgreSQLTransaction

    /// Prepares the indexes for the rows of changes.
    func prepare(_ changes: ChangeSet) throws {
        var needed: [String: IndexDefinition] = [:]
        func look(at row: Row, _ changed: [Slot]? = nil) {
            for index in transaction.store.layout.longKeyIndexes[row.entityIndex] ?? [] where isLong(row, index.slots) {
                if let changed, !index.slots.contains(where: changed.contains) { continue }
                needed[index.definition.name] = index.definition
            }
        }
        for row in changes.inserted { look(at: row) }
        for update in changes.updated { look(at: update.row, update.changedSlots) }
        for (_, definition) in needed.sortedByKey() { try change(definition) }
    }

    /// Whether the values that all rows of an entity get may require another form of an index.
    func concerns(_ template: Row, _ slots: [Slot]) -> Bool {
        transaction.store.layout.longKeyIndexes[template.entityIndex]?.contains { index in
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
        // An index that another client dropped is not created again.
        guard found.count > 0, found.integer(0, 0) == 0 else { return }
        // A table cannot be altered while deferred constraints have pending checks of it.
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
    /// Whether existing rows have keys over the limit of a B-tree.
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

    /// The query that returns 1 where the index has the form for long keys, 0 where not, and no row where there is no such index.
    fileprivate var isForLongKeys: SQLText {
        """
        SELECT (a.amname = 'hash' OR i.indexprs IS NOT NULL)::integer::bigint FROM pg_catalog.pg_index i \
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_am a ON a.oid = c.relam \
        WHERE c.oid = pg_catalog.to_regclass(\(relation: QualifiedName(schema: table.schema, name: name)))
        """
    }
}

extension SQLText {
    /// Returns the expression in an index over several columns for a value that may be long.
    static func shortened(_ element: IndexDefinition.Element, of index: IndexDefinition) -> SQLText {
        if index.constraint != nil { return hash(element.content, of: "\(identifier: element.column)") }
        // A character has up to four bytes.
        let length = LongKeyIndexing.limit / 4 / index.elements.count(where: \.hasAnyLength)
        return "pg_catalog.left(\(identifier: element.column), \(number: length))"
    }

    /// Returns the hash in a constraint over several columns for a value that may be long; that of text depends on its collation.
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
