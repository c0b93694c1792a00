import ArgumentParser
import Strata
import StrataStoreTool

struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Writes all objects of a store to a new one of another kind; the old one stays.",
        discussion: """
            Objects keep their IDs: stored URIs stay valid. The new store gets its name when it is whole: a command that is killed leaves a \
            hidden file beside it, or a schema with _unfinished behind its name, which the next command to the same target removes.
            """)

    @OptionGroup var store: StoreArguments
    @Option(help: "The kind of the new store.") var to: StoreKind
    @Argument(help: "The path of the new store, or the URL of a PostgreSQL database.", completion: .file()) var target: String
    @Option(help: "The schema of a new store in a PostgreSQL database.") var targetSchema: String?
    @Flag(help: "Prints what would be done.") var dryRun = false
    @OptionGroup var result: ResultArguments

    func run() throws {
        let target = CopyTarget(target, schema: targetSchema)
        let location = target.location
        func requireFree() throws {
            if try target.isTaken(to.driver) { throw CommandFailure(.exists, "there is something at \(location)") }
        }
        try requireFree()
        let opened = try store.open()
        var members: [String: JSON] = [
            "source": .string("\(opened.description.location)"), "target": .string("\(location)"), "kind": .string(to.rawValue),
            "dryRun": .bool(dryRun),
        ]
        if dryRun { return try result.print("would convert \(opened.description.location) to \(to.rawValue) at \(location)", members) }
        // What a killed command left.
        try to.driver.destroy(at: target.unfinished)
        defer { try? to.driver.destroy(at: target.unfinished) }
        let count = try Interrupts.during {
            target.removeUnfinished()
            return "the conversion was interrupted: \(target.remainder)"
        } _: {
            try convert(opened, to: target, requireFree)
        }
        members["objects"] = .int(Int64(count))
        try result.print("converted \(count) objects to \(to.rawValue) at \(location)", members)
    }

    private func convert(_ opened: OpenStore, to target: CopyTarget, _ requireFree: () throws -> Void) throws -> Int {
        let count = try Progress.during("converting \(opened.description.location)", written: { target.writtenText() }) {
            let made = try opened.coordinator.migrateStore(opened.store, to: to.description(at: target.unfinished))
            let count = try opened.read { context in
                try context.model.entities.filter { $0.superentity == nil }.reduce(0) {
                    $0 + (try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: $1.name)))
                }
            }
            try opened.coordinator.remove(made)
            return count
        }
        try requireFree()
        try Progress.during("writing \(target.location)") { try to.driver.replace(at: target.location, withStoreAt: target.unfinished) }
        return count
    }
}
