import StrataModel
import StrataSQL
import StrataStore

/// Writes what a store says of its entities and of itself: `Z_PRIMARYKEY`, `Z_METADATA` and `Z_MODELCACHE`.
struct EntityKeys {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Replaces the entities of a schema by others; what is not an entity of a model's, as history is, stays.
    func replace(_ old: StoreSchema, with writer: SchemaWriter, _ migration: StoreMigration) throws {
        let numbers = Set((Array(old.tables.values) + writer.schema.tables.values).flatMap(\.numbers))
        try connection.execute(SQLText("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers: numbers.sorted()))"), .migrate)
        for key in writer.keys { try connection.execute(key, .migrate) }
        var counter = ReferenceCounter(connection, writer.schema)
        try counter.note(migration.lastReferences)
        try MetadataTable.write(migration.metadata, connection)
        let cache = try connection.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'", .migrate)
        // The model that Apple's software kept there is no longer the store's.
        if cache != nil { try connection.execute("DELETE FROM Z_MODELCACHE", .migrate) }
    }
}
