import Foundation
import Strata

/// The notes of one store: what the commands do, without arguments and output.
struct Notebook {
    private let context: ManagedObjectContext

    /// Opens the store, and creates it where there is none.
    init(_ store: StoreDescription) throws {
        self.init(try PersistentContainer(for: Note.self, stores: [store]))
    }

    init(_ container: PersistentContainer) {
        context = container.newContext()
    }

    // MARK: - Reading

    func note(_ number: Int) throws -> Note {
        guard let note = try context.first(Note.self, where: Note.number == number) else { throw NotebookError.noNote(number) }
        return note
    }

    /// The latest notes, those with a tag where one is given.
    func latest(_ limit: Int, tag: String? = nil) throws -> [Note] {
        try context.fetch(Note.self, where: tag.map { name in Note.tags.any(Tag.name == name) }, sort: Self.latestFirst, limit: limit)
    }

    /// The notes whose title, text or tags contain a text, whatever its case and diacritics.
    func search(_ text: String) throws -> [Note] {
        let options: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]
        let condition =
            Note.title.contains(text, options) || Note.text.contains(text, options) || Note.tags.any(Tag.name.contains(text, options))
        return try context.fetch(Note.self, where: condition, sort: Self.latestFirst)
    }

    /// Calls a function with each note by number, a hundred of them in memory at a time.
    func forEach(_ body: (Note) throws -> Void) throws {
        var request = ObjectFetchRequest<Note>(sort: [Note.number.ascending])
        request.fetchBatchSize = 100
        request.relationshipKeyPathsForPrefetching = ["tags"]
        for note in try context.fetchLazily(request) { try body(note) }
    }

    private static let latestFirst = [Note.created.descending, Note.number.descending]

    // MARK: - Writing

    @discardableResult
    func add(_ title: String, text: String = "", tags: [String] = []) throws -> Note {
        try saving {
            let last = try context.first(Note.self, sort: [Note.number.descending])
            let note = Note(number: (last?.number ?? 0) + 1, title: title, text: text)
            context.insert(note)
            note.tags = Set(try tags.map(tag))
            return note
        }
    }

    @discardableResult
    func change(_ number: Int, adding added: [String] = [], removing removed: [String] = []) throws -> Note {
        try saving {
            let note = try note(number)
            note.tags.formUnion(try added.map(tag))
            for tag in note.tags where removed.contains(tag.name) {
                note.tags.remove(tag)
                deleteUnused(tag)
            }
            return note
        }
    }

    /// Deletes all of the notes, or none where one is missing.
    func delete(_ numbers: [Int]) throws {
        try saving {
            for note in try Set(numbers).map(note) {
                let tags = note.tags
                note.tags = []
                context.delete(note)
                tags.forEach(deleteUnused)
            }
        }
    }

    private func tag(_ name: String) throws -> Tag {
        if let tag = try context.first(Tag.self, where: Tag.name == name) { return tag }
        let tag = Tag(name: name)
        context.insert(tag)
        return tag
    }

    private func deleteUnused(_ tag: Tag) {
        if tag.notes.isEmpty { context.delete(tag) }
    }

    /// Makes a change and saves it, again on the current data where another process saved the same objects or numbers in between.
    private func saving<T>(attempts: Int = 5, _ change: () throws -> T) throws -> T {
        do {
            let result = try change()
            try context.save()
            return result
        } catch let error {
            context.reset()
            guard error is SaveConflictError, attempts > 1 else { throw error }
            return try saving(attempts: attempts - 1, change)
        }
    }
}
