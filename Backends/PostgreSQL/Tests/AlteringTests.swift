import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: a migration alters the tables that are there", .server, .timeLimit(.minutes(60)))
struct AlteringTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let coordinator = try open(AlteringTests.before())
        let context = ManagedObjectContext(coordinator)
        for number in 0..<3 {
            let note = try context.insert("Note")
            try note.setValue("note \(number)", forKey: "text")
            try note.setValue("title \(number)", forKey: "title")
            try note.setValue(number, forKey: "count")
            try note.setValue(number == 1, forKey: "isDone")
            let tag = try context.insert("Tag")
            try tag.setValue("tag \(number)", forKey: "name")
            try note.setValue(Set([tag]), forKey: "tags")
        }
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    private static func before() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Attributes(["text": .string, "title": .string, "count": .integer16, "isDone": .boolean, "mark": .string])
                Relationship("tags", to: "Tag", inverse: "notes", .toMany)
                FetchIndex("byText", on: "text")
                FetchIndex("byMark", on: "mark")
            }
            Entity("Tag", attributes: ["name": .string], relationships: ["notes": .toMany("Note.tags")])
        }
    }

    private func open(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(scratch.description)
        return coordinator
    }

    private func notes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Note", sort: [QuerySort("text")]))
    }

    /// The positions of a table's rows: the file, and the positions in it.
    private func positions(_ table: String) throws -> [String] {
        try scratch.run(
            """
            SELECT pg_relation_filenode('\(scratch.schema).\(table)')::text \
            UNION ALL SELECT ctid::text FROM \(scratch.schema).\(table) ORDER BY 1
            """)
    }

    @Test("Rows stay where they are, whatever columns, tables, relationships and indexes come, go, and are called otherwise")
    func staying() throws {
        let tables = ["note", "tag", "note_tags"]
        let positions = try tables.map { try self.positions($0) }
        let model = try ManagedObjectModel {
            // Before the others in the order of names: those would get other numbers in a new store.
            Entity("Author") {
                Attribute("name", .string)
                Relationships(["notes": .toMany("Note.author"), "fans": .toMany("Tag.idols")])
            }
            Entity("Note") {
                Attribute("title", .string).renamed(from: "text")
                Attribute("text", .string).renamed(from: "title")
                Attributes(["count": .integer64, "isDone": .boolean])
                Attribute("length", .integer32, default: 7)
                Attribute("comment", .string)
                Attribute("mood", .string, default: "o'k\\").required
                Relationship("labels", to: "Tag", inverse: "notes", .toMany).renamed(from: "tags")
                Relationship("author", to: "Author", inverse: "notes")
                FetchIndex("byTitle", on: "title")
                Unique("text")
            }
            Entity("Tag") {
                Attribute("name", .string)
                Relationships(["notes": .toMany("Note.labels"), "idols": .toMany("Author.fans")])
            }
        }
        let context = ManagedObjectContext(try open(model))
        #expect(try ["note", "tag", "note_labels"].map { try self.positions($0) } == positions)
        let notes = try notes(context)
        #expect(try notes.map { try $0.value(forKey: "title") as? String } == ["note 0", "note 1", "note 2"])
        #expect(try notes.map { try $0.value(forKey: "text") as? String } == ["title 0", "title 1", "title 2"])
        #expect(try notes.map { try $0.value(forKey: "count") as? Int } == [0, 1, 2])
        #expect(try notes.map { try $0.value(forKey: "isDone") as? Bool } == [false, true, false])
        #expect(try notes.allSatisfy { try $0.value(forKey: "length") as? Int == 7 && $0.value(forKey: "mood") as? String == "o'k\\" })
        let labels = try notes.map { try ($0.value(forKey: "labels") as? Set<ManagedObject>)?.first?.value(forKey: "name") as? String }
        #expect(labels == ["tag 0", "tag 1", "tag 2"])
        let author = try context.insert("Author")
        try notes[0].setValue(author, forKey: "author")
        let note = try context.insert("Note")
        try note.setValue("title 0", forKey: "text")
        #expect(throws: SaveConflictError.self) { try context.save() }
        try note.setValue("title 3", forKey: "text")
        try context.save()
        let columns = "SELECT column_name FROM information_schema.columns WHERE table_schema = '\(scratch.schema)' AND table_name = 'note'"
        #expect(try !scratch.run(columns).contains("mark"))
        #expect(try scratch.run(columns + " AND column_default IS NOT NULL") == [])
        let indexes = try scratch.run("SELECT indexname FROM pg_indexes WHERE schemaname = '\(scratch.schema)'")
        #expect(indexes.contains("note_by_title_index"))
        #expect(indexes.contains("note_labels_back"))
        #expect(indexes.contains("note_labels_key"))
        #expect(!indexes.contains("note_by_mark_index"))
        #expect(!indexes.contains("note_by_text_index"))
    }

    @Test("Values are converted to a wider type by the server, as a migration object by object would")
    func wider() throws {
        let model = try ManagedObjectModel {
            Entity("Note") {
                Attributes(["text": .string, "count": .double])
                Attribute("isDone", .integer16).required
                Attribute("mark", .string)
            }
        }
        let context = ManagedObjectContext(try open(model))
        let notes = try notes(context)
        #expect(try notes.map { try $0.value(forKey: "count") as? Double } == [0, 1, 2])
        #expect(try notes.map { try $0.value(forKey: "isDone") as? Int } == [0, 1, 0])
        let tables = try scratch.run("SELECT tablename FROM pg_tables WHERE schemaname = '\(scratch.schema)'")
        #expect(!tables.contains("tag"))
        #expect(!tables.contains("note_tags"))
    }

    @Test("What rows stand against leaves the store as it was")
    func refused() throws {
        try scratch.run("UPDATE \(scratch.schema).note SET title = 'same'")
        let positions = try positions("note")
        let unique = try ManagedObjectModel {
            Entity("Note") {
                Attributes(["text": .string, "title": .string, "added": .string])
                Unique("title")
            }
        }
        let error = try expectError(.constraint) { _ = try open(unique) }
        #expect(error.key == "title")
        let required = try ManagedObjectModel {
            Entity("Note") {
                Attribute("text", .string)
                Attribute("mark", .string).required
            }
        }
        #expect(try expectError(.migration) { _ = try open(required) }.key == "mark")
        #expect(try self.positions("note") == positions)
        #expect(try notes(ManagedObjectContext(open(AlteringTests.before()))).count == 3)
    }
}
