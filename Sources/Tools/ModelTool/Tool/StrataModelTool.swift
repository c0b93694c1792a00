import ArgumentParser
import StrataModelCommands

/// `strata model` without the stores: what the plugins build and run.
@main struct StrataModelTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata-model", abstract: ModelCommand.configuration.abstract, discussion: ModelCommand.configuration.discussion,
        subcommands: ModelCommand.configuration.subcommands)
}
