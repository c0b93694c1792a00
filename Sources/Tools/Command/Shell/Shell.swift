import ArgumentParser
import FoundationEssentials
import StrataPlatform
import StrataStoreTool

struct Shell: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Runs commands on one store, line by line: query Person where age > 18.",
        discussion: """
            A line is a command without the store: `count Person`, `get Person/p3`, `verify`. The rest of a line of query, count and export \
            behind the options is the query, and needs no quotes. `help` lists the commands, `help query` explains one, `exit` ends the shell.

            On a terminal the line is edited by libedit, where the system has that library: with a history in ~/.strata_history, and with \
            completion of commands, options, entities and properties by the tab key. Output is shown by the PAGER, less by default. \
            From another input lines are read without a prompt, and the exit code is that of the last command.
            """)

    @OptionGroup var store: StoreArguments

    func run() throws {
        let description = try store.description()
        let model = try store.model(of: description)
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let editor = isTerminal ? LineEditor(completing: ShellCompletion(model)) : nil
        var status: Int32 = 0
        while let line = editor?.line(prompt: "strata> ") ?? (editor == nil ? plainLine(showsPrompt: isTerminal) : nil) {
            do {
                guard let words = try ShellLine(line).words, let command = words.first else { continue }
                if ["exit", "quit"].contains(command) { break }
                status = try run(words, showsPages: isTerminal)
                if !isTerminal, status == ExitStatus.brokenPipe.rawValue { break }
            } catch {
                let failure = CommandFailure(error)
                Console.report(failure.message)
                status = failure.status.rawValue
            }
        }
        if let editor {
            editor.end()
            // The line of the last prompt ends.
            try Console.print("")
        }
        if !isTerminal, status != 0 { throw ExitCode(status) }
    }

    private func plainLine(showsPrompt: Bool) -> String? {
        if showsPrompt {
            print("strata> ", terminator: "")
            fflush(nil)
        }
        return readLine()
    }

    /// Runs a command in a process of its own: an interrupt ends the command, not the shell.
    private func run(_ words: [String], showsPages: Bool) throws -> Int32 {
        let name = words[0]
        guard ShellCommand.names.contains(name) || name == "help" else {
            throw CommandFailure(.usage, "there is no command \(name) here: help lists them")
        }
        if words == ["help"] {
            try Console.print(ShellHelp.commands)
            try Console.flush()
            return 0
        }
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var words = words
        if name != "help" {
            let isGroup = ShellCommand.groups[name]?.contains(words.dropFirst().first ?? "") == true
            words.insert(store.store.hasPrefix("-") ? "./" + store.store : store.store, at: isGroup ? 2 : 1)
            words += options
        }
        guard !words.contains(where: { $0.contains("\0") }) else { throw CommandFailure(.usage, "the line has a NUL character") }
        var line = ([program] + words).map(ShellLine.quoted).joined(separator: " ")
        if showsPages, ["query", "history", "schema", "get", "help"].contains(name) {
            let pager = ProcessInfo.processInfo.environment["PAGER"] ?? "less -FRX"
            let program = pager.prefix { !$0.isWhitespace }
            line = "if command -v \(ShellLine.quoted(String(program))) >/dev/null; then \(line) | \(pager); else \(line); fi"
        }
        // The system takes no longer argument than of 128 KiB.
        guard line.utf8.count < 128 << 10 else { throw CommandFailure(.usage, "the line is longer than 128 KiB") }
        setenv(ShellHelp.variable, "1", 1)
        let ended = system(line)
        // The lower bits are the signal that ended the process.
        return ended & 0x7F == 0 ? ended >> 8 & 0xFF : 128 + ended & 0x7F
    }

    /// The options of the shell that each command gets.
    private var options: [String] {
        let options = store.options
        return [
            ("kind", options.kind?.rawValue), ("schema", options.schema), ("model", options.model), ("model-version", options.modelVersion),
        ]
        .flatMap { name, value in value.map { ["--\(name)", $0] } ?? [] }
    }
}

/// The commands of the shell: those that take a store first.
enum ShellCommand {
    /// The names of all commands but those that take no store, or two.
    static let names: [String] = StrataCommand.configuration.subcommands.map { $0._commandName }.filter {
        ![
            "shell", "diff", "bench", "model", "coredata", "serve",
        ].contains($0)
    }
    /// The subcommands of commands that have some.
    static let groups: [String: [String]] = Dictionary(
        uniqueKeysWithValues: StrataCommand.configuration.subcommands.compactMap { command in
            let names = command.configuration.subcommands.map { $0._commandName }
            return names.isEmpty ? nil : (command._commandName, names)
        })

    /// Returns the long options of a command, or of the subcommand behind it.
    static func options(of names: [String]) -> [String] {
        guard var command = StrataCommand.configuration.subcommands.first(where: { $0._commandName == names.first }) else { return [] }
        command = command.configuration.subcommands.first { $0._commandName == names.dropFirst().first } ?? command
        let help = StrataCommand.helpMessage(for: command)
        return Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }).subtracting(["--version", "--model", "--kind"]).sorted()
    }
}
