import StrataSQL

/// An index or a uniqueness constraint of a table.
struct IndexDefinition: Sendable {
    enum Kind: Hashable {
        /// A fetch index, in the order in which objects are sorted.
        case fetch
        /// The inverse direction of a join table.
        case back
        /// A uniqueness constraint.
        case unique
        /// A uniqueness constraint over the rows of some entities, by their numbers.
        case exclusive([Int])
    }

    struct Element: Hashable {
        /// Whether a value has a fixed length, or is text or bytes of any length.
        enum Content: Hashable { case fixed, text, bytes }

        let column: String
        var content = Content.fixed
        var isAscending = true
        var hasAnyLength: Bool { content != .fixed }
    }

    let name: String
    let table: QualifiedName
    let kind: Kind
    let elements: [Element]
    /// The uniqueness constraint of the model, and the entity that declares it.
    var constraint: (names: [String], entity: EntityIndex)?

    /// Whether another definition differs at most by name.
    func isSame(as other: IndexDefinition) -> Bool { table == other.table && kind == other.kind && elements == other.elements }

    /// Returns the definition with other names of its table and its columns; `nil` where a column has none.
    func renamed(_ table: QualifiedName, _ columns: [String: String]) -> IndexDefinition? {
        let elements = elements.compactMap { element in
            columns[element.column].map { Element(column: $0, content: element.content, isAscending: element.isAscending) }
        }
        guard elements.count == self.elements.count else { return nil }
        return IndexDefinition(name: name, table: table, kind: kind, elements: elements, constraint: constraint)
    }

    /// Returns the statement that creates it.
    ///
    /// A constraint is checked at the end of a transaction: within one, objects may exchange their values.
    ///
    /// ```sql
    /// CREATE INDEX "person_by_name_index" ON "s"."person" ("name" ASC NULLS FIRST);
    /// ALTER TABLE "s"."person" ADD CONSTRAINT "person_email_unique" UNIQUE ("email") DEFERRABLE INITIALLY DEFERRED;
    /// ALTER TABLE "s"."person" ADD CONSTRAINT … EXCLUDE ("email" WITH =) WHERE ("_entity" IN (2)) DEFERRABLE INITIALLY DEFERRED;
    /// ```
    /// - Parameter isForLongKeys: Whether its keys may exceed the limit of a B-tree: the form of ``LongKeyIndexing``.
    func creation(isForLongKeys: Bool = false) -> SQLText {
        let isHash = isForLongKeys && elements.count == 1
        let keys = elements.map { element -> SQLText in
            let isShortened = isForLongKeys && !isHash && element.hasAnyLength
            let key = isShortened ? SQLText.shortened(element, of: self) : SQLText(identifier: element.column)
            switch kind {
            case .fetch where !isHash: return "\(key)\(element.isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST")"
            case .unique where isForLongKeys, .exclusive: return "\(key) WITH ="
            case .fetch, .back, .unique: return key
            }
        }
        let method: StaticString = isHash ? " USING hash" : ""
        guard constraint != nil else { return "CREATE INDEX \(identifier: name) ON \(table)\(method) (\(keys)); " }
        let word: StaticString = kind == .unique && !isForLongKeys ? "UNIQUE" : "EXCLUDE"
        var sql: SQLText = "ALTER TABLE \(table) ADD CONSTRAINT \(identifier: name) \(word)\(method) (\(keys))"
        if case .exclusive(let numbers) = kind { sql.add(" WHERE (\(identifier: EntityTable.entity) IN (\(numbers: numbers)))") }
        sql.add(" DEFERRABLE INITIALLY DEFERRED; ")
        return sql
    }

    /// The statement that drops it, if another client has not.
    var removal: SQLText {
        constraint == nil
            ? "DROP INDEX IF EXISTS \(QualifiedName(schema: table.schema, name: name)); "
            : "ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS \(identifier: name); "
    }

    /// The query for two rows with equal values of a constraint.
    var duplicates: SQLText {
        let numbers = if case .exclusive(let numbers) = kind { numbers } else { [Int]() }
        return EntityTable.duplicates(in: table, of: elements.map(\.column), ofEntities: numbers)
    }
}
