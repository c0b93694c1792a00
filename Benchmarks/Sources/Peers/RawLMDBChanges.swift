import BenchLMDB
import DebianArchive
import StrataWorkload

/// The steps that read everything, and those that change what is there.
extension RawLMDB {
    func readAll() throws -> Answer {
        try environment.read { transaction in
            var answer = Answer()
            try transaction.scan(try database(.versions)) { answer.add(LMDBRecords.version($0.loadUnaligned(as: Int64.self), $1)) }
            try transaction.scan(try database(.dependencies)) {
                let row = LMDBRecords.dependency($0.loadUnaligned(as: Int64.self), $1)
                answer.add(row, version: row.version, target: row.target)
            }
            return answer
        }
    }

    func keepAll() throws -> Answer {
        try environment.read { transaction in
            var versions: [Version] = []
            var dependencies: [Dependency] = []
            try transaction.scan(try database(.versions)) { versions.append(LMDBRecords.version($0.loadUnaligned(as: Int64.self), $1)) }
            try transaction.scan(try database(.dependencies)) {
                dependencies.append(LMDBRecords.dependency($0.loadUnaligned(as: Int64.self), $1))
            }
            var answer = Answer()
            for row in versions { answer.add(row) }
            for row in dependencies { answer.add(row, version: row.version, target: row.target) }
            return answer
        }
    }

    func updateAfterReading(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try environment.write { transaction in
            let found = try versions.sorted().compactMap { try version($0, transaction) }
            for row in found { try change(row, growth, priority, transaction) }
            return Answer(count: found.count)
        }
    }

    private func change(_ row: Version, _ growth: Int64, _ priority: String, _ transaction: LMDBTransaction) throws {
        var version = row
        try transaction.delete(try database(.versionsByInstalledSize), version.installedSize, version.id)
        version.installedSize += growth
        version.priority = priority
        try put(.versions, version.id, transaction, append: false) { LMDBRecords.pack(version, &$0) }
        try transaction.put(try database(.versionsByInstalledSize), version.installedSize, version.id)
    }

    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try environment.write { transaction in
            var count = 0
            for id in versions.sorted() {
                guard let version = try version(id, transaction) else { continue }
                try change(version, growth, priority, transaction)
                count += 1
            }
            return Answer(count: count)
        }
    }

    func deleteAfterReading(_ packages: [Int64]) throws -> Answer {
        try environment.write { transaction in
            var versions: [Version] = []
            var dependencies: [Dependency] = []
            for package in packages {
                for id in try transaction.values(try database(.versionsByPackage), of: package) {
                    if let version = try version(id, transaction) { versions.append(version) }
                    dependencies += try self.dependencies(.dependenciesByVersion, of: id, transaction)
                }
                dependencies += try self.dependencies(.dependenciesByTarget, of: package, transaction)
            }
            let answer = try delete(packages, transaction)
            withExtendedLifetime((versions, dependencies)) {}
            return answer
        }
    }

    private func dependencies(_ index: Table, of key: Int64, _ transaction: LMDBTransaction) throws -> [Dependency] {
        try transaction.values(try database(index), of: key).compactMap { id in
            try transaction.get(try database(.dependencies), id).map { LMDBRecords.dependency(id, $0) }
        }
    }

    func delete(_ packages: [Int64]) throws -> Answer {
        try environment.write { try delete(packages, $0) }
    }

    private func delete(_ packages: [Int64], _ transaction: LMDBTransaction) throws -> Answer {
        var count = 0
        for package in packages.sorted() {
            let name = try name(.packages, package, transaction)
            for version in try transaction.values(try database(.versionsByPackage), of: package) {
                try deleteVersion(version, transaction)
            }
            _ = try transaction.delete(try database(.versionsByPackage), package)
            for id in try transaction.values(try database(.dependenciesByTarget), of: package) {
                guard let bytes = try transaction.get(try database(.dependencies), id) else { continue }
                var row = LMDBRecords.dependency(id, bytes)
                row.target = nil
                try put(.dependencies, id, transaction, append: false) { LMDBRecords.pack(row, &$0) }
            }
            _ = try transaction.delete(try database(.dependenciesByTarget), package)
            try transaction.delete(try database(.packageNames), name)
            if try transaction.delete(try database(.packages), package) { count += 1 }
        }
        return Answer(count: count)
    }

    private func deleteVersion(_ id: Int64, _ transaction: LMDBTransaction) throws {
        guard let version = try version(id, transaction) else { return }
        for tag in try transaction.values(try database(.tagsByVersion), of: id) {
            try transaction.delete(try database(.versionsByTag), tag, id)
        }
        _ = try transaction.delete(try database(.tagsByVersion), id)
        for dependency in try transaction.values(try database(.dependenciesByVersion), of: id) {
            guard let bytes = try transaction.get(try database(.dependencies), dependency) else { continue }
            if let target = LMDBRecords.dependency(dependency, bytes).target {
                try transaction.delete(try database(.dependenciesByTarget), target, dependency)
            }
            _ = try transaction.delete(try database(.dependencies), dependency)
        }
        _ = try transaction.delete(try database(.dependenciesByVersion), id)
        try transaction.delete(try database(.versionsByInstalledSize), version.installedSize, id)
        _ = try transaction.delete(try database(.versions), id)
    }
}
