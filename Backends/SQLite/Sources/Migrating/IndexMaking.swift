import CStrataSQLite
import StrataModel
import StrataStore

/// Makes the indexes of tables that are filled already.
struct IndexMaking {
    private let connection: Connection
    private let migration: StoreMigration

    init(_ connection: Connection, _ migration: StoreMigration) {
        self.connection = connection
        self.migration = migration
    }

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

    /// ```sql
    /// SELECT min(Z_PK), max(Z_PK) FROM ZPERSON WHERE ZNAME IS NOT NULL GROUP BY ZNAME HAVING count(*) > 1 LIMIT 1
    /// ```
    private func duplicates(
        _ table: String, _ unique: (constraint: UniquenessConstraint, columns: [String], entity: EntityDescription)
    ) throws -> [StoreConflict] {
        var sql = SQLText("SELECT min(Z_PK), max(Z_PK) FROM ")
        sql.add(identifier: table)
        sql.add(" WHERE ")
        sql.add(unique.columns, separator: " AND ") {
            $0.add(identifier: $1)
            $0.add(" IS NOT NULL")
        }
        sql.add(" GROUP BY ")
        sql.add(unique.columns, separator: ", ") { $0.add(identifier: $1) }
        sql.add(" HAVING count(*) > 1 LIMIT 1")
        let statement = try connection.prepare(sql.text)
        guard try statement.step(.migrate) else { return [] }
        return [
            StoreConflict(
                entity: unique.entity.index, reference: statement.integer(0),
                reason: .constraint(unique.constraint.names, other: statement.integer(1)))
        ]
    }
}
