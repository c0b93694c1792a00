import ArgumentParser
import StrataPlatform
import StrataStoreTool

/// The command `strata`: looks into stores of every kind, checks, copies, converts and migrates them.
struct StrataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata",
        abstract: "Looks into stores of every kind, checks, copies, converts and migrates them.",
        discussion: """
            A store is a path, or the URL of a PostgreSQL server. It is opened with the model that it keeps, or with --model. Nothing is written \
            unless the command says so.

            Exit codes: 0 done; 1 a check found differences or problems, or rows were refused; 64 wrong arguments; 65 a malformed query, model or file; 66 no such store, \
            object or file; 69 a server that does not answer; 70 another failure; 73 what is to be created is there, or cannot be; 74 a failed read or write; \
            75 a store that others have locked; 77 a missing permission; \
            130 an import that was interrupted.
            """,
        version: "0.1.0",
        subcommands: [
            Info.self, Schema.self, Count.self, Get.self, Query.self, Export.self, Import.self, History.self, Verify.self, Backup.self,
            Restore.self, Convert.self, Migrate.self, Check.self, Difference.self, Resolve.self, Serve.self,
        ])
}

@main enum Program {
    static func main() async {
        var command: any ParsableCommand
        do { command = try StrataCommand.parseAsRoot() } catch { StrataCommand.exit(withError: error) }
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
            if error is ExitCode || StrataCommand.exitCode(for: error) == .success { StrataCommand.exit(withError: error) }
            let failure = CommandFailure(error)
            Console.report(failure.message)
            exit(failure.status.rawValue)
        }
    }
}
