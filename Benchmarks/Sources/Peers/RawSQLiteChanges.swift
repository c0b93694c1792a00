import DebianArchive
import StrataWorkload

/// The steps that read everything, and those that change what is there.
extension RawSQLite {
    func readAll() throws -> Answer {
        let versions = try database.statement("SELECT \(ArchiveSchema.versionColumns) FROM version v")
        let dependencies = try database.statement("SELECT * FROM dependency")
        var answer = Answer()
        while try versions.step() { answer.add(SQLiteRecords.version(versions)) }
        while try dependencies.step() {
            let row = SQLiteRecords.dependency(dependencies)
            answer.add(row, version: row.version, target: row.target)
        }
        return answer
    }

    func keepAll() throws -> Answer {
        let versions = try rows("SELECT \(ArchiveSchema.versionColumns) FROM version v", SQLiteRecords.version)
        let dependencies = try rows("SELECT * FROM dependency", SQLiteRecords.dependency)
        var answer = Answer()
        for row in versions { answer.add(row) }
        for row in dependencies { answer.add(row, version: row.version, target: row.target) }
        return answer
    }

    /// All rows of a statement, for a key where it asks for one.
    private func rows<Row>(_ sql: String, of key: Int64? = nil, _ row: (SQLiteStatement) -> Row) throws -> [Row] {
        let find = try database.statement(sql)
        if let key { find.bind(1, key) }
        var rows: [Row] = []
        while try find.step() { rows.append(row(find)) }
        return rows
    }

    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        let database = try database
        let update = try database.statement("UPDATE version SET installed_size = installed_size + ?, priority = ? WHERE id = ?")
        var count = 0
        try database.transaction {
            for id in versions.sorted() {
                update.bind(1, growth)
                update.bind(2, priority)
                update.bind(3, id)
                try update.run()
                count += database.changes
            }
        }
        return Answer(count: count)
    }

    func updateAfterReading(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        let database = try database
        let update = try database.statement("UPDATE version SET installed_size = ?, priority = ? WHERE id = ?")
        return try database.transaction {
            let read = "SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE v.id = ?"
            let found = try versions.sorted().flatMap { try rows(read, of: $0, SQLiteRecords.version) }
            for row in found {
                update.bind(1, row.installedSize + growth)
                update.bind(2, priority)
                update.bind(3, row.id)
                try update.run()
            }
            return Answer(count: found.count)
        }
    }

    func deleteAfterReading(_ packages: [Int64]) throws -> Answer {
        try database.transaction {
            var dependencies: [Dependency] = []
            var links: [Int64] = []
            var found: [(id: Int64, name: String)] = []
            for id in packages.sorted() {
                found += try rows("SELECT id, name FROM package WHERE id = ?", of: id) { (id: $0.integer(0), name: $0.text(1)) }
                let read = "SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE v.package = ?"
                for version in try rows(read, of: id, SQLiteRecords.version) {
                    dependencies += try rows("SELECT * FROM dependency WHERE version = ?", of: version.id, SQLiteRecords.dependency)
                    links += try rows("SELECT tag FROM version_tag WHERE version = ?", of: version.id) { $0.integer(0) }
                }
                dependencies += try rows("SELECT * FROM dependency WHERE target = ?", of: id, SQLiteRecords.dependency)
            }
            let delete = try database.statement("DELETE FROM package WHERE id = ?")
            for package in found {
                delete.bind(1, package.id)
                try delete.run()
            }
            withExtendedLifetime((dependencies, links)) {}
            return Answer(count: found.count)
        }
    }

    func delete(_ packages: [Int64]) throws -> Answer {
        let database = try database
        let delete = try database.statement("DELETE FROM package WHERE id = ?")
        var count = 0
        try database.transaction {
            for id in packages.sorted() {
                delete.bind(1, id)
                try delete.run()
                count += database.changes
            }
        }
        return Answer(count: count)
    }
}
