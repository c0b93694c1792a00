import ArgumentParser
import Foundation

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a note and prints its number.")

    @OptionGroup var location: Location
    @Argument(help: "The title, one line.") var title: String
    @Option(help: "The text; '-' reads it from standard input.") var text = ""
    @Option(name: [.customLong("tag"), .short], help: "A tag; may be repeated.") var tags: [String] = []

    func run() throws {
        try location.run { notebook in
            print(try notebook.add(title, text: text == "-" ? standardInput() : text, tags: tags).number)
        }
    }

    private func standardInput() throws -> String {
        guard let text = String(data: FileHandle.standardInput.readDataToEndOfFile(), encoding: .utf8) else { throw NotebookError.notText }
        return text
    }
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the latest notes.")

    @OptionGroup var location: Location
    @Option(help: "Only notes with this tag.") var tag: String?
    @Option(help: "How many notes at most.") var limit = 20

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("The limit is a number of notes, 0 or more.") }
    }

    func run() throws {
        try location.run { notebook in try notebook.latest(limit, tag: tag).forEach { print($0.line) } }
    }
}

struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the notes that contain a text.")

    @OptionGroup var location: Location
    @Argument(help: "A part of the title, the text or a tag, in any case.") var text: String

    func run() throws {
        try location.run { notebook in try notebook.search(text).forEach { print($0.line) } }
    }
}

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints a note.")

    @OptionGroup var location: Location
    @Argument(help: "The number of the note.") var number: Int

    func run() throws {
        try location.run { notebook in
            let note = try notebook.note(number)
            print(note.line)
            if !note.text.isEmpty { print("\n\(note.text)") }
        }
    }
}

struct TagNote: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tag", abstract: "Adds tags to a note, or removes them.")

    @OptionGroup var location: Location
    @Argument(help: "The number of the note.") var number: Int
    @Argument(help: "The tags to add.") var tags: [String] = []
    @Option(name: .shortAndLong, help: "A tag to remove; may be repeated.") var remove: [String] = []

    func run() throws {
        try location.run { notebook in print(try notebook.change(number, adding: tags, removing: remove).line) }
    }
}

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes notes: all that are named, or none where one does not exist.")

    @OptionGroup var location: Location
    @Argument(help: "The numbers of the notes.") var numbers: [Int]

    func run() throws {
        try location.run { notebook in try notebook.delete(numbers) }
    }
}

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints all notes as JSON, one on each line.")

    @OptionGroup var location: Location

    func run() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try location.run { notebook in
            try notebook.forEach { note in
                FileHandle.standardOutput.write(try encoder.encode(ExportedNote(note)) + Data("\n".utf8))
            }
        }
    }
}
