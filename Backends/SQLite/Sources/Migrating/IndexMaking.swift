import StrataSQL

extension SchemaWriter {
    /// Creates the indexes of filled tables, except those that are kept.
    ///
    /// - Throws: `StoreError` with `constraint` where rows have equal values that an index keeps unique.
    func makeIndexes(keeping kept: Set<String>, insteadOf old: SchemaWriter, for migration: StoreMigration, _ connection: Connection) throws
    {
        for index in indexes where !kept.contains(index.name) {
            do { try connection.execute(index.sql, .migrate) } catch let error as StoreError {
                guard let failure = error.underlying as? SQLiteFailure, failure.isConstraint, let unique = index.unique else { throw error }
                try migration.requireNone(try duplicates(index.table, unique, connection), path: connection.path)
                throw error
            }
        }
        try makeLocations(insteadOf: old.locations, connection)
    }

    /// Creates missing location indexes, and drops those that the model no longer has.
    private func makeLocations(insteadOf old: [LocationIndexWriter], _ connection: Connection) throws {
        let tables = Set(try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'", columns: 1, .migrate).joined())
        for location in old where tables.contains(location.name) && !locations.contains(where: { $0.name == location.name }) {
            for trigger in try connection.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'", columns: 1, .migrate).joined()
            where connection.triggers?.locationIndex(ofTrigger: trigger) == location.name.uppercased() {
                try connection.execute(SQLText("DROP TRIGGER \(identifier: trigger)"), .migrate)
            }
            try connection.execute(SQLText.drop(table: location.name), .migrate)
        }
        for location in locations where !tables.contains(location.name) {
            for statement in [location.creation, location.filling] + location.triggers { try connection.execute(statement, .migrate) }
        }
        try connection.trustTriggers()
    }

    private func duplicates(
        _ table: String, _ unique: (constraint: UniquenessConstraint, columns: [String], entity: EntityDescription),
        _ connection: Connection
    ) throws -> [StoreConflict] {
        let statement = try connection.prepare(EntityTable.duplicates(in: table, of: unique.columns).text)
        guard try statement.step(.migrate) else { return [] }
        return [
            StoreConflict(
                entity: unique.entity.index, reference: statement.integer(0),
                reason: .constraint(unique.constraint.names, other: statement.integer(1)))
        ]
    }
}
