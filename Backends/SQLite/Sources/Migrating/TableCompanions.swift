import StrataSQL

/// The objects of a database that belong to the tables of a store but not to its model.
///
/// They are Core Data's triggers of derived attributes and of location indexes, and indexes with conditions or
/// expressions. Dropping a table for a rebuild drops them, so that they are kept here to be created again.
struct TableCompanions {
    private struct Companion {
        let kind: Kind
        let name: String
        let sql: String

        enum Kind { case index, derivation, location }
    }

    private let connection: Connection
    private let store: SQLiteStore
    private let migration: StoreMigration
    private let writer: SchemaWriter
    /// The schema of the store's own version.
    let old: SchemaWriter
    /// All triggers of the tables.
    private var triggers: [String] = []
    private var companions: [Companion] = []
    /// The location indexes and other virtual tables.
    private var locationIndexes: Set<String> = []

    init(_ connection: Connection, _ store: SQLiteStore, _ migration: StoreMigration, _ writer: SchemaWriter) throws {
        self.connection = connection
        self.store = store
        self.migration = migration
        self.writer = writer
        old = SchemaWriter(store.model, configuration: store.configuration, namesPaths: store.schema.namesPaths)
        let tables = Set(store.schema.tables.values.map { $0.name.uppercased() })
        let catalogue: SQLText = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')"
        for entry in try connection.texts(catalogue, columns: 4, .migrate) where tables.contains(entry[2].uppercased()) {
            let (name, table, sql) = (entry[1], entry[2], entry[3])
            if entry[0] == "index" {
                if TableCompanions.isBeyond(old, sql) { companions.append(Companion(kind: .index, name: name, sql: sql)) }
                continue
            }
            triggers.append(name)
            if name.uppercased().hasPrefix("Z_DA_") {
                if isWanted(name, table) { companions.append(Companion(kind: .derivation, name: name, sql: sql)) }
            } else if let index = connection.triggers?.locationIndex(ofTrigger: name) {
                companions.append(Companion(kind: .location, name: name, sql: sql))
                locationIndexes.insert(index)
            }
        }
        for companion in companions where companion.kind == .derivation && !fits(companion) {
            throw StoreError(
                .migration, .migrate, "the trigger \(companion.name) of a derived attribute does not fit the tables of the new version",
                path: connection.path)
        }
    }

    /// Whether an index with a condition, or over expressions, is not one of the store's model.
    static func isBeyond(_ old: SchemaWriter, _ sql: String) -> Bool {
        if old.indexes.contains(where: { $0.sql.text == sql }) { return false }
        let upper = sql.uppercased()
        if upper.hasPrefix("CREATE UNIQUE") { return false }
        return upper.contains(" WHERE ") || upper.contains { "+*/%|&<>=".contains($0) } || upper.filter { $0 == "(" }.count > 1
    }

    /// Whether the derived attribute of a trigger still exists.
    ///
    /// The trigger's name is `Z_DA_<table>_<entity>_<attribute>_<role>`.
    private func isWanted(_ name: String, _ table: String) -> Bool {
        guard let routes = migration.routes else { return true }
        for entity in routes.source.entities {
            for attribute in entity.attributes {
                guard name.uppercased().hasPrefix("Z_DA_\(table)_\(entity.name)_\(attribute.name)_".uppercased()) else { continue }
                guard let target = routes.target(of: entity.index) else { return false }
                return target.attributes.contains { routes.origin(of: $0.name, in: target)?.name == attribute.name }
            }
        }
        return true
    }

    /// Whether all tables and columns in a statement exist after the migration.
    private func fits(_ companion: Companion) -> Bool {
        var known = Set([companion.name, "Z_PK", "Z_ENT", "Z_OPT"].map { $0.uppercased() })
        for table in writer.schema.tables.values {
            known.insert(table.name.uppercased())
            known.formUnion(table.columns.map { $0.name.uppercased() })
        }
        for join in writer.schema.joins.compactMap(\.self) {
            known.formUnion(([join.name] + join.columns).map { $0.uppercased() })
        }
        for index in locationIndexes { known.formUnion(connection.triggers?.words(ofLocationIndex: index) ?? []) }
        known.formUnion(locationIndexes.map { $0.uppercased() })
        let words = SQLWords.of(companion.sql)
        // The number of an entity would refer to another one.
        let namesEntities = zip(words, words.dropFirst()).contains { $0 == "Z_ENT" && ($1 == "IN" || Int($1) != nil) }
        if namesEntities && store.schema.numbers != writer.schema.numbers { return false }
        return words.allSatisfy { !$0.hasPrefix("Z") || known.contains($0) }
    }

    /// The names of the indexes that are kept as they are.
    var keptIndexes: Set<String> { Set(companions.filter { $0.kind == .index && fits($0) }.map(\.name)) }

    /// Drops the triggers, which would otherwise run for the tables that are set aside.
    func setAside() throws {
        for name in triggers { try drop("DROP TRIGGER ", name) }
    }

    /// Empties the location indexes that fit, and creates their triggers again, which fill them with the new rows; drops the others.
    func restoreLocationIndexes() throws {
        for index in locationIndexes.sorted() {
            let keepers = companions.filter { companion in
                companion.kind == .location && connection.triggers?.locationIndex(ofTrigger: companion.name) == index
            }
            guard keepers.allSatisfy(fits) else {
                try drop("DROP TABLE ", index)
                continue
            }
            try connection.execute("DELETE FROM \(identifier: index)", .migrate)
            for keeper in keepers { try connection.execute(SQLText(verbatim: keeper.sql), .migrate) }
        }
        try connection.trustTriggers()
    }

    /// Creates the other objects again, over the new rows.
    func restoreOthers() throws {
        for companion in companions where companion.kind != .location && fits(companion) {
            try connection.execute(SQLText(verbatim: companion.sql), .migrate)
        }
        try connection.trustTriggers()
    }

    private func drop(_ keywords: StaticString, _ name: String) throws {
        try connection.execute(SQLText("\(keywords)\(identifier: name)"), .migrate)
    }
}
