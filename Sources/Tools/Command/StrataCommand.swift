import ArgumentParser
import StrataModelCommands
import StrataPlatform
import StrataStoreTool

#if canImport(StrataCoreDataCommands)
    import StrataCoreDataCommands
#endif

/// The command `strata`: looks into stores of every kind, checks, copies, converts and migrates them.
struct StrataCommand: AsyncParsableCommand {
    /// What holds for all commands.
    static let introduction = """
        A store is a path, or the URL of a PostgreSQL database with --schema. It is opened with the model that it keeps, or with --model, \
        and only read but by import, restore, compact, migrate --apply, resolve --apply or --forget, and history purge. Errors are printed on the standard error.
        """

    static let configuration = CommandConfiguration(
        commandName: "strata",
        abstract: "Looks into stores of every kind, checks, copies, converts and migrates them.",
        discussion: introduction + "\n\nExit codes: "
            + ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ") + ".",
        version: "0.1.0",
        subcommands: [
            Info.self, Schema.self, Count.self, Get.self, Query.self, Export.self, Import.self, History.self, Verify.self, Backup.self,
            Restore.self, Convert.self, Compact.self, Migrate.self, Check.self, Difference.self, Resolve.self, Shell.self, Bench.self,
            Serve.self, ModelCommand.self, Manual.self,
        ] + portingCommands)

    #if canImport(StrataCoreDataCommands)
        private static let portingCommands: [any ParsableCommand.Type] = [CoreDataCommand.self]
    #else
        private static let portingCommands: [any ParsableCommand.Type] = []
    #endif
}

@main enum Program {
    static func main() async {
        var command: any ParsableCommand
        do { command = try StrataCommand.parseAsRoot() } catch { end(with: error) }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try Console.flush()
        } catch {
            try? Console.flush()
            // The help is an error of success.
            if error is ExitCode || StrataCommand.exitCode(for: error) == .success { end(with: error) }
            let failure = CommandFailure(error)
            if failure.status != .brokenPipe { Console.report(failure.message) }
            exit(failure.status.rawValue)
        }
    }

    /// Ends the process as the argument parser does, with the texts of the shell in one of its commands.
    private static func end(with error: any Error) -> Never {
        guard ShellHelp.isNeeded else { StrataCommand.exit(withError: error) }
        let (status, text) = (StrataCommand.exitCode(for: error), ShellHelp.text(StrataCommand.fullMessage(for: error)))
        if status != .success {
            if !text.isEmpty { Console.note(text) }
        } else {
            try? Console.print(text)
            try? Console.flush()
        }
        exit(status.rawValue)
    }
}
