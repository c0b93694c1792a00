import BenchPeers
import DebianArchive
import Strata
import StrataWorkload

/// A participant whose stores a container opens.
protocol ContainerParticipant: AnyObject {
    var container: PersistentContainer? { get set }
}

extension ContainerParticipant {
    func close() throws {
        guard let container else { return }
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
        self.container = nil
    }
}

/// The archive as an object graph: the steps that do not depend on the stores that its entities are in.
protocol ArchiveGraph: Participant, ContainerParticipant {}

extension ArchiveGraph {
    /// Runs a step with a context of its own.
    func run(_ body: (ManagedObjectContext) throws -> Answer) throws -> Answer {
        let container = try container.opened(by: "Strata")
        return try container.newBackgroundContext().performAndWait(body)
    }

    /// Runs a reading step over one snapshot of all stores, as the peers do in one transaction.
    func read(_ body: (ManagedObjectContext) throws -> Answer) throws -> Answer {
        try run { context in try context.withSnapshot { try body(context) } }
    }

    func counts() throws -> Answer {
        try read { context in
            var answer = Answer()
            for (entity, name) in ArchiveNames.entities {
                answer.add(key: Int64(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: entity))), name: name)
            }
            return answer
        }
    }

    func range(_ sizes: [ArchiveParameters.SizeRange]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for size in sizes {
                let request = ObjectFetchRequest<VersionObject>(VersionObject.installedSize.between(size.low...size.high))
                for version in try context.fetch(request) { answer.add(version) }
            }
            return answer
        }
    }

    func text(words: [String], prefixes: [String]) throws -> Answer {
        try read { context in
            var answer = Answer()
            for word in words {
                for version in try context.fetch(ObjectFetchRequest<VersionObject>(VersionObject.summary.contains(word))) {
                    answer.add(version)
                }
            }
            for prefix in prefixes {
                for package in try context.fetch(ObjectFetchRequest<PackageObject>(PackageObject.name.beginsWith(prefix))) {
                    answer.add(key: package.id, name: package.name)
                }
            }
            return answer
        }
    }
}

/// The names of the entities in the model and in the answers.
enum ArchiveNames {
    static let entities = [
        ("Section", "sections"), ("Maintainer", "maintainers"), ("Tag", "tags"), ("Package", "packages"), ("Version", "versions"),
        ("Dependency", "dependencies"),
    ]
}
