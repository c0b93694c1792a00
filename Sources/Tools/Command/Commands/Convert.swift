import ArgumentParser
import Foundation
import Strata
import StrataStoreTool

struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes all objects of a store to a new one of another kind; the old one stays.",
        discussion: "Objects keep their IDs: stored URIs stay valid.")

    @OptionGroup var store: StoreArguments
    @Option(help: "The kind of the new store.") var to: StoreKind
    @Argument(help: "The path of the new store, or the URL of a PostgreSQL database.", completion: .file()) var target: String
    @Option(help: "The schema of a new store in a PostgreSQL database.") var targetSchema: String?
    @Flag(help: "Says what would be done.") var dryRun = false

    func run() throws {
        if to != .postgresql, FileManager.default.fileExists(atPath: target) {
            throw CommandFailure(.exists, "there is something at \(target)")
        }
        let opened = try store.open()
        let location = to == .postgresql ? StoreLocation.server(ServerAddress(target, name: targetSchema)) : .file(target)
        if dryRun { return try Console.print("would convert \(opened.description.location) to \(to.rawValue) at \(location)") }
        let made = try opened.coordinator.migrateStore(opened.store, to: to.description(at: location))
        let count = try BackgroundContext(opened.coordinator, name: "strata").performAndWait { context in
            try context.model.entities.filter { $0.superentity == nil }.reduce(0) {
                $0 + (try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: $1.name)))
            }
        }
        try opened.coordinator.remove(made)
        try Console.print("converted \(count) objects to \(to.rawValue) at \(location)")
    }
}
