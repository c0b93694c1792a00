import DebianArchive
import FoundationEssentials
import Strata
import StrataWorkload

/// The archive as one object graph in one store.
final class StrataArchive<Choice: StoreChoice>: ArchiveGraph {
    static var name: String { Choice.name }
    static var kind: ParticipantKind { .strata }
    static var grouping: ProcessGrouping { Choice.grouping }
    static var reference: String { Choice.reference }
    static var steps: [ArchiveStep] { Choice.archiveSteps }
    static var notes: [String] { Choice.notes }

    private let store: StoreDescription
    var container: PersistentContainer?

    init(directory: String) throws { store = try Choice.store(directory) }

    func open() throws { container = try PersistentContainer(model: ArchiveModel.make(), stores: [store]) }

    func importing(_ dataset: Dataset) throws -> Answer {
        try open()
        return try run { try dataset.save(in: $0) }
    }

    /// The IDs of objects whose keys count from 1: an import gives references in the same order, without gaps.
    private func ids<Object: ManagedObject>(_ type: Object.Type, _ keys: [Int64], _ context: ManagedObjectContext) throws -> [ObjectID] {
        // Any object will do: one found by a sort would take longer than what is measured.
        var request = ObjectFetchRequest<Object>(limit: 1)
        request.includesPendingChanges = false
        guard let first = try context.fetch(request).first, let key = try first.value(forKey: "id") as? Int else { return [] }
        return keys.map { ObjectID(scope: first.objectID.scope, reference: first.objectID.reference + $0 - Int64(key)) }
    }

    func byName(_ names: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for name in names {
                for package in try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.name == name)) {
                    for version in package[PackageObject.versions] {
                        guard let section = version[VersionObject.section], let maintainer = version[VersionObject.maintainer] else {
                            continue
                        }
                        answer.add(
                            version, package: package.name, section: section.name, maintainer: maintainer.name, email: maintainer.email)
                        for tag in version[VersionObject.tags] { answer.add(key: version.id, name: tag.name) }
                    }
                }
            }
            return answer
        }
    }

    func byID(_ versions: [Int64]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for id in try ids(VersionObject.self, versions, context) {
                if let version = try context.existingObject(with: id) as? VersionObject { answer.add(version) }
            }
            return answer
        }
    }

    func tagged(_ tags: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for name in tags {
                for tag in try context.fetch(ObjectFetchRequest<TagObject>(TagObject.name == name)) {
                    for version in tag[TagObject.versions] { answer.add(version) }
                }
            }
            return answer
        }
    }

    func grouping() throws -> Answer {
        try read { context in
            var answer = Answer()
            let sectionName = VersionObject.section.appending(SectionObject.name)
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<VersionObject>().grouped(
                    by: [ExpressionDescription(sectionName)], computing: [.count(), .sum("installedSize", as: "size")]))
            for group in groups {
                guard case .string(let name) = group[sectionName.path], case .int(let count) = group["count"],
                    case .int(let size) = group["size"]
                else { continue }
                answer.add(section: name, versions: count, installedSize: size)
            }
            return answer
        }
    }

    func closure(_ roots: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for (index, root) in roots.enumerated() {
                var reached: Set<PackageObject> = []
                var frontier = try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.name == root))
                while let package = frontier.popLast() {
                    guard reached.insert(package).inserted else { continue }
                    answer.add(root: index, reached: package.id)
                    for version in package[PackageObject.versions] {
                        for dependency in version[VersionObject.dependencies] where dependency.kind <= DependencyKind.depends.rawValue {
                            if let target = dependency[DependencyObject.target], !reached.contains(target) { frontier.append(target) }
                        }
                    }
                }
            }
            return answer
        }
    }

    func readAll() throws -> Answer {
        try read { context in
            var answer = Answer()
            let packages = try context.fetch(ObjectFetchRequest<PackageObject>())
            let versions = try context.fetch(ObjectFetchRequest<VersionObject>())
            for version in versions { answer.add(version) }
            for dependency in try context.fetch(ObjectFetchRequest<DependencyObject>()) {
                answer.add(
                    dependency, version: dependency[DependencyObject.version]?.id ?? 0, target: dependency[DependencyObject.target]?.id)
            }
            withExtendedLifetime((packages, versions)) {}
            return answer
        }
    }

    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try run { context in
            let objects = try context.existingObjects(with: ids(VersionObject.self, versions, context))
            for case let version as VersionObject in objects { version.change(growth, priority) }
            try context.save()
            return Answer(count: objects.count)
        }
    }

    func updateSingly(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try run { context in
            var answer = Answer()
            for id in try ids(VersionObject.self, versions, context) {
                guard let version = try context.existingObject(with: id) as? VersionObject else { continue }
                version.change(growth, priority)
                try context.save()
                answer.count += 1
            }
            return answer
        }
    }

    func delete(_ packages: [Int64]) throws -> Answer {
        try run { context in
            let objects = try context.existingObjects(with: ids(PackageObject.self, packages, context))
            for package in objects { context.delete(package) }
            try context.save()
            return Answer(count: objects.count)
        }
    }
}

extension Dataset {
    /// Saves the archive as an object graph.
    func save(in context: ManagedObjectContext) throws -> Answer {
        let sections = self.sections.map { SectionObject($0, in: context) }
        let maintainers = self.maintainers.map { MaintainerObject($0, in: context) }
        let tags = self.tags.map { TagObject($0, in: context) }
        let packages = self.packages.map { PackageObject($0, in: context) }
        let versions = self.versions.map { row in
            let version = VersionObject(context: context)
            version.fill(row)
            version[VersionObject.package] = packages[Int(row.package) - 1]
            version[VersionObject.section] = sections[Int(row.section) - 1]
            version[VersionObject.maintainer] = maintainers[Int(row.maintainer) - 1]
            for tag in row.tags { version.add(tags[Int(tag) - 1], to: VersionObject.tags) }
            return version
        }
        for row in dependencies {
            let dependency = DependencyObject(context: context)
            dependency.fill(row)
            dependency[DependencyObject.version] = versions[Int(row.version) - 1]
            if let target = row.target { dependency[DependencyObject.target] = packages[Int(target) - 1] }
        }
        try context.save()
        return Answer(count: rowCount)
    }
}
