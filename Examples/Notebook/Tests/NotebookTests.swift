import Strata
import StrataTesting
import Testing

@testable import Notebook

/// What the commands do, over a store in memory.
struct NotebookTests {
    let container: PersistentContainer
    let notebook: Notebook

    init() throws {
        container = try PersistentContainer(inMemory: Note.self)
        notebook = Notebook(container)
    }

    @Test("Notes are numbered in the order in which they are added")
    func numbers() throws {
        #expect(try notebook.add("first").number == 1)
        #expect(try notebook.add("second").number == 2)
        #expect(try notebook.latest(10).map(\.title) == ["second", "first"])
        #expect(try notebook.latest(1).map(\.title) == ["second"])
    }

    @Test("Equal tags of several notes are one object")
    func tags() throws {
        try notebook.add("bread", tags: ["shopping", "kitchen"])
        try notebook.add("milk", tags: ["shopping", "shopping"])
        try notebook.add("taxes")
        #expect(try notebook.latest(10, tag: "shopping").map(\.title) == ["milk", "bread"])
        #expect(try container.newContext().count(Tag.self) == 2)
    }

    @Test("A search finds titles, texts and tags in any case")
    func search() throws {
        try notebook.add("Café", text: "opens at nine")
        try notebook.add("Train", text: "from NINE to ten")
        try notebook.add("Dentist", tags: ["cafeteria"])
        #expect(try notebook.search("CAFE").map(\.title) == ["Dentist", "Café"])
        #expect(try notebook.search("nine").map(\.title) == ["Train", "Café"])
        #expect(try notebook.search("%").isEmpty)
    }

    @Test("A tag that no note has any more is deleted")
    func unusedTags() throws {
        try notebook.add("one", tags: ["a", "b"])
        try notebook.add("two", tags: ["b"])
        let changed = try notebook.change(1, adding: ["c"], removing: ["a", "b"])
        #expect(changed.tags.map(\.name) == ["c"])
        try notebook.delete([2])
        #expect(try container.newContext().fetch(Tag.self).map(\.name) == ["c"])
    }

    @Test("Deleting a note that does not exist deletes none of the others")
    func deletion() throws {
        try notebook.add("one")
        #expect(throws: NotebookError.self) { try notebook.delete([1, 7]) }
        #expect(try notebook.note(1).title == "one")
        #expect(throws: NotebookError.self) { try notebook.note(7) }
    }

    @Test("A note without a title, or with one of two lines, is refused", arguments: ["", "two\nlines"])
    func titles(_ title: String) throws {
        let error = #expect(throws: ValidationError.self) { try notebook.add(title) }
        #expect(error?.failures.map(\.key) == ["title"])
        #expect(try notebook.latest(10).isEmpty)
    }

    @Test("Two notebooks over one store give their notes different numbers")
    func conflicts() throws {
        let other = Notebook(container)
        try notebook.add("mine", tags: ["tag"])
        try other.add("theirs", tags: ["tag"])
        try notebook.add("mine again", tags: ["tag"])
        #expect(try other.latest(10).map(\.number) == [3, 2, 1])
    }

    @Test("An export has every note with its tags")
    func export() throws {
        for number in 1...250 { try notebook.add("note \(number)", tags: ["all", "n\(number % 3)"]) }
        var exported: [ExportedNote] = []
        try notebook.forEach { exported.append(ExportedNote($0)) }
        #expect(exported.map(\.number) == Array(1...250))
        #expect(exported[4].tags == ["all", "n2"])
    }
}
