import DebianArchive
import FoundationEssentials
import Strata
import StrataBinary
import StrataInMemory
import StrataLMDB
import StrataSQLite
import StrataWorkload
import StrataXML

/// The archive through one coordinator over five stores, each group of entities in the store that suits it.
final class StrataFederation: ArchiveGraph {
    static let name = "Strata, five stores"
    static let kind = ParticipantKind.strata
    static let grouping = ProcessGrouping.perPhase
    static let notes = [
        "five stores, SQLite: packages and versions; the bulk of the text, queried by range and pattern",
        "five stores, LMDB: dependencies and tag links; many small rows, looked up by key, walked as a graph",
        "five stores, binary: maintainers; read together, changed rarely",
        "five stores, XML: sections and tags; a small vocabulary that people may edit",
        "five stores, in-memory: totals per section; derived, not worth a file",
    ]

    private let directory: String
    var container: PersistentContainer?

    init(directory: String) { self.directory = directory }

    func open() throws {
        container = try PersistentContainer(
            model: FederatedModel.make(),
            stores: [
                StoreDescription(.sqlite, path: directory + "/catalogue.sqlite", configuration: "catalogue"),
                StoreDescription(.lmdb, path: directory + "/graph.lmdb", configuration: "graph"),
                StoreDescription(.binary, path: directory + "/people.binary", configuration: "people"),
                StoreDescription(.xml, path: directory + "/vocabulary.xml", configuration: "vocabulary"),
                StoreDescription(.inMemory, configuration: "totals"),
            ])
    }

    func importing(_ dataset: Dataset) throws -> Answer {
        try open()
        return try run { context in
            for row in dataset.sections { _ = SectionObject(row, in: context) }
            for row in dataset.maintainers { _ = MaintainerObject(row, in: context) }
            for row in dataset.tags { _ = TagObject(row, in: context) }
            let packages = dataset.packages.map { PackageObject($0, in: context) }
            for row in dataset.versions {
                let version = VersionObject(context: context)
                version.fill(row)
                version[VersionObject.sectionKey] = row.section
                version[VersionObject.maintainerKey] = row.maintainer
                version[VersionObject.package] = packages[Int(row.package) - 1]
                for tag in row.tags {
                    let link = TagLinkObject(context: context)
                    link[TagLinkObject.versionKey] = row.id
                    link[TagLinkObject.tagKey] = tag
                }
            }
            for row in dataset.dependencies {
                let dependency = DependencyObject(context: context)
                dependency.fill(row)
                dependency[DependencyObject.versionKey] = row.version
                dependency[DependencyObject.targetKey] = row.target
            }
            try context.save()
            return Answer(count: dataset.rowCount)
        }
    }

    // MARK: - Joins by key

    private func versions(_ keys: [Int64], _ context: ManagedObjectContext) throws -> [VersionObject] {
        try context.fetch(ObjectFetchRequest(VersionObject.id.isIn(keys)))
    }

    private func names<Object: ManagedObject>(_ request: ObjectFetchRequest<Object>, _ context: ManagedObjectContext) throws -> [Int64:
        Object]
    {
        let id = Key<Int64>("id")
        return Dictionary(try context.fetch(request).map { ($0[id] ?? 0, $0) }) { first, _ in first }
    }

    func byName(_ names: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for name in names {
                for package in try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.name == name)) {
                    for version in package[PackageObject.versions] {
                        let section = try context.fetch(
                            ObjectFetchRequest<SectionObject>(SectionObject.id == version[VersionObject.sectionKey]))
                        let maintainer = try context.fetch(
                            ObjectFetchRequest<MaintainerObject>(MaintainerObject.id == version[VersionObject.maintainerKey]))
                        guard let section = section.first, let maintainer = maintainer.first else { continue }
                        answer.add(
                            version, package: package.name, section: section.name, maintainer: maintainer.name, email: maintainer.email)
                        let links = try context.fetch(ObjectFetchRequest<TagLinkObject>(TagLinkObject.versionKey == version.id))
                        for tag in try context.fetch(ObjectFetchRequest<TagObject>(TagObject.id.isIn(links.map(\.tagKey)))) {
                            answer.add(key: version.id, name: tag.name)
                        }
                    }
                }
            }
            return answer
        }
    }

    func byID(_ versions: [Int64]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for key in versions {
                for version in try context.fetch(ObjectFetchRequest<VersionObject>(VersionObject.id == key)) { answer.add(version) }
            }
            return answer
        }
    }

    func tagged(_ tags: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for name in tags {
                for tag in try context.fetch(ObjectFetchRequest<TagObject>(TagObject.name == name)) {
                    let links = try context.fetch(ObjectFetchRequest<TagLinkObject>(TagLinkObject.tagKey == tag.id))
                    for version in try versions(links.map(\.versionKey), context) { answer.add(version) }
                }
            }
            return answer
        }
    }

    /// Groups in SQLite by key, keeps the totals in memory, and joins them to the names in XML.
    func grouping() throws -> Answer {
        try run { context in
            if try context.count(for: ObjectFetchRequest<SectionTotalObject>()) == 0 {
                let groups = try context.fetchDictionaries(
                    ObjectFetchRequest<VersionObject>().grouped(
                        by: ["sectionKey"], computing: [.count(), .sum("installedSize", as: "size")]))
                for group in groups {
                    let total = SectionTotalObject(context: context)
                    total[SectionTotalObject.sectionKey] = group["sectionKey"].flatMap(Int64.init(value:))
                    total[SectionTotalObject.versions] = group["count"].flatMap(Int64.init(value:))
                    total[SectionTotalObject.installedSize] = group["size"].flatMap(Int64.init(value:))
                }
                try context.save()
            }
            var answer = Answer()
            let sections = try names(ObjectFetchRequest<SectionObject>(), context)
            for total in try context.fetch(ObjectFetchRequest<SectionTotalObject>()) {
                guard let section = total[SectionTotalObject.sectionKey].flatMap({ sections[$0] }) else { continue }
                answer.add(
                    section: section.name, versions: total[SectionTotalObject.versions] ?? 0,
                    installedSize: total[SectionTotalObject.installedSize] ?? 0)
            }
            return answer
        }
    }

    func closure(_ roots: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for (index, root) in roots.enumerated() {
                var reached: Set<Int64> = []
                var frontier = try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.name == root)).map(\.id)
                // A level at a time: two fetches serve all packages found in the one before.
                while !frontier.isEmpty {
                    frontier = frontier.filter { reached.insert($0).inserted }
                    for package in frontier { answer.add(root: index, reached: package) }
                    let packages = try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.id.isIn(frontier)))
                    let versions = packages.flatMap { $0[PackageObject.versions].map(\.id) }
                    let needed = DependencyObject.versionKey.isIn(versions) && DependencyObject.kind <= DependencyKind.depends.rawValue
                    let dependencies = try context.fetch(ObjectFetchRequest<DependencyObject>(needed))
                    frontier = Array(Set(dependencies.compactMap { $0[DependencyObject.targetKey] }).subtracting(reached))
                }
            }
            return answer
        }
    }

    func readAll() throws -> Answer {
        try read { context in
            var answer = Answer()
            for version in try context.fetch(ObjectFetchRequest<VersionObject>()) { answer.add(version) }
            for dependency in try context.fetch(ObjectFetchRequest<DependencyObject>()) {
                answer.add(
                    dependency, version: dependency[DependencyObject.versionKey] ?? 0, target: dependency[DependencyObject.targetKey])
            }
            return answer
        }
    }

    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try run { context in
            let objects = try self.versions(versions, context)
            for version in objects { version.change(growth, priority) }
            try context.save()
            return Answer(count: objects.count)
        }
    }

    func updateSingly(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try run { context in
            var answer = Answer()
            for id in versions {
                for version in try self.versions([id], context) {
                    version.change(growth, priority)
                    try context.save()
                    answer.count += 1
                }
            }
            return answer
        }
    }

    /// Within SQLite the delete rules cascade; what hangs on the deleted objects in LMDB goes by key, in the same save.
    func delete(_ packages: [Int64]) throws -> Answer {
        try run { context in
            let objects = try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.id.isIn(packages)))
            let versions = objects.flatMap { $0[PackageObject.versions].map(\.id) }
            for package in objects { context.delete(package) }
            for link in try context.fetch(ObjectFetchRequest<TagLinkObject>(TagLinkObject.versionKey.isIn(versions))) {
                context.delete(link)
            }
            for dependency in try context.fetch(ObjectFetchRequest<DependencyObject>(DependencyObject.versionKey.isIn(versions))) {
                context.delete(dependency)
            }
            for dependent in try context.fetch(ObjectFetchRequest<DependencyObject>(DependencyObject.targetKey.isIn(packages)))
            where !dependent.isDeleted {
                dependent[DependencyObject.targetKey] = nil
            }
            try context.save()
            return Answer(count: objects.count)
        }
    }
}
