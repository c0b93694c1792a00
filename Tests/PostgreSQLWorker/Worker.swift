import Strata
import StrataPlatform
import StrataPostgreSQL
import StrataSQLite
import StrataStore
import StrataTestModels

/// A process that shares stores with others, for tests.
///
///     StrataPostgreSQLWorker count <url> <schema> <number>
///     StrataPostgreSQLWorker save <url> <schema> <name>
///     StrataPostgreSQLWorker both <url> <schema> <name> <path>
///     StrataPostgreSQLWorker servers <url> <schema> <name> <other schema>
///     StrataPostgreSQLWorker observe <url> <schema>
///     StrataPostgreSQLWorker migrate <url> <schema> <way>
///     StrataPostgreSQLWorker walk <url> <schema> <name> <seed>
///     StrataPostgreSQLWorker walk <path> sqlite|lmdb <name> <seed>
///
/// `count` adds one to the only counter so many times, and writes `done`; `save` saves items `<name>-1`, `<name>-2` … until it is killed, and
/// writes `saved <n>` for each that was acknowledged; `both` saves a note to a SQLite store besides each, `servers` to another schema; `observe` writes the names of items
/// that others save; `migrate` writes `ready`, brings the store to another version of the model, or to the schema `<schema>_copy`, and writes `done`;
/// `walk` makes changes at random, see ``Walker``. What fails otherwise than by a conflict is written as `failed <code> <what>`.
@main
enum Worker {
    static let model = Result.declared {
        Entity("Counter") { Attribute("value", .integer64) }
        Entity("Item") { Attribute("name", .string) }
        Entity("Note") { Attribute("name", .string) }
        EntityConfiguration("items", "Counter", "Item")
        EntityConfiguration("notes", "Note")
    }

    static func main() {
        let arguments = CommandLine.arguments
        do {
            guard arguments.count >= 4 else { throw StoreError(.unsupported, .open, "usage: \(arguments[0]) <command> <url> <schema> …") }
            let argument = arguments.count > 4 ? arguments[4] : ""
            if arguments[1] == "walk", arguments.count > 5 {
                let description = WalkModel.description(arguments[2], arguments[3])
                return try Walker(argument, description, seed: UInt64(arguments[5]) ?? 0).run()
            }
            var description = StoreDescription.postgreSQL(arguments[2], schema: arguments[3])
            description.configuration = "items"
            // Who saves on does not bring back a store that another one migrates.
            description.shouldMigrateStoreAutomatically = arguments[1] == "migrate"
            switch arguments[1] {
            case "count": try count(Int(argument) ?? 1, description)
            case "save": try save(argument, [description])
            case "both":
                try save(argument, [description, StoreDescription(.sqlite, path: arguments[5], configuration: "notes")])
            case "servers":
                var other = StoreDescription.postgreSQL(arguments[2], schema: arguments[5])
                other.configuration = "notes"
                try save(argument, [description, other])
            case "observe": try observe(description)
            case "migrate": try migrate(description, argument)
            default: throw StoreError(.unsupported, .open, "there is no command \(arguments[1])")
            }
        } catch { report(error) }
    }

    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    private static func report(_ error: any Error) {
        let code = (error as? StoreError).map { "\($0.code) \($0.recovery)" } ?? "other"
        say("failed \(code) \(error)".replacing("\n", with: " "))
    }

    private static func count(_ number: Int, _ description: StoreDescription) throws {
        let container = try PersistentContainer(model: model.get(), stores: [description])
        for _ in 0..<number {
            while true {
                let context = container.newContext()
                do {
                    guard let counter = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Counter")).first else { return }
                    try counter.setValue((counter.value(forKey: "value") as? Int ?? 0) + 1, forKey: "value")
                    try context.save()
                    break
                } catch is SaveConflictError {}
            }
        }
        say("done")
    }

    private static func save(_ name: String, _ descriptions: [StoreDescription]) throws {
        var container = try PersistentContainer(model: model.get(), stores: descriptions)
        say("ready")
        var number = 0
        while true {
            number += 1
            let context = container.newContext()
            do {
                try context.insert("Item").setValue("\(name)-\(number)", forKey: "name")
                if descriptions.count > 1 { try context.insert("Note").setValue("\(name)-\(number)", forKey: "name") }
                try context.save()
                say("saved \(number)")
            } catch let error as StoreError {
                report(error)
                usleep(20_000)
                if error.recovery != .retryable { container = try reopened(descriptions) }
            }
        }
    }

    /// Opens stores as soon as that is possible.
    private static func reopened(_ descriptions: [StoreDescription]) throws -> PersistentContainer {
        for _ in 0..<200 {
            if let container = try? PersistentContainer(model: model.get(), stores: descriptions) { return container }
            usleep(50_000)
        }
        return try PersistentContainer(model: model.get(), stores: descriptions)
    }

    private static func observe(_ description: StoreDescription) throws {
        var description = description
        description.options.postsRemoteChanges = true
        let container = try PersistentContainer(model: model.get(), stores: [description])
        let subscription = container.coordinator.observeSaves { event in
            do {
                let context = container.newContext()
                for id in event.stores.flatMap(\.inserted).map(\.id) {
                    let object = try context.existingObject(with: id)
                    say("heard \(try object.value(forKey: "name") as? String ?? "")")
                }
            } catch { report(error) }
        }
        say("ready")
        while getchar() != EOF {}
        withExtendedLifetime(subscription) {}
    }

    /// The model of items with a length, and of those with a title, too.
    private static func laterModel(isUnited: Bool = false, hasTitle: Bool = false) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            if isUnited { Entity("Thing") }
            Entity("Counter", parent: isUnited ? "Thing" : nil) { Attribute("value", .integer64) }
            Entity("Item", parent: isUnited ? "Thing" : nil) {
                Attribute("name", .string)
                Attribute("length", .integer32, default: 7)
                if hasTitle { Attribute("title", .string) }
                FetchIndex("byName", on: "name")
            }
            Entity("Note") { Attribute("name", .string) }
            if isUnited {
                EntityConfiguration("items", "Thing", "Counter", "Item")
            } else {
                EntityConfiguration("items", "Counter", "Item")
            }
            EntityConfiguration("notes", "Note")
        }
    }

    private static func migrate(_ description: StoreDescription, _ way: String) throws {
        var stages: [MigrationStage] = []
        var later = try laterModel(isUnited: way == "united")
        if way == "staged" {
            stages.append(.lightweight(to: later))
            later = try laterModel(hasTitle: true)
            stages.append(
                .custom(to: later) { _, new in
                    let context = ManagedObjectContext(new)
                    for item in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Item")) {
                        try item.setValue(item.value(forKey: "name"), forKey: "title")
                    }
                    try context.save()
                })
        }
        say("ready")
        if way == "converted", case .server(var address) = description.location {
            let container = try PersistentContainer(model: model.get(), stores: [description])
            address.name = (address.name ?? "") + "_copy"
            var other = description
            other.location = .server(address)
            guard let store = container.coordinator.stores.first else { return }
            _ = try container.coordinator.migrateStore(store, to: other)
        } else {
            _ = try PersistentContainer(model: later, stores: [description], stages: stages)
        }
        say("done")
    }
}
