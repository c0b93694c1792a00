import StrataWorkload

/// The statements that somebody who knows the tables would write.
final class MigrationRawSQLite: MigrationParticipant {
    static let name = "raw SQLite"
    static let kind = ParticipantKind.raw
    static let reference = "raw SQLite"
    static let steps: [MigrationStep] = [.addEmpty, .addDefault]

    private let path: String

    init(directory: String) { path = directory + "/migrated.sqlite" }

    func prepare(_ events: [Event]) throws {
        let database = try SQLiteDatabase(path: path)
        for sql in EventTableSQL.schema { try database.execute(sql) }
        _ = try EventTableSQL.insert(events, into: database)
        try database.close()
    }

    func perform(_ step: MigrationStep) throws -> Answer {
        let database = try SQLiteDatabase(path: path)
        try database.execute("BEGIN IMMEDIATE")
        try database.execute("ALTER TABLE event ADD COLUMN note INTEGER")
        if step == .addDefault { try database.execute("UPDATE event SET note = 7") }
        try database.execute("COMMIT")
        let count = try database.statement("SELECT count(*) FROM event")
        var answer = Answer()
        while try count.step() { answer.count = Int(count.integer(0)) }
        try database.close()
        return answer
    }
}
