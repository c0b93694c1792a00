import ArgumentParser
import Foundation
import Strata
import StrataSQLite

@main struct NotebookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notebook", abstract: "Notes with tags, in a file.",
        subcommands: [Add.self, List.self, Search.self, Show.self, TagNote.self, Delete.self, Export.self])
}

/// Where the notes are stored.
struct Location: ParsableArguments {
    @Option(name: .customLong("store"), help: "The file of the notes, by default one in your directory for application data.")
    var path: String?

    /// Runs a command over the notes, and reports what goes wrong on standard error.
    func run(_ command: (Notebook) throws -> Void) throws {
        do {
            try command(Notebook(StoreDescription(.sqlite, path: path ?? Self.defaultPath())))
        } catch let error {
            guard let failure = Failure(error) else { throw error }
            FileHandle.standardError.write(Data("notebook: \(failure.message)\n".utf8))
            throw ExitCode(failure.exitCode)
        }
    }

    private static func defaultPath() throws -> String {
        let directory = try FileManager.default
            .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            .appending(path: "notebook")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.appending(path: "notes.sqlite").path
    }
}
