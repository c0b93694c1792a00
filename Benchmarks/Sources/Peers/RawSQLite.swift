import DebianArchive
import StrataWorkload

/// The C API with prepared statements: with its indexes present, the denominator of every ratio.
final class RawSQLite<Order: IndexOrder>: ConnectionPerThread {
    static var name: String { Order.name(of: "raw SQLite") }
    static var kind: ParticipantKind { .raw }
    static var grouping: ProcessGrouping { .perStep }
    static var steps: [ArchiveStep] { Order.isDeferred ? [.importing] : ArchiveStep.allCases }
    static var notes: [String] {
        if Order.isDeferred { return ["\(name): its indexes are dropped for the import, and created again in the same transaction"] }
        return [SQLiteSettings.note, "raw SQLite: C API, cached statements, rows into Swift structs"]
    }

    let directory: String
    private var connection: SQLiteDatabase?

    init(directory: String) { self.directory = directory }

    func open() throws { connection = try SQLiteDatabase(path: directory + "/archive.sqlite") }

    func close() throws {
        try connection?.close()
        connection = nil
    }

    var database: SQLiteDatabase {
        get throws {
            try connection.opened(by: "SQLite")
        }
    }

    func importing(_ dataset: Dataset) throws -> Answer {
        try open()
        let database = try database
        try database.transaction {
            for sql in ArchiveSchema.tables + ArchiveSchema.indexes { try database.execute(sql) }
            if Order.isDeferred { for name in ArchiveSchema.indexNames { try database.execute("DROP INDEX \(name)") } }
            let section = try database.statement("INSERT INTO section VALUES (?, ?)")
            for row in dataset.sections {
                section.bind(1, row.id)
                section.bind(2, row.name)
                try section.run()
            }
            let maintainer = try database.statement("INSERT INTO maintainer VALUES (?, ?, ?)")
            for row in dataset.maintainers {
                maintainer.bind(1, row.id)
                maintainer.bind(2, row.name)
                maintainer.bind(3, row.email)
                try maintainer.run()
            }
            let tag = try database.statement("INSERT INTO tag VALUES (?, ?)")
            for row in dataset.tags {
                tag.bind(1, row.id)
                tag.bind(2, row.name)
                try tag.run()
            }
            let package = try database.statement("INSERT INTO package VALUES (?, ?)")
            for row in dataset.packages {
                package.bind(1, row.id)
                package.bind(2, row.name)
                try package.run()
            }
            try insertVersions(dataset.versions, database)
            try insertDependencies(dataset.dependencies, database)
            if Order.isDeferred { for sql in ArchiveSchema.indexes { try database.execute(sql) } }
        }
        return Answer(count: dataset.rowCount)
    }

    private func insertVersions(_ versions: [Version], _ database: SQLiteDatabase) throws {
        let insert = try database.statement("INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        let link = try database.statement("INSERT INTO version_tag VALUES (?, ?)")
        for row in versions {
            insert.bind(1, row.id)
            insert.bind(2, row.package)
            insert.bind(3, row.section)
            insert.bind(4, row.maintainer)
            insert.bind(5, row.version)
            insert.bind(6, row.architecture)
            insert.bind(7, row.priority)
            insert.bind(8, row.summary)
            insert.bind(9, row.homepage)
            insert.bind(10, row.installedSize)
            insert.bind(11, row.size)
            insert.bind(12, row.sha256)
            try insert.run()
            for tag in row.tags {
                link.bind(1, row.id)
                link.bind(2, tag)
                try link.run()
            }
        }
    }

    private func insertDependencies(_ dependencies: [Dependency], _ database: SQLiteDatabase) throws {
        let insert = try database.statement("INSERT INTO dependency VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for row in dependencies {
            insert.bind(1, row.id)
            insert.bind(2, row.version)
            insert.bind(3, row.kind)
            insert.bind(4, row.group)
            insert.bind(5, row.alternative)
            insert.bind(6, row.targetName)
            insert.bind(7, row.target)
            insert.bind(8, row.relation)
            insert.bind(9, row.constraint)
            try insert.run()
        }
    }

    func counts() throws -> Answer {
        var answer = Answer()
        for (table, name) in ArchiveSchema.entities {
            let count = try database.statement("SELECT COUNT(*) FROM \(table)")
            while try count.step() { answer.add(key: count.integer(0), name: name) }
        }
        return answer
    }

    func byName(_ names: [String]) throws -> Answer {
        let database = try database
        let find = try database.statement(ArchiveSchema.versionsByName)
        let tags = try database.statement(ArchiveSchema.tagsOfVersion)
        var answer = Answer()
        try database.reading {
            for name in names {
                find.bind(1, name)
                while try find.step() {
                    let version = SQLiteRecords.version(find)
                    answer.add(version, package: name, section: find.text(12), maintainer: find.text(13), email: find.text(14))
                    tags.bind(1, version.id)
                    while try tags.step() { answer.add(key: version.id, name: tags.text(0)) }
                }
            }
        }
        return answer
    }

    func byID(_ versions: [Int64]) throws -> Answer {
        let database = try database
        let find = try database.statement("SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE v.id = ?")
        var answer = Answer()
        try database.reading {
            for id in versions {
                find.bind(1, id)
                while try find.step() { answer.add(SQLiteRecords.version(find)) }
            }
        }
        return answer
    }

    func range(_ sizes: [ArchiveParameters.SizeRange]) throws -> Answer {
        let database = try database
        let find = try database.statement(
            "SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE v.installed_size BETWEEN ? AND ?"
        )
        var answer = Answer()
        try database.reading {
            for size in sizes {
                find.bind(1, size.low)
                find.bind(2, size.high)
                while try find.step() { answer.add(SQLiteRecords.version(find)) }
            }
        }
        return answer
    }

    func text(words: [String], prefixes: [String]) throws -> Answer {
        let database = try database
        let contains = try database.statement("SELECT \(ArchiveSchema.versionColumns) FROM version v WHERE instr(v.summary, ?) > 0")
        let prefix = try database.statement("SELECT id, name FROM package WHERE name >= ? AND name < ?")
        var answer = Answer()
        for word in words {
            contains.bind(1, word)
            while try contains.step() { answer.add(SQLiteRecords.version(contains)) }
        }
        for text in prefixes {
            prefix.bind(1, text)
            // No UTF-8 text holds U+10FFFF here, so every name with the prefix sorts below.
            prefix.bind(2, text + "\u{10FFFF}")
            while try prefix.step() { answer.add(key: prefix.integer(0), name: prefix.text(1)) }
        }
        return answer
    }

    func tagged(_ tags: [String]) throws -> Answer {
        let find = try database.statement(ArchiveSchema.versionsByTag)
        var answer = Answer()
        for tag in tags {
            find.bind(1, tag)
            while try find.step() { answer.add(SQLiteRecords.version(find)) }
        }
        return answer
    }

    func grouping() throws -> Answer {
        let find = try database.statement(ArchiveSchema.groupBySection)
        var answer = Answer()
        while try find.step() { answer.add(section: find.text(0), versions: find.integer(1), installedSize: find.integer(2)) }
        return answer
    }

    func closure(_ roots: [String]) throws -> Answer {
        let database = try database
        let start = try database.statement("SELECT id FROM package WHERE name = ?")
        let next = try database.statement(ArchiveSchema.dependencyTargets)
        var answer = Answer()
        try database.reading {
            for (index, root) in roots.enumerated() {
                start.bind(1, root)
                var reached: Set<Int64> = []
                var frontier: [Int64] = []
                while try start.step() { frontier.append(start.integer(0)) }
                while let package = frontier.popLast() {
                    guard reached.insert(package).inserted else { continue }
                    answer.add(root: index, reached: package)
                    next.bind(1, package)
                    next.bind(2, DependencyKind.depends.rawValue)
                    while try next.step() { frontier.append(next.integer(0)) }
                }
            }
        }
        return answer
    }
}
