import FoundationEssentials
import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

/// A save with more than 2,704 bytes in a key of an index failed with `tooLarge`.
@Suite("PostgreSQL: indexes and constraints over long text and binary values", .server, .timeLimit(.minutes(60)))
struct LongKeyTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func model(_ hash: String = "", isIndexed: Bool = true) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Page") {
                Attributes(["url": .string, "body": .string, "number": .integer64])
                if isIndexed {
                    FetchIndex("byBody", on: "body")
                    Unique("url")
                    Unique("body", "number")
                }
                if !hash.isEmpty { Attribute(hash, .string) }
            }
        }
    }

    private func open(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(scratch.description)
        return coordinator
    }

    private func close(_ coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    private func insert(_ url: String, _ body: String? = nil, _ context: ManagedObjectContext) throws {
        let page = try context.insert("Page")
        try page.setValue(url, forKey: "url")
        try page.setValue(body, forKey: "body")
        try page.setValue(1, forKey: "number")
    }

    /// Text that the server cannot compress to a tenth.
    private func text(_ count: Int, _ start: Int = 0) -> String {
        var text = ""
        for number in 0..<count {
            text.unicodeScalars.append(Unicode.Scalar(UInt16(0x4E00 + (number &* 7_919 &+ number / 20_000 &+ start) % 20_000)) ?? "x")
        }
        return text
    }

    private var methods: [String] {
        get throws {
            try scratch.run(
                """
                SELECT a.amname || CASE WHEN i.indexprs IS NULL THEN '' ELSE ' expression' END FROM pg_index i
                JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam JOIN pg_class t ON t.oid = i.indrelid
                WHERE t.relname = 'page' AND t.relnamespace = '"\(scratch.schema)"'::regnamespace AND NOT i.indisprimary ORDER BY c.relname
                """)
        }
    }

    @Test("An index stays a B-tree until a long key comes, also in a store of an earlier version, and is found anew")
    func onDemand() throws {
        var coordinator = try open(try model())
        var context = ManagedObjectContext(coordinator)
        try insert("short", "short", context)
        try context.save()
        #expect(try methods == ["btree", "btree", "btree"])
        try close(coordinator)
        coordinator = try open(try model())
        context = ManagedObjectContext(coordinator)
        try insert(text(3_000), nil, context)
        try context.save()
        #expect(try Set(methods) == ["btree", "hash"])
        try insert("b", text(3_000), context)
        try context.save()
        #expect(try methods.sorted() == ["btree expression", "hash", "hash"])
        // A save that is not the first one, and another client's.
        try insert("c", text(3_000, 1), context)
        try context.save()
        let other = ManagedObjectContext(try open(try model()))
        try insert(text(3_000), nil, other)
        #expect(throws: SaveConflictError.self) { try other.save() }
        other.rollback()
        try insert("d", text(3_000, 1), other)
        #expect(throws: SaveConflictError.self) { try other.save() }
        try close(coordinator)
        // A migration that alters the tables keeps the indexes as they are.
        let migrated = try open(try model("note"))
        #expect(try methods.sorted() == ["btree expression", "hash", "hash"])
        #expect(try ManagedObjectContext(migrated).count(for: ObjectFetchRequest<ManagedObject>(entityName: "Page")) == 4)
    }

    @Test("Indexes that a migration, or a copy, makes over rows are given the form that these need")
    func overRows() throws {
        let coordinator = try open(try model(isIndexed: false))
        let context = ManagedObjectContext(coordinator)
        try insert(text(3_000), text(9_000), context)
        try context.save()
        try close(coordinator)
        let migrated = try open(try model())
        #expect(try methods.sorted() == ["btree expression", "hash", "hash"])
        let again = ManagedObjectContext(migrated)
        try insert(text(3_000), nil, again)
        #expect(throws: SaveConflictError.self) { try again.save() }
    }

    @Test("A role that may not change an index is refused a long key")
    func rights() throws {
        let coordinator = try open(try model())
        try scratch.asGuest { guest in
            let other = PersistentStoreCoordinator(model: coordinator.model)
            try other.addStore(.postgreSQL(scratch.url, schema: scratch.schema, credentials: guest))
            let context = ManagedObjectContext(other)
            try insert(text(3_000), nil, context)
            let message = "the index … takes no values of more than … bytes, and the role may not change it"
            try expectError(.tooLarge, message: message) { try context.save() }
        }
    }

    @Test("Two clients that write the first long key at the same time both save it")
    func together() throws {
        let coordinators = try [open(try model()), open(try model())]
        let contexts = coordinators.map { ManagedObjectContext($0) }
        for (number, context) in contexts.enumerated() { try insert(text(3_000, number), nil, context) }
        for context in contexts { try context.save() }
        #expect(try contexts[0].count(for: ObjectFetchRequest<ManagedObject>(entityName: "Page")) == 2)
    }

    // A unique binary value of more than 2,704 bytes failed with `tooLarge`.
    @Test("A constraint over binary values stays a B-tree until a long value comes, also in a store of an earlier version")
    func binaryValues() throws {
        let model = try ManagedObjectModel {
            Entity("Page") {
                Attributes(["content": .binary, "chunk": .binary, "number": .integer64])
                Unique("content")
                Unique("chunk", "number")
            }
        }
        func insert(_ content: String, _ chunk: String, _ context: ManagedObjectContext) throws {
            let page = try context.insert("Page")
            try page.setValue(Data(content.utf8), forKey: "content")
            try page.setValue(Data(chunk.utf8), forKey: "chunk")
            try page.setValue(1, forKey: "number")
        }
        var coordinator = try open(model)
        var context = ManagedObjectContext(coordinator)
        try insert("short", "short", context)
        try context.save()
        #expect(try methods == ["btree", "btree"])
        try close(coordinator)
        coordinator = try open(model)
        context = ManagedObjectContext(coordinator)
        try insert("short", "other", context)
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.rollback()
        try insert(text(3_000), "a", context)
        try context.save()
        #expect(try methods.sorted() == ["btree", "hash"])
        try insert("b", text(3_000), context)
        try context.save()
        #expect(try methods.sorted() == ["btree expression", "hash"])
        try close(coordinator)
        // A later session takes the constraints as they are.
        context = ManagedObjectContext(try open(model))
        for (content, chunk) in [("short", "c"), ("d", "short"), (text(3_000), "e"), ("f", text(3_000))] {
            try insert(content, chunk, context)
            #expect(throws: SaveConflictError.self) { try context.save() }
            context.rollback()
        }
        try insert(text(3_000, 1), text(3_000, 1), context)
        try context.save()
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Page")) == 4)
    }
}
