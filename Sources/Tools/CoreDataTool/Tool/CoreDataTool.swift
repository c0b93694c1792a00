import ArgumentParser
import StrataCoreDataCommands

/// `strata coredata` without the stores: what the plugins build and run.
@main struct CoreDataTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata-coredata", abstract: CoreDataCommand.configuration.abstract,
        subcommands: CoreDataCommand.configuration.subcommands)
}
