import ArgumentParser
import Strata
import StrataStoreTool

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes the results of a query to a file of JSON Lines or CSV.",
        discussion: """
            The file is whole, or it is not there. Objects are read block by block. `select name, company.name` writes what \
            `strata import` reads again into another store; without it all attributes are written, and to-one relationships as URIs.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The query, as of `strata query`.") var query: String
    @Option(name: .shortAndLong, help: "The file to write, or - for the standard output.", completion: .file()) var output: String
    @Option(help: "The form: csv or jsonl; by default the file's ending.") var format: ResultFormat?
    @Flag(help: "Replaces the file.") var replace = false
    @OptionGroup var result: ResultArguments

    func run() throws {
        let query = try QueryText(query)
        let opened = try store.open()
        let form = format ?? (output.hasSuffix(".csv") ? .csv : .jsonl)
        let file = try OutputFile(output, replaces: replace)
        let count = try Interrupts.during { [output, weak file] in
            file?.removePartial()
            return "the export was interrupted\(output == "-" ? "" : ": nothing was written to \(output)")"
        } _: {
            try write(query, of: opened, form, to: file)
        }
        if output != "-" { try result.print("wrote \(count) to \(output)", ["written": .int(Int64(count)), "output": .string(output)]) }
    }

    private func write(_ query: QueryText, of opened: OpenStore, _ form: ResultFormat, to file: OutputFile) throws -> Int {
        let count = try opened.read { context in
            var count = 0
            var writer = ResultWriter(form, write: file.write)
            try ResultColumns.forEachResult(of: query, in: context, withIDs: false) {
                try writer.begin($0)
            } row: {
                try writer.add($0)
                count += 1
                if count.isMultiple(of: 10_000) { Console.progress("\(count) written") }
            }
            try writer.end()
            return count
        }
        Console.endProgress()
        try file.finish()
        return count
    }
}
