import DebianArchive
import StrataWorkload

/// libpq with prepared statements and sets: the denominator of the store on a server.
final class RawPostgreSQL: ConnectionPerThread {
    static let name = ServerParticipant.raw
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.perStep
    static let reference = name
    /// The tables of a server are not copied.
    static let steps = ArchiveStep.allCases.filter { !worksOnCopy($0) }
    static let notes = ["raw libpq: prepared statements, COPY, values in binary form, sets of keys as arrays, rows into Swift structs"]

    let directory: String
    private let schema: String
    private var connection: PostgreSQLDatabase?

    init(directory: String) throws {
        self.directory = directory
        schema = try BenchSchema.prepared("raw_archive", directory)
    }

    func open() throws { connection = try PostgreSQLDatabase(schema: schema) }

    func close() { connection = nil }

    private var database: PostgreSQLDatabase {
        get throws {
            try connection.opened(by: "libpq")
        }
    }

    func importing(_ dataset: Dataset) throws -> Answer {
        try open()
        let database = try database
        try database.transaction {
            try database.execute("CREATE SCHEMA \"\(schema)\"")
            for sql in ArchiveSchema.tables + ArchiveSchema.indexes { try database.execute(ArchiveSchema.postgreSQL(sql)) }
            try database.copy(into: "section", dataset.sections) { row, values in
                values.add(row.id)
                values.add(row.name)
            }
            try database.copy(into: "maintainer", dataset.maintainers) { row, values in
                values.add(row.id)
                values.add(row.name)
                values.add(row.email)
            }
            try database.copy(into: "tag", dataset.tags) { row, values in
                values.add(row.id)
                values.add(row.name)
            }
            try database.copy(into: "package", dataset.packages) { row, values in
                values.add(row.id)
                values.add(row.name)
            }
            try database.copy(into: "version", dataset.versions) { $1.add($0) }
            let links = dataset.versions.lazy.flatMap { version in version.tags.lazy.map { (version.id, $0) } }
            try database.copy(into: "version_tag", links) { link, values in
                values.add(link.0)
                values.add(link.1)
            }
            try database.copy(into: "dependency", dataset.dependencies) { $1.add($0) }
        }
        return Answer(count: dataset.rowCount)
    }

    func counts() throws -> Answer {
        var answer = Answer()
        for (table, name) in ArchiveSchema.entities {
            answer.add(key: try database.run("SELECT COUNT(*) FROM \(table)").integer(0, 0), name: name)
        }
        return answer
    }

    func byName(_ names: [String]) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.reading {
            for name in names {
                var parameters = BinaryRow()
                parameters.add(name)
                let found = try database.run(ArchiveSchema.versionsByName, parameters)
                for row in found.indices {
                    let version = found.version(row)
                    answer.add(
                        version, package: name, section: found.text(row, 12), maintainer: found.text(row, 13), email: found.text(row, 14))
                    let tags = try database.run(ArchiveSchema.tagsOfVersion, BinaryRow(version.id))
                    for tag in tags.indices { answer.add(key: version.id, name: tags.text(tag, 0)) }
                }
            }
        }
        return answer
    }

    func byID(_ versions: [Int64]) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.reading {
            for id in versions {
                let rows = try database.run("SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE v.id = ?", BinaryRow(id))
                for row in rows.indices { answer.add(rows.version(row)) }
            }
        }
        return answer
    }

    func range(_ sizes: [ArchiveParameters.SizeRange]) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.reading {
            for size in sizes {
                let rows = try database.run(
                    "SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE v.installed_size BETWEEN ? AND ?",
                    BinaryRow(size.low, size.high))
                for row in rows.indices { answer.add(rows.version(row)) }
            }
        }
        return answer
    }

    func text(words: [String], prefixes: [String]) throws -> Answer {
        let database = try database
        var answer = Answer()
        for word in words {
            var parameters = BinaryRow()
            parameters.add(word)
            let rows = try database.run("SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE strpos(v.summary, ?) > 0", parameters)
            for row in rows.indices { answer.add(rows.version(row)) }
        }
        for prefix in prefixes {
            var parameters = BinaryRow()
            parameters.add(prefix)
            // No UTF-8 text holds U+10FFFF here, so every name with the prefix sorts below.
            parameters.add(prefix + "\u{10FFFF}")
            let rows = try database.run("SELECT id, name FROM package WHERE name >= ? AND name < ?", parameters)
            for row in rows.indices { answer.add(key: rows.integer(row, 0), name: rows.text(row, 1)) }
        }
        return answer
    }

    func tagged(_ tags: [String]) throws -> Answer {
        var answer = Answer()
        for tag in tags {
            var parameters = BinaryRow()
            parameters.add(tag)
            let rows = try database.run(ArchiveSchema.versionsByTag, parameters)
            for row in rows.indices { answer.add(rows.version(row)) }
        }
        return answer
    }

    func grouping() throws -> Answer {
        let rows = try database.run(
            """
            SELECT s.name, g.count, g.size FROM (SELECT section, COUNT(*) count, SUM(installed_size)::bigint size FROM version GROUP BY section) g
            JOIN section s ON s.id = g.section
            """
        )
        var answer = Answer()
        for row in rows.indices {
            answer.add(section: rows.text(row, 0), versions: rows.integer(row, 1), installedSize: rows.integer(row, 2))
        }
        return answer
    }

    /// What is reached next is asked for all at once: a round trip for each of them is nobody's way to walk on a server.
    func closure(_ roots: [String]) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.reading {
            for (index, root) in roots.enumerated() {
                var parameters = BinaryRow()
                parameters.add(root)
                var rows = try database.run("SELECT id FROM package WHERE name = ?", parameters)
                var reached: Set<Int64> = []
                while true {
                    let frontier = rows.indices.map { rows.integer($0, 0) }.filter { reached.insert($0).inserted }
                    if frontier.isEmpty { break }
                    for package in frontier { answer.add(root: index, reached: package) }
                    var parameters = BinaryRow()
                    parameters.add(frontier)
                    parameters.add(DependencyKind.depends.rawValue)
                    rows = try database.run(
                        """
                        SELECT DISTINCT d.target FROM version v JOIN dependency d ON d.version = v.id
                        WHERE v.package = ANY(?::bigint[]) AND d.kind <= ? AND d.target IS NOT NULL
                        """, parameters)
                }
            }
        }
        return answer
    }

    func readAll() throws -> Answer {
        let database = try database
        var answer = Answer()
        let versions = try database.run("SELECT \(ArchiveSchema.versionColumns) FROM version v")
        for row in versions.indices { answer.add(versions.version(row)) }
        let dependencies = try database.run("SELECT * FROM dependency")
        for row in dependencies.indices {
            let dependency = dependencies.dependency(row)
            answer.add(dependency, version: dependency.version, target: dependency.target)
        }
        return answer
    }

    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        var parameters = BinaryRow()
        parameters.add(growth)
        parameters.add(priority)
        parameters.add(versions)
        let sql = "UPDATE version SET installed_size = installed_size + ?, priority = ? WHERE id = ANY(?::bigint[])"
        return Answer(count: try database.run(sql, parameters).changes)
    }

    func delete(_ packages: [Int64]) throws -> Answer {
        var parameters = BinaryRow()
        parameters.add(packages)
        return Answer(count: try database.run("DELETE FROM package WHERE id = ANY(?::bigint[])", parameters).changes)
    }
}
