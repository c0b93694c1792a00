import ArgumentParser

@main struct CoreDataTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata-coredata",
        abstract: "Accessors and classes for targets that import CoreData where there is no Objective-C.",
        subcommands: [Generate.self, Compile.self, Port.self]
    )
}
