import ArgumentParser
import Foundation
import Strata
import StrataSQLite
import Testing

@testable import Notebook

/// The commands as a shell calls them, over a file.
final class CommandTests {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "notebook-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var path: String { directory.appending(path: "notes.sqlite").path }

    func run(_ arguments: String...) throws {
        var command = try NotebookCommand.parseAsRoot(arguments + ["--store", path])
        try command.run()
    }

    @Test("Commands change the notes of the file that is named")
    func file() throws {
        try run("add", "Bread", "--text", "rye", "--tag", "shopping", "-t", "kitchen")
        try run("tag", "1", "today", "--remove", "kitchen")
        let notebook = try Notebook(StoreDescription(.sqlite, path: path))
        #expect(ExportedNote(try notebook.note(1)).tags == ["shopping", "today"])
        try run("delete", "1")
        #expect(try notebook.latest(10).isEmpty)
    }

    @Test("A failed command ends with the exit code of its error")
    func exitCodes() throws {
        #expect(throws: ExitCode(1)) { try run("show", "7") }
        #expect(throws: ExitCode(65)) { try run("add", "") }
        try Data("not a store, but a text of some length".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ExitCode(74)) { try run("list") }
    }

    @Test("An error is shown without the URI of the object")
    func messages() throws {
        let error = #expect(throws: Strata.ValidationError.self) {
            try Notebook(StoreDescription(.sqlite, path: path)).add("", tags: ["a b"])
        }
        let message = try #require(error.flatMap { Failure($0) }?.message)
        #expect(message.contains("title: "))
        #expect(message.contains("name: "))
        #expect(!message.contains("x-coredata"))
    }
}
