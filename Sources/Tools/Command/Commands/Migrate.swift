import ArgumentParser
import Strata
import StrataModelDrawing
import StrataStoreTool

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Shows the steps of migrating a store to another version of its model, and takes them with --apply.",
        discussion: "Without --apply nothing is changed. A migration that fails leaves the store as it was.")

    @OptionGroup var store: StoreArguments
    @Option(name: .customLong("to"), help: "The model to migrate to: a model file, or a store that keeps it.") var target: String
    @Option(name: .customLong("to-version"), help: "The version of that model; by default the current one.") var targetVersion: String?
    @Flag(help: "Migrates.") var apply = false
    @Flag(help: "Also where the steps lose data.") var loseData = false
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        var description = try store.description()
        let model = try ModelSource(target, version: targetVersion).model()
        if store.options.model != nil { description.earlierModels = [try store.model(of: description)] }
        let plan = try PersistentStoreCoordinator.migrationPlan(for: description, to: model)
        try show(plan)
        guard apply, let plan else { return }
        if plan.losesData, !loseData { throw CommandFailure(.data, "the migration loses data: --lose-data does it all the same") }
        description.isReadOnly = false
        description.migrationProgress = { progress in Console.progress("\(progress)") }
        defer { Console.endProgress() }
        let location = description.location
        try Interrupts.during {
            "the migration was interrupted: \(location) is whole, of the former version or of the new one"
        } _: { [description] in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.remove(try coordinator.addStore(description))
        }
        if !json { try Console.print("migrated") }
    }

    private func show(_ plan: MigrationPlan?) throws {
        if json {
            for step in plan?.steps ?? [] {
                try Console.print(
                    JSON.object([
                        "action": .string(step.action.rawValue), "entity": .string(step.entity), "property": JSON(step.property),
                        "message": .string(step.message), "losesData": .bool(step.losesData),
                    ]).line)
            }
        } else if let plan {
            try Console.print(plan.isEmpty ? "No object changes." : plan.description)
        } else {
            try Console.print("The store is of this version.")
        }
    }
}

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compares the version of a store with a model; exits with 1 where they differ.")

    @OptionGroup var store: StoreArguments
    @OptionGroup var result: ResultArguments

    func run() throws {
        let description = try store.description()
        let model = try store.model(of: description)
        let metadata = try description.driver.metadata(at: description.location)
        if metadata.isCompatible(with: model) {
            return try result.print("The store is of this version of the model.", ["isCompatible": .bool(true), "changes": .array([])])
        }
        let difference = (try? ModelSource.kept(by: description)).map { ModelDifference(from: $0, to: model) }
        try result.print(
            difference?.description ?? "The store is of another version of the model.",
            ["isCompatible": .bool(false), "changes": .array(difference?.json ?? [])])
        throw ExitCode(ExitStatus.difference.rawValue)
    }
}
