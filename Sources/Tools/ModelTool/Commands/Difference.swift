import ArgumentParser
import StrataModelDrawing
import StrataModelFiles

struct Difference: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "difference", abstract: "Shows what differs between two models, and what a migration does about it.",
        discussion: "Of one bundle two versions are compared: strata model difference Shop.xcdatamodeld --from Shop --to \"Shop 2\".")

    @Argument(help: "The path of the model that was.") var old: String
    @Argument(help: "The path of the model that is; by default that of the first.") var new: String?
    @Option(name: .customLong("from"), help: "The version of the first.") var oldVersion: String?
    @Option(name: .customLong("to"), help: "The version of the second.") var newVersion: String?
    @Flag(help: "Ends with 1 where anything differs.") var exitCode = false

    func run() throws {
        let (before, after) = try Messages.reporting {
            (
                try ModelFile(contentsOf: old).model(version: oldVersion),
                try ModelFile(contentsOf: new ?? old).model(version: newVersion)
            )
        }
        let difference = ModelDifference(from: before, to: after)
        print(difference)
        if exitCode, !difference.isEmpty { throw ExitCode(1) }
    }
}
