import StrataModel
import StrataSQL
import StrataStore

/// Makes the indexes of tables that are filled already.
struct IndexMaking {
    let connection: Connection
    let migration: StoreMigration

    /// - Throws: `StoreError` with `constraint` where rows have equal values that an index keeps unique.
    func make(_ indexes: [SchemaWriter.Index]) throws {
        for index in indexes {
            do { try connection.execute(index.sql, .migrate) } catch let error as StoreError {
                guard let failure = error.underlying as? SQLiteFailure, failure.isConstraint, let unique = index.unique else { throw error }
                try migration.requireNone(try duplicates(index.table, unique), path: connection.path)
                throw error
            }
        }
    }

    /// Makes those location indexes that are not there, and drops those that the model no longer asks for.
    func make(_ locations: [LocationIndexWriter], insteadOf old: [LocationIndexWriter]) throws {
        let tables = Set(try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'", columns: 1, .migrate).joined())
        for location in old where tables.contains(location.name) && !locations.contains(where: { $0.name == location.name }) {
            for trigger in try triggers(of: location.name) {
                try connection.execute(SQLText("DROP TRIGGER \(identifier: trigger)"), .migrate)
            }
            try connection.execute(SQLText.drop(table: location.name), .migrate)
        }
        for location in locations where !tables.contains(location.name) {
            for statement in [location.creation, location.filling] + location.triggers { try connection.execute(statement, .migrate) }
        }
        try connection.trustTriggers()
    }

    private func triggers(of location: String) throws -> [String] {
        try connection.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'", columns: 1, .migrate).joined()
            .filter { connection.triggers?.locationIndex(ofTrigger: $0) == location.uppercased() }
    }

    private func duplicates(
        _ table: String, _ unique: (constraint: UniquenessConstraint, columns: [String], entity: EntityDescription)
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
