import ArgumentParser
import FoundationEssentials
import StrataStoreTool

/// The help and the usages of commands in the shell, which names the store for them.
enum ShellHelp {
    /// The variable that is set for the commands of a shell.
    static let variable = "STRATA_SHELL"
    /// Whether the command is one of a shell.
    static let isNeeded = ProcessInfo.processInfo.environment[variable] != nil

    /// The commands, each in a line.
    static var commands: String {
        let commands = StrataCommand.configuration.subcommands.filter { ShellCommand.names.contains($0._commandName) }
        let width = commands.map { $0._commandName.count }.max() ?? 0
        let lines = commands.map { command in
            command._commandName + String(repeating: " ", count: width - command._commandName.count + 2) + command.configuration.abstract
        }
        return (lines + ["", "help COMMAND explains one; exit ends the shell."]).joined(separator: "\n")
    }

    /// Returns the text of the argument parser as the shell takes the command: without the program and the store.
    static func text(_ text: String) -> String {
        var lines: [Substring] = []
        var isOfStore = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            // The lines of an explanation are far to the right.
            isOfStore = line.hasPrefix("  <store>") || isOfStore && line.hasPrefix(String(repeating: " ", count: 20))
            if !isOfStore { lines.append(line) }
        }
        return lines.joined(separator: "\n").replacing(" <store>", with: "")
            .replacing(/See 'strata (.+) --help' for more information\./) { "See 'help \($0.1)'." }
            .replacing(#/(USAGE|Usage): strata /#) { "\($0.1): " }
            .replacing(#/strata ([a-z]+) shop\.sqlite /#) { "\($0.1) " }
    }
}
