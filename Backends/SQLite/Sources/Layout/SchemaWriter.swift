import CStrataSQLite
import StrataSQL

/// The statements that create the tables of a store.
struct SchemaWriter {
    /// A statement that creates an index.
    struct Index {
        let name: String
        let table: String
        let sql: SQLText
        /// The constraint that the index enforces, with the columns of its attributes; `nil` for one that does not.
        var unique: (constraint: UniquenessConstraint, columns: [String], entity: EntityDescription)?
    }

    private let model: ManagedObjectModel
    let schema: StoreSchema
    private var names: NameRegistry
    /// The statements that create the tables of entities and links.
    private(set) var tables: [(name: String, sql: SQLText)] = []
    /// The statements that create their indexes.
    private(set) var indexes: [Index] = []
    /// The location indexes of the model.
    private(set) var locations: [LocationIndexWriter] = []
    /// The statements that insert the numbers of the entities.
    private(set) var keys: [SQLText] = []

    init(_ model: ManagedObjectModel, configuration: String?, namesPaths: Bool = false) {
        self.model = model
        (schema, names) = SchemaCompiler.compile(model, configuration: configuration, namesPaths: namesPaths)
        let roots = schema.tables.keys.sorted()
        let joins = Dictionary(grouping: model.linkTables) { model.entities[$0.first.entity].root }
            .mapValues { $0.compactMap { schema.joins[$0.index] } }
        for root in roots {
            if let table = schema.tables[root] { tables.append((table.name, SchemaWriter.create(table))) }
            for join in joins[root] ?? [] { tables.append((join.name, SchemaWriter.create(join))) }
        }
        for root in roots {
            if let table = schema.tables[root] { writeIndexes(of: table) }
            for join in joins[root] ?? [] { writeIndex(of: join) }
        }
        keys = roots.flatMap { model.entities[$0].hierarchy }.map { key(of: model.entities[$0]) }
    }

    /// All statements for a new store, in Core Data's order.
    var all: [SQLText] {
        let fixed: [StaticString] = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        ]
        let locations = locations.map(\.creation) + locations.flatMap(\.triggers)
        return tables.map(\.sql) + indexes.map(\.sql) + locations + fixed.map { SQLText($0) } + [ModelCacheTable.creation] + keys
    }

    /// Returns the statement that creates a table.
    func table(_ name: String) -> SQLText? { tables.first { $0.name == name }?.sql }

    /// `INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)`.
    private func key(of entity: EntityDescription) -> SQLText {
        let parent = entity.superentity.map { schema.numbers[$0] } ?? 0
        let values: [SQLText] = [
            "\(bind: .integer(Int64(schema.numbers[entity.index])))", "\(bind: .text(entity.name))", "\(bind: .integer(Int64(parent)))",
            "0",
        ]
        return "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(values))"
    }

    /// `CREATE TABLE ZDEPT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )`, as Core Data spells it.
    static func create(_ table: EntityTable) -> SQLText {
        let own: [SQLText] = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
        return "CREATE TABLE \(table: table.name) ( \(own + table.columns.map { SQLText("\(declaring: $0)") }) )"
    }

    /// `CREATE TABLE Z_1PROJECTS ( Z_1MEMBERS INTEGER, Z_3PROJECTS INTEGER, …, PRIMARY KEY (Z_1MEMBERS, Z_3PROJECTS) )`.
    static func create(_ join: JoinTable) -> SQLText {
        let (leading, following) = (join.leadingSide, join.leadingSide.opposite)
        let keys = [join.column(leading), join.column(following)]
        let columns = keys + [join.order(following), join.order(leading)].compactMap(\.self)
        let declarations = columns.map { SQLText("\(identifier: $0) INTEGER") }
        return "CREATE TABLE \(identifier: join.name) ( \(declarations), PRIMARY KEY (\(identifiers: keys)) )"
    }

    /// Writes the entities and the metadata of a store: `Z_PRIMARYKEY`, `Z_METADATA` and `Z_MODELCACHE`.
    ///
    /// Entries that are not of the old schema's entities stay, such as those of the history.
    func replaceKeys(of old: StoreSchema, for migration: StoreMigration, _ connection: Connection) throws {
        let numbers = Set((Array(old.tables.values) + schema.tables.values).flatMap(\.numbers))
        try connection.execute(SQLText("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers: numbers.sorted()))"), .migrate)
        for key in keys { try connection.execute(key, .migrate) }
        var counter = ReferenceCounter(connection, schema)
        for (root, last) in migration.lastReferences { try counter.note(last, root: root) }
        try MetadataTable.write(migration.metadata, connection)
        try ModelCacheTable.write(model, migration.metadata, connection, .migrate)
    }

    // MARK: - Indexes

    private mutating func writeIndexes(of table: EntityTable) {
        for column in table.columns where column.isIndexed {
            writeIndex(table.name + "_" + column.name + "_INDEX", on: table.name, columns: [column.name])
        }
        if table.hierarchy.count > 1 { writeIndex(table.name + "_Z_ENT_INDEX", on: table.name, columns: ["Z_ENT"]) }
        for index in table.hierarchy {
            let entity = model.entities[index]
            // The column of a to-one relationship has an index of its own.
            for fetchIndex in entity.indexes where fetchIndex.elements.count != 1 || fetchIndex.elements[0].kind != .reference {
                let columns = fetchIndex.elements.map { (table.column($0.slot, of: index).name, $0.isAscending) }
                if fetchIndex.isLocation {
                    let name = names.take("Z_RT_" + entity.name + "_" + fetchIndex.name)
                    locations.append(LocationIndexWriter(name: name, table: table.name, columns: columns.map(\.0)))
                    continue
                }
                let condition = fetchIndex.condition.flatMap { IndexText(entity: entity, table: table).condition($0) }
                indexes.append(
                    orderedIndex(
                        "CREATE INDEX ", name: "Z_" + entity.name + "_" + fetchIndex.name, on: table.name,
                        columns.map { (SQLText(identifier: $0), $1) },
                        where: condition))
            }
            for fetchIndex in entity.expressionIndexes { writeExpressionIndex(fetchIndex, of: entity, in: table) }
            for constraint in entity.uniquenessConstraints where constraint.declaringEntity == index {
                writeUnique(constraint, of: entity, in: table)
            }
        }
    }

    private mutating func writeIndex(of join: JoinTable) {
        let (leading, following) = (join.column(join.leadingSide), join.column(join.leadingSide.opposite))
        writeIndex(join.name + "_" + following + "_INDEX", on: join.name, columns: [following, leading])
    }

    /// `CREATE INDEX ZPERSON_ZBOSS_INDEX ON ZPERSON (ZBOSS)`.
    private mutating func writeIndex(_ name: String, on table: String, columns: [String]) {
        let name = names.take(name)
        let sql = SQLText("CREATE INDEX \(identifier: name) ON \(identifier: table) (\(identifiers: columns))")
        indexes.append(Index(name: name, table: table, sql: sql))
    }

    /// `CREATE INDEX Z_Person_byAge ON ZPERSON (ZAGE ASC)`.
    ///
    /// Core Data writes `COLLATE BINARY`, the default of columns, with which SQLite compares through a function call.
    private mutating func orderedIndex(
        _ keywords: StaticString, name: String, on table: String, _ columns: [(sql: SQLText, ascending: Bool)], where condition: SQLText?
    ) -> Index {
        let name = names.take(name)
        var sql = SQLText("\(keywords)\(identifier: name) ON \(identifier: table) (")
        sql.add("\(columns.map { SQLText("\($0.sql)\($0.ascending ? " ASC" : " DESC")") }))")
        if let condition { sql.add(" WHERE \(condition)") }
        return Index(name: name, table: table, sql: sql)
    }

    /// `CREATE INDEX Z_Line_byTotal ON ZLINE ((ZPRICE * ZCOUNT) ASC)`, where SQL can express all of it.
    private mutating func writeExpressionIndex(_ fetchIndex: FetchIndex, of entity: EntityDescription, in table: EntityTable) {
        let text = IndexText(entity: entity, table: table)
        let elements = fetchIndex.elements.compactMap { element in text.element(element).map { ($0, element.isAscending) } }
        if elements.count < fetchIndex.elements.count { return }
        indexes.append(
            orderedIndex(
                "CREATE INDEX ", name: "Z_" + entity.name + "_" + fetchIndex.name, on: table.name, elements,
                where: fetchIndex.condition.flatMap { text.condition($0) }))
    }

    /// `CREATE UNIQUE INDEX Z_Person_UNIQUE_email ON ZPERSON (ZEMAIL ASC)`, with ` WHERE Z_ENT IN (2)` for some of a table's entities only.
    private mutating func writeUnique(_ constraint: UniquenessConstraint, of entity: EntityDescription, in table: EntityTable) {
        let name = "Z_" + entity.name + "_UNIQUE_" + constraint.names.joined(separator: "_")
        let columns = constraint.slots.map { (table.column($0, of: entity.index).name, true) }
        let entities = table.entities(limiting: constraint, of: entity)
        let condition: SQLText? = entities.isEmpty ? nil : "Z_ENT IN (\(numbers: entities))"
        var index = orderedIndex(
            "CREATE UNIQUE INDEX ", name: name, on: table.name, columns.map { (SQLText(identifier: $0), $1) }, where: condition)
        index.unique = (constraint, columns.map(\.0), entity)
        indexes.append(index)
    }
}

extension Connection {
    /// Checks that tables with the required number of columns can be created.
    ///
    /// - Throws: `StoreError` with `unsupported` and the entity whose hierarchy has too many properties for one table.
    func requireRoom(for schema: StoreSchema, of model: ManagedObjectModel, _ operation: StoreError.Operation) throws {
        let most = Int(unsafe sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1))
        for (root, table) in schema.tables.sortedByKey() {
            // Beside those of properties: `Z_PK`, `Z_ENT` and `Z_OPT`.
            let count = table.columns.count + 3
            if count <= most { continue }
            let entity = model.entities[root].name
            throw StoreError(
                .unsupported, operation,
                "the entity \(entity) and its sub-entities take \(count) columns of one table; SQLite allows for \(most)", path: path,
                entity: entity)
        }
    }
}
