import BenchLMDB
import DebianArchive
import StrataWorkload

/// The C API with packed values, a database for each table and each index.
final class RawLMDB: Participant {
    static let name = "raw LMDB"
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.perStep
    static let reference = name
    static let notes = ["raw LMDB: C API, packed values, integer keys, an index database for each index; every commit synced"]

    enum Table: Int, CaseIterable {
        case sections, maintainers, tags, packages, versions, dependencies
        case packageNames, tagNames
        case versionsByPackage, versionsByInstalledSize, tagsByVersion, versionsByTag, dependenciesByVersion, dependenciesByTarget

        var shape: LMDBEnvironment.Shape {
            switch self {
            case .sections, .maintainers, .tags, .packages, .versions, .dependencies: .records
            case .packageNames, .tagNames: .names
            default: .index
            }
        }
    }

    private let path: String
    private var opened: LMDBEnvironment?
    private var writer = RecordWriter()

    init(directory: String) { path = directory + "/archive.lmdb" }

    func open() throws { opened = try LMDBEnvironment(path: path, mapSize: 1 << 32, shapes: Table.allCases.map(\.shape)) }

    func close() {
        opened?.close()
        opened = nil
    }

    var environment: LMDBEnvironment {
        get throws {
            try opened.opened(by: "LMDB")
        }
    }

    func database(_ table: Table) throws -> MDB_dbi { try environment.databases[table.rawValue] }

    func put(
        _ table: Table,
        _ key: Int64,
        _ transaction: LMDBTransaction,
        append: Bool = true,
        _ pack: (inout RecordWriter) -> Void
    ) throws {
        writer.reset()
        pack(&writer)
        let database = try database(table)
        try writer.bytes.withUnsafeBytes { try transaction.put(database, key, $0, flags: append ? MDB_APPEND : 0) }
    }

    func importing(_ dataset: Dataset) throws -> Answer {
        try open()
        try environment.write { transaction in
            for row in dataset.sections { try put(.sections, row.id, transaction) { $0.put(row.name) } }
            for row in dataset.maintainers {
                try put(.maintainers, row.id, transaction) {
                    $0.put(row.name)
                    $0.put(row.email)
                }
            }
            for row in dataset.tags {
                try put(.tags, row.id, transaction) { $0.put(row.name) }
                try transaction.put(try database(.tagNames), row.name, row.id)
            }
            for row in dataset.packages {
                try put(.packages, row.id, transaction) { $0.put(row.name) }
                try transaction.put(try database(.packageNames), row.name, row.id)
            }
            for row in dataset.versions {
                try put(.versions, row.id, transaction) { LMDBRecords.pack(row, &$0) }
                try transaction.put(try database(.versionsByPackage), row.package, row.id)
                try transaction.put(try database(.versionsByInstalledSize), row.installedSize, row.id)
                for tag in row.tags {
                    try transaction.put(try database(.tagsByVersion), row.id, tag)
                    try transaction.put(try database(.versionsByTag), tag, row.id)
                }
            }
            for row in dataset.dependencies {
                try put(.dependencies, row.id, transaction) { LMDBRecords.pack(row, &$0) }
                try transaction.put(try database(.dependenciesByVersion), row.version, row.id, flags: MDB_APPENDDUP)
                if let target = row.target { try transaction.put(try database(.dependenciesByTarget), target, row.id) }
            }
        }
        return Answer(count: dataset.rowCount)
    }

    func counts() throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            let tables: [(Table, String)] = [
                (.sections, "sections"), (.maintainers, "maintainers"), (.tags, "tags"), (.packages, "packages"),
                (.versions, "versions"), (.dependencies, "dependencies"),
            ]
            for (table, name) in tables { answer.add(key: Int64(try transaction.count(try database(table))), name: name) }
            return answer
        }
    }

    func version(_ id: Int64, _ transaction: LMDBTransaction) throws -> Version? {
        try transaction.get(try database(.versions), id).map { LMDBRecords.version(id, $0) }
    }

    func name(_ table: Table, _ id: Int64, _ transaction: LMDBTransaction) throws -> String {
        guard let bytes = try transaction.get(try database(table), id) else { return "" }
        var reader = RecordReader(bytes)
        return reader.text()
    }

    func byName(_ names: [String]) throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            for name in names {
                guard let package = try transaction.get(try database(.packageNames), name) else { continue }
                for id in try transaction.values(try database(.versionsByPackage), of: package) {
                    guard let version = try version(id, transaction),
                        let bytes = try transaction.get(try database(.maintainers), version.maintainer)
                    else { continue }
                    var maintainer = RecordReader(bytes)
                    let section = try self.name(.sections, version.section, transaction)
                    answer.add(version, package: name, section: section, maintainer: maintainer.text(), email: maintainer.text())
                    for tag in try transaction.values(try database(.tagsByVersion), of: id) {
                        answer.add(key: id, name: try self.name(.tags, tag, transaction))
                    }
                }
            }
            return answer
        }
    }

    func byID(_ versions: [Int64]) throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            for id in versions {
                if let version = try version(id, transaction) { answer.add(version) }
            }
            return answer
        }
    }

    func range(_ sizes: [ArchiveParameters.SizeRange]) throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            let index = try database(.versionsByInstalledSize)
            for size in sizes {
                try withUnsafeBytes(of: size.low) { low in
                    try transaction.scan(index, from: low) { key, id in
                        guard key.loadUnaligned(as: Int64.self) <= size.high else { return false }
                        if let version = try version(id.loadUnaligned(as: Int64.self), transaction) { answer.add(version) }
                        return true
                    }
                }
            }
            return answer
        }
    }

    func text(words: [String], prefixes: [String]) throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            for word in words {
                let word = Array(word.utf8)
                try transaction.scan(try database(.versions)) { key, value in
                    guard LMDBRecords.summary(of: value, contains: word) else { return }
                    answer.add(LMDBRecords.version(key.loadUnaligned(as: Int64.self), value))
                }
            }
            for prefix in prefixes {
                let prefix = Array(prefix.utf8)
                try prefix.withUnsafeBytes { start in
                    try transaction.scan(try database(.packageNames), from: start) { key, value in
                        guard key.starts(with: start) else { return false }
                        answer.add(key: value.loadUnaligned(as: Int64.self), name: String(decoding: key, as: UTF8.self))
                        return true
                    }
                }
            }
            return answer
        }
    }

    func tagged(_ tags: [String]) throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            for tag in tags {
                guard let id = try transaction.get(try database(.tagNames), tag) else { continue }
                for id in try transaction.values(try database(.versionsByTag), of: id) {
                    if let version = try version(id, transaction) { answer.add(version) }
                }
            }
            return answer
        }
    }

    func grouping() throws -> Answer {
        try environment.read { transaction in
            var groups: [Int64: (count: Int64, size: Int64)] = [:]
            try transaction.scan(try database(.versions)) { _, value in
                let section = value.loadUnaligned(fromByteOffset: 8, as: Int64.self)
                let size = value.loadUnaligned(fromByteOffset: 24, as: Int64.self)
                groups[section, default: (0, 0)].count += 1
                groups[section, default: (0, 0)].size += size
            }
            var answer = Answer()
            for (section, group) in groups {
                answer.add(
                    section: try name(.sections, section, transaction),
                    versions: group.count,
                    installedSize: group.size
                )
            }
            return answer
        }
    }

    func closure(_ roots: [String]) throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            for (index, root) in roots.enumerated() {
                guard let start = try transaction.get(try database(.packageNames), root) else { continue }
                var reached: Set<Int64> = []
                var frontier = [start]
                while let package = frontier.popLast() {
                    guard reached.insert(package).inserted else { continue }
                    answer.add(root: index, reached: package)
                    for version in try transaction.values(try database(.versionsByPackage), of: package) {
                        for id in try transaction.values(try database(.dependenciesByVersion), of: version) {
                            guard let bytes = try transaction.get(try database(.dependencies), id) else { continue }
                            let target = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
                            let kind = bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
                            if target != 0, kind <= DependencyKind.depends.rawValue { frontier.append(target) }
                        }
                    }
                }
            }
            return answer
        }
    }
}
