import ArgumentParser

@main
struct StrataBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata-bench",
        abstract: "Measures Strata's stores and their peers on this machine.",
        subcommands: [
            ArchiveCommand.self, EventsCommand.self, GrowthCommand.self, QueriesCommand.self, ListsCommand.self, MigrationsCommand.self,
            ContextsCommand.self,
            ObservationCommand.self, HistoryCommand.self, ReportsCommand.self, SampleCommand.self, MeasureCommand.self,
        ] + others,
        defaultSubcommand: ArchiveCommand.self
    )
}

/// How much a job over synthetic events measures.
struct EventOptions: ParsableArguments {
    @Option(help: "How many events.")
    var count = 100_000

    @Option(help: "How often to measure; the medians are shown.")
    var runs = 5

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be 1 or more.") }
        if count < 1 { throw ValidationError("--count must be 1 or more.") }
    }
}

/// Whom to measure, and where reports go.
struct ReportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the report as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the report as a web page with plots.", valueName: "file"))
    var html: String?

    @Option(help: ArgumentHelp("Write the tables as Markdown.", valueName: "file"))
    var markdown: String?

    @Option(help: ArgumentHelp("Only the participants whose names contain one of these, separated by commas.", valueName: "names"))
    var only: String?

    @Option(help: ArgumentHelp("Where stores are made while measuring; its file system matters.", valueName: "directory"))
    var work: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Do each step once more after the runs, and count references and allocations (default: if there are several runs).")
    var counts: Bool?

    @Flag(help: "Show no progress.")
    var quiet = false

    private func includes(_ name: String) -> Bool {
        guard let only else { return true }
        return only.split(separator: ",").contains { name.lowercased().contains($0.lowercased()) }
    }

    /// Those of the participants that are asked for.
    ///
    /// - Throws: `ValidationError` where these are none.
    func chosen<Participant>(_ all: [Participant], name: (Participant) -> String) throws -> [Participant] {
        let chosen = all.filter { includes(name($0)) }
        if chosen.isEmpty { throw ValidationError("No participant's name contains \(only ?? "").") }
        return chosen
    }
}
