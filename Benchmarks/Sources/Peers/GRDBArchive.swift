import DebianArchive
import GRDB
import StrataWorkload

/// A participant that opens a queue of GRDB.
protocol QueueParticipant: AnyObject {
    var queue: DatabaseQueue? { get set }
}

extension QueueParticipant {
    func close() throws {
        try queue?.close()
        queue = nil
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let queue = try queue.opened(by: "GRDB")
        return try queue.read(body)
    }

    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let queue = try queue.opened(by: "GRDB")
        return try queue.write(body)
    }
}

/// GRDB's records, requests and associations over the same tables as raw SQLite.
final class GRDBArchive: ConnectionPerThread, QueueParticipant {
    static let name = "GRDB"
    static let kind = ParticipantKind.peer
    static let grouping = ProcessGrouping.perStep
    static let notes = ["GRDB 7: records as in its README (decoded by column name), requests and associations"]

    /// A record is deleted by its key, and what belongs to it by the database.
    static let equivalents: [ArchiveStep: ArchiveStep] = [.readAll: .keepAll, .update: .readUpdate]

    let directory: String
    var queue: DatabaseQueue?

    init(directory: String) { self.directory = directory }

    func open() throws { queue = try Self.open(directory + "/archive-grdb.sqlite") }

    /// A queue with the settings of every SQLite participant.
    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        // Not by `journalMode`, which relaxes `synchronous` after these.
        configuration.prepareDatabase { database in
            for pragma in SQLiteSettings.pragmas { try database.execute(sql: pragma) }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    func importing(_ dataset: Dataset) throws -> Answer {
        try open()
        try write { database in
            for sql in ArchiveSchema.tables + ArchiveSchema.indexes { try database.execute(sql: sql) }
            for row in dataset.sections { try GRDBRecords.Section(id: row.id, name: row.name).insert(database) }
            for row in dataset.maintainers {
                try GRDBRecords.Maintainer(id: row.id, name: row.name, email: row.email).insert(database)
            }
            for row in dataset.tags { try GRDBRecords.Tag(id: row.id, name: row.name).insert(database) }
            for row in dataset.packages { try GRDBRecords.Package(id: row.id, name: row.name).insert(database) }
            for row in dataset.versions {
                try GRDBRecords.Version(row).insert(database)
                for tag in row.tags { try GRDBRecords.VersionTag(version: row.id, tag: tag).insert(database) }
            }
            for row in dataset.dependencies { try row.insert(database) }
        }
        return Answer(count: dataset.rowCount)
    }

    func counts() throws -> Answer {
        try read { database in
            var answer = Answer()
            for (table, name) in ArchiveSchema.entities {
                answer.add(key: Int64(try Table(table).fetchCount(database)), name: name)
            }
            return answer
        }
    }

    func byName(_ names: [String]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for name in names {
                guard let package = try GRDBRecords.Package.filter(Column("name") == name).fetchOne(database) else { continue }
                for version in try package.versions.fetchAll(database) {
                    guard let section = try GRDBRecords.Section.fetchOne(database, key: version.section),
                        let maintainer = try GRDBRecords.Maintainer.fetchOne(database, key: version.maintainer)
                    else { continue }
                    answer.add(
                        version,
                        package: name,
                        section: section.name,
                        maintainer: maintainer.name,
                        email: maintainer.email
                    )
                    for tag in try version.tags.fetchAll(database) { answer.add(key: version.id, name: tag.name) }
                }
            }
            return answer
        }
    }

    func byID(_ versions: [Int64]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for id in versions {
                if let version = try GRDBRecords.Version.fetchOne(database, key: id) { answer.add(version) }
            }
            return answer
        }
    }

    func range(_ sizes: [ArchiveParameters.SizeRange]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for size in sizes {
                let request = GRDBRecords.Version.filter((size.low...size.high).contains(Column("installed_size")))
                for version in try request.fetchAll(database) { answer.add(version) }
            }
            return answer
        }
    }

    func text(words: [String], prefixes: [String]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for word in words {
                let request = GRDBRecords.Version.filter(sql: "instr(summary, ?) > 0", arguments: [word])
                for version in try request.fetchAll(database) { answer.add(version) }
            }
            for prefix in prefixes {
                let name = Column("name")
                let request = GRDBRecords.Package.filter(name >= prefix && name < prefix + "\u{10FFFF}")
                for package in try request.fetchAll(database) { answer.add(key: package.id, name: package.name) }
            }
            return answer
        }
    }

    func tagged(_ tags: [String]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for name in tags {
                guard let tag = try GRDBRecords.Tag.filter(Column("name") == name).fetchOne(database) else { continue }
                for version in try tag.versions.fetchAll(database) { answer.add(version) }
            }
            return answer
        }
    }

    func grouping() throws -> Answer {
        try read { database in
            var answer = Answer()
            let rows = try Row.fetchCursor(database, sql: ArchiveSchema.groupBySection)
            while let row = try rows.next() { answer.add(section: row[0], versions: row[1], installedSize: row[2]) }
            return answer
        }
    }

    func closure(_ roots: [String]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for (index, root) in roots.enumerated() {
                var reached: Set<Int64> = []
                var frontier = try GRDBRecords.Package.filter(Column("name") == root).fetchAll(database)
                while let package = frontier.popLast() {
                    guard reached.insert(package.id).inserted else { continue }
                    answer.add(root: index, reached: package.id)
                    for version in try package.versions.fetchAll(database) {
                        let needed = version.dependencies.filter(
                            Column("kind") <= DependencyKind.depends.rawValue && Column("target") != nil
                        )
                        let targets = try needed.fetchAll(database).compactMap(\.target).filter { !reached.contains($0) }
                        frontier += try GRDBRecords.Package.fetchAll(database, keys: targets)
                    }
                }
            }
            return answer
        }
    }

    func readAll() throws -> Answer {
        try read { database in
            var answer = Answer()
            for version in try GRDBRecords.Version.fetchAll(database) { answer.add(version) }
            for dependency in try Dependency.fetchAll(database) {
                answer.add(dependency, version: dependency.version, target: dependency.target)
            }
            return answer
        }
    }

    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try write { database in
            var count = 0
            for id in versions.sorted() {
                guard var version = try GRDBRecords.Version.fetchOne(database, key: id) else { continue }
                let changed = try version.updateChanges(database) {
                    $0.installedSize += growth
                    $0.priority = priority
                }
                if changed { count += 1 }
            }
            return Answer(count: count)
        }
    }

    func deleteAfterReading(_ packages: [Int64]) throws -> Answer {
        try write { database in
            var dependencies: [Dependency] = []
            var tags: [GRDBRecords.Tag] = []
            let records = try packages.sorted().compactMap { try GRDBRecords.Package.fetchOne(database, key: $0) }
            for package in records {
                for version in try package.versions.fetchAll(database) {
                    dependencies += try version.dependencies.fetchAll(database)
                    tags += try version.tags.fetchAll(database)
                }
                dependencies += try Dependency.filter(Column("target") == package.id).fetchAll(database)
            }
            var count = 0
            for package in records where try package.delete(database) { count += 1 }
            withExtendedLifetime((dependencies, tags)) {}
            return Answer(count: count)
        }
    }

    func delete(_ packages: [Int64]) throws -> Answer {
        try write { database in
            var count = 0
            for id in packages.sorted() where try GRDBRecords.Package.deleteOne(database, key: id) { count += 1 }
            return Answer(count: count)
        }
    }
}
