import ArgumentParser
import Strata
import StrataStoreTool

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads everything in a store and lists the problems found; exits with 1 where there are any.")

    @OptionGroup var store: StoreArguments
    @Option(help: "The greatest number of problems.") var limit = 100
    @Flag(help: "Prints what would be verified.") var dryRun = false
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let description = try store.description()
        let model = try store.model(of: description)
        if dryRun {
            let entities = "\(model.entities.count) \(model.entities.count == 1 ? "entity" : "entities")"
            let size = description.path.map { ", \(FileSize.ofStore(at: $0)) bytes" } ?? ""
            return try Console.print("would verify \(description.location): \(entities)\(size)")
        }
        let problems = try Progress.during("verifying \(description.location)") {
            try PersistentStoreCoordinator.verifyStore(description, model: model, limit: limit)
        }
        if json {
            for problem in problems {
                try Console.print(
                    JSON.object([
                        "kind": .string("\(problem.kind)"), "message": .string(problem.message), "entity": JSON(problem.entity),
                        "reference": problem.reference.map { .int($0) } ?? .null, "key": JSON(problem.key),
                    ]).line)
            }
        } else {
            for problem in problems { try Console.print("\(problem)") }
            if problems.isEmpty { try Console.print("The store is sound.") }
        }
        if !problems.isEmpty { throw ExitCode(ExitStatus.difference.rawValue) }
    }
}
