import StrataModel
import StrataSQL
import StrataStore

/// Finds a model's tables in a database that is already there.
struct SchemaInspector {
    /// The columns of each table by folded names.
    private var tables: [String: (name: String, columns: [String: String])] = [:]
    /// The entities' names by number.
    private var entities: [Int: String] = [:]
    private let path: String

    init(_ connection: Connection) throws {
        path = connection.path
        // The module of a virtual table may be missing here.
        let columns: SQLText = """
            SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%'
            """
        for names in try connection.texts(columns, columns: 2, .open) {
            tables[names[0].uppercased(), default: (names[0], [:])].columns[names[1].uppercased()] = names[1]
        }
        guard hasTable("Z_METADATA") else { return }
        guard hasTable("Z_PRIMARYKEY") else {
            throw StoreError(.corrupt, .open, "the table of the entities' numbers is missing", path: path)
        }
        let keys = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")
        while try keys.step(.open) { entities[Int(keys.integer(0))] = keys.text(1) ?? "" }
    }

    func hasTable(_ name: String) -> Bool { tables[name] != nil }

    /// The tables of a model as they are in the database.
    ///
    /// - Parameters:
    ///   - isTolerant: Whether tables and columns may be missing.
    ///   - isForeign: Whether the store's hashes tell nothing: a table or column that is missing is that of another version of the model.
    /// - Throws: `StoreError` with `corrupt`, or `incompatibleModel`, that names what is missing.
    func schema(of model: ManagedObjectModel, configuration: String?, isTolerant: Bool, isForeign: Bool = false) throws -> StoreSchema {
        func missing(_ message: String, _ entity: EntityIndex, key: String? = nil) -> StoreError {
            StoreError(
                isForeign ? .incompatibleModel : .corrupt, .open, message, path: path, entity: model.entities[entity].name, key: key)
        }
        var schema = SchemaCompiler.compile(model, configuration: configuration, numbers: numbers(of: model)).schema
        for (root, table) in schema.tables {
            if let found = adopt(table) {
                if !isTolerant, let absent = found.columns.first(where: { !$0.isPresent }) {
                    throw missing("the table \(table.name) has no column \(absent.name)", root, key: absent.property)
                }
                schema.tables[root] = found
            } else if isTolerant {
                schema.tables[root] = nil
            } else {
                throw missing("the table \(table.name) is missing", root)
            }
        }
        for link in model.linkTables {
            guard let join = schema.joins[link.index] else { continue }
            let found = adopt(
                join,
                alternative: SchemaCompiler.tableName(of: link, namedBy: join.leadingSide.opposite, model, schema.numbers))
            if found == nil && !isTolerant {
                let first = link.first.entity
                throw missing(
                    "the join table \(join.name) is missing", first, key: model.entities[first].properties[link.first.property].name)
            }
            schema.joins[link.index] = found
        }
        return schema
    }

    /// The number of each entity: its index in the model, unless another number has its name.
    ///
    /// A renamed entity keeps its old name in the store, so a name that is nowhere says nothing.
    private func numbers(of model: ManagedObjectModel) -> [Int] {
        let byName = Dictionary(entities.map { ($0.value, $0.key) }) { min($0, $1) }
        return model.entities.map { entity in
            let number = entity.index.rawValue + 1
            return entities[number] == entity.name ? number : byName[entity.name] ?? number
        }
    }

    private func adopt(_ table: EntityTable) -> EntityTable? {
        guard let found = tables[table.name.uppercased()] else { return nil }
        var adopted = table
        adopted.name = found.name
        for index in adopted.columns.indices {
            if let name = found.columns[adopted.columns[index].name.uppercased()] {
                adopted.columns[index].name = name
            } else {
                adopted.columns[index].isPresent = false
            }
        }
        return adopted
    }

    private func adopt(_ join: JoinTable, alternative: String) -> JoinTable? {
        for name in [join.name, alternative] {
            guard let found = tables[name.uppercased()] else { continue }
            guard let first = column(join.first, in: found.columns, except: nil),
                let second = column(join.second, in: found.columns, except: first)
            else { continue }
            return JoinTable(
                name: found.name, first: first, second: second,
                orderInFirst: join.orderInFirst.flatMap { column($0, in: found.columns, except: nil) },
                orderInSecond: join.orderInSecond.flatMap { column($0, in: found.columns, except: nil) },
                leadingSide: join.leadingSide, details: ())
        }
        return nil
    }

    /// A column of a name, or of the name with other digits behind it: stores migrated in place keep the suffixes they had.
    private func column(_ name: String, in columns: [String: String], except other: String?) -> String? {
        if let exact = columns[name.uppercased()], exact != other { return exact }
        let base = String(name.uppercased().reversed().drop { $0.isNumber }.reversed())
        let similar = columns.filter { folded, actual in
            actual != other && folded.hasPrefix(base) && folded.dropFirst(base.count).allSatisfy(\.isNumber)
        }
        return similar.count == 1 ? similar.first?.value : nil
    }
}
