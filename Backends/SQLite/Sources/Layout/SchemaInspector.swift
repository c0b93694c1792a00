import StrataSQL

/// Finds a model's tables in an existing database.
///
/// A table whose `CREATE TABLE` statement in the catalogue is the expected one has the model's columns; only the others
/// are inspected.
struct SchemaInspector {
    /// A table of the database, and the statement that created it.
    private struct Found {
        let name: String
        let definition: String

        /// Compares bytes: strings that are canonically equivalent are different names to SQLite.
        func isMade(by statement: SQLText) -> Bool { definition.utf8.elementsEqual(statement.text.utf8) }
    }

    private let connection: Connection
    /// The tables by folded names.
    private let tables: [String: Found]

    init(_ connection: Connection) throws {
        self.connection = connection
        // The module of a virtual table may be missing here.
        let catalogue: SQLText = """
            SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'
            """
        var tables: [String: Found] = [:]
        for entry in try connection.texts(catalogue, columns: 2, .open) {
            tables[entry[0].uppercased()] = Found(name: entry[0], definition: entry[1])
        }
        self.tables = tables
    }

    func hasTable(_ name: String) -> Bool { tables[name] != nil }

    /// Whether the database has the table that identifies a store.
    var isStore: Bool { tables["Z_METADATA"]?.name == "Z_METADATA" }

    /// Returns the tables of a model as they are in the database.
    ///
    /// A store has tables of all entities, so that rows of the configuration are related to rows of others. One that an
    /// earlier version of Strata made has those of its configuration alone.
    ///
    /// - Parameters:
    ///   - configuration: The configuration whose tables are required.
    ///   - isTolerant: Whether tables and columns may be missing.
    /// - isForeign: Whether Core Data created the store: a missing table or column is laid out differently, or is another version's.
    /// - Throws: `StoreError` with `corrupt`, or `incompatibleModel` with the missing part.
    func schema(of model: ManagedObjectModel, configuration: String?, isTolerant: Bool, isForeign: Bool = false) throws -> StoreSchema {
        func missing(_ message: String, _ entity: EntityIndex, key: String? = nil) -> StoreError {
            StoreError(
                isForeign ? .incompatibleModel : .corrupt, .open, message, path: connection.path, entity: model.entities[entity].name,
                key: key)
        }
        let required = Set((model.entities(inConfiguration: configuration) ?? []).map { model.entities[$0].root })
        var schema = try expectedSchema(of: model)
        for (root, table) in schema.tables {
            let found = try adopt(table)
            let absent = found?.columns.first { !$0.isPresent && !$0.isOurs }
            if !isTolerant, required.contains(root) {
                if found == nil { throw missing("the table \(table.name) is missing", root) }
                if let absent { throw missing("the table \(table.name) has no column \(absent.name)", root, key: absent.property) }
            }
            schema.tables[root] = isTolerant || absent == nil ? found : nil
        }
        for link in model.linkTables {
            guard let join = schema.joins[link.index] else { continue }
            let found = try adopt(
                join,
                alternative: SchemaCompiler.tableName(of: link, namedBy: join.leadingSide.opposite, model, schema.numbers))
            let isRequired = [link.first, link.second].allSatisfy { required.contains(model.entities[$0.entity].root) }
            if found == nil && !isTolerant && isRequired {
                let first = link.first.entity
                throw missing(
                    "the join table \(join.name) is missing", first, key: model.entities[first].properties[link.first.property].name)
            }
            schema.joins[link.index] = found
        }
        return schema
    }

    /// Returns the expected schema of a store for its model, with columns of composite attributes as the tables name them.
    private func expectedSchema(of model: ManagedObjectModel) throws -> StoreSchema {
        let numbers = try numbers(of: model)
        let schema = SchemaCompiler.compile(model, configuration: nil, numbers: numbers).schema
        guard model.entities.contains(where: { !$0.compositeAttributes.isEmpty }) else { return schema }
        let paths = SchemaCompiler.compile(model, configuration: nil, numbers: numbers, namesPaths: true).schema
        for (root, table) in paths.tables {
            guard let found = tables[table.name.uppercased()], let current = schema.tables[root],
                !found.isMade(by: SchemaWriter.create(current))
            else { continue }
            let definition = found.definition.uppercased()
            if table.columns.contains(where: { $0.name.contains(".") && definition.contains("\"\($0.name)\"") }) { return paths }
        }
        return schema
    }

    /// Returns the number of each entity: its index in the model, unless the store has its name with another number, or another entity
    /// of the model with its number.
    ///
    /// A renamed entity keeps its old name in the store, so that a missing name is no error. An entity that was added to another
    /// configuration is not in the store: it gets a number that no row has.
    private func numbers(of model: ManagedObjectModel) throws -> [Int] {
        guard hasTable("Z_PRIMARYKEY") else {
            throw StoreError(.corrupt, .open, "the table of the entities' numbers is missing", path: connection.path)
        }
        var entities: [Int: String] = [:]
        let keys = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")
        while try keys.step(.open) { entities[Int(keys.integer(0))] = keys.text(1) ?? "" }
        let byName = Dictionary(entities.map { ($0.value, $0.key) }) { min($0, $1) }
        var last = max(entities.keys.max() ?? 0, model.entities.count)
        return model.entities.map { entity in
            let number = entity.index.rawValue + 1
            if entities[number] == entity.name { return number }
            if let known = byName[entity.name] { return known }
            guard let other = entities[number], model.entity(named: other) != nil else { return number }
            last += 1
            return last
        }
    }

    /// Returns the columns of a table by folded names.
    private func columns(of table: Found) throws -> [String: String] {
        let sql: SQLText = "SELECT name FROM pragma_table_info(\(bind: .text(table.name)))"
        let names = try connection.texts(sql, columns: 1, .open).map { $0[0] }
        return Dictionary(names.map { ($0.uppercased(), $0) }) { first, _ in first }
    }

    private func adopt(_ table: EntityTable) throws -> EntityTable? {
        guard let found = tables[table.name.uppercased()] else { return nil }
        if found.isMade(by: SchemaWriter.create(table)) { return table }
        let columns = try columns(of: found)
        var adopted = table
        adopted.name = found.name
        for index in adopted.columns.indices {
            if let name = columns[adopted.columns[index].name.uppercased()] {
                adopted.columns[index].name = name
            } else {
                adopted.columns[index].isPresent = false
            }
        }
        return adopted
    }

    private func adopt(_ join: JoinTable, alternative: String) throws -> JoinTable? {
        if let found = tables[join.name.uppercased()], found.isMade(by: SchemaWriter.create(join)) { return join }
        for name in [join.name, alternative] {
            guard let found = tables[name.uppercased()] else { continue }
            let columns = try columns(of: found)
            guard let first = column(join.first, in: columns, except: nil),
                let second = column(join.second, in: columns, except: first)
            else { continue }
            return JoinTable(
                name: found.name, first: first, second: second,
                orderInFirst: join.orderInFirst.flatMap { column($0, in: columns, except: nil) },
                orderInSecond: join.orderInSecond.flatMap { column($0, in: columns, except: nil) },
                leadingSide: join.leadingSide, details: ())
        }
        return nil
    }

    /// Returns the column of a name, or of the name with another numeric suffix: stores migrated in place keep the suffixes they had.
    private func column(_ name: String, in columns: [String: String], except other: String?) -> String? {
        if let exact = columns[name.uppercased()], exact != other { return exact }
        let base = String(name.uppercased().reversed().drop { $0.isNumber }.reversed())
        let similar = columns.filter { folded, actual in
            actual != other && folded.hasPrefix(base) && folded.dropFirst(base.count).allSatisfy(\.isNumber)
        }
        return similar.count == 1 ? similar.first?.value : nil
    }
}
