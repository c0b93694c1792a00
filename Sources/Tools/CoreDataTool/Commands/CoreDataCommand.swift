public import ArgumentParser

/// The commands on targets that import CoreData: `strata coredata`, and the tool that plugins run.
public struct CoreDataCommand: ParsableCommand {
    /// Its name, texts and subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "coredata",
        abstract: "Accessors and classes for targets that import CoreData where there is no Objective-C.",
        subcommands: [Generate.self, Compile.self, Port.self])

    /// Creates the command, as the parser does.
    public init() {}
}
