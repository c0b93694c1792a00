package import Strata
import StrataBinary
import StrataCoordinator
import StrataFiles
import StrataLMDB
import StrataPlatform
import StrataSQLite
import StrataStore
import StrataXML
import Synchronization

/// Eight threads that save to stores of all kinds at once, while the stores are backed up again and again.
package enum BackupWriters {
    package static let count = 8
    package static let kinds: [(name: String, driver: any StoreDriver)] = [
        ("sqlite", .sqlite), ("lmdb", .lmdb), ("binary", .binary), ("xml", .xml),
    ]

    package static let model = Result {
        try ManagedObjectModel(
            entities: kinds.map { kind in
                Entity("Note_\(kind.name)") {
                    Attribute("writer", .integer64).required
                    Attribute("number", .integer64).required
                }
            },
            configurations: kinds.map { EntityConfiguration($0.name, entities: ["Note_\($0.name)"]) })
    }

    package static func descriptions(in directory: String) -> [StoreDescription] {
        kinds.map { kind in
            var description = StoreDescription(.sqlite, path: PathName.joining(directory, "notes.\(kind.name)"), configuration: kind.name)
            description.driver = kind.driver
            description.options.timeout = 60
            return description
        }
    }

    /// Saves a note of each writer to each store, and reports `began <writer> <number>` before and `saved` after it, `backing <ID of the
    /// last>` before and `backed <ID>` after each backup; goes on until it is killed.
    static func run(_ directory: String) throws {
        let container = try PersistentContainer(model: model.get(), stores: descriptions(in: directory))
        let coordinator = container.coordinator
        let failed = Failure()
        for writer in 0..<count {
            let context = ManagedObjectContext(coordinator)
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Note_sqlite", key("writer") == writer)
            let first = try context.count(for: request)
            _ = OwnThread.run {
                do {
                    let context = ManagedObjectContext(coordinator)
                    for number in (first + 1)... {
                        Pipe.write("began \(writer) \(number)")
                        for kind in kinds {
                            let note = try context.insert("Note_\(kind.name)")
                            try note.setValue(writer, forKey: "writer")
                            try note.setValue(number, forKey: "number")
                        }
                        try context.save()
                        Pipe.write("saved \(writer) \(number)")
                    }
                } catch { failed.message.withLock { $0 = "\(error)" } }
            }
        }
        while true {
            if let message = failed.message.withLock({ $0 }) { throw Violation(message) }
            Pipe.write("backing")
            let backup = try coordinator.backUp(to: PathName.joining(directory, "backup"))
            Pipe.write("backed \(backup.id)")
        }
    }

    private final class Failure: Sendable {
        let message = Mutex<String?>(nil)
    }
}
