import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

@Suite("Migrating in place")
struct MigrationTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static func library(_ change: Int) throws -> ManagedObjectModel {
        let isChanged = change > 0
        return try ManagedObjectModel {
            if change == 2 { Entity("Aa") { Attribute("name", .string) } }
            Entity("Item", isAbstract: true) {
                Attributes(["name": .string, "size": .integer32])
                if !isChanged { Attribute("gone", .string) }
                if isChanged { Attribute("added", .string, default: "d") }
                Relationship(isChanged ? "borrower" : "reader", to: "Reader", inverse: "items").renamed(from: "reader")
                FetchIndex("bySize", on: "size")
                if !isChanged { FetchIndex("byGone", on: "gone") }
            }
            Entity("Book", parent: "Item", attributes: ["pages": .integer16], relationships: ["writers": .ordered("Reader.written")])
            Entity("Disc", parent: "Item") { Attribute("pages", .integer16).renamed(from: "pages") }
            Entity("Reader") {
                Attribute("name", .string)
                Relationship("items", to: "Item", inverse: isChanged ? "borrower" : "reader", .ordered)
                Relationships(["written": .toMany("Book.writers"), "favourite": .toOne("Item")])
                if isChanged { Unique("name") }
            }
        }
    }

    // A process killed while it copied the store for a conversion left the journal of its copy for ever.
    @Test("The journals of copies whose process ended go with what was copied")
    func journalsOfCopies() throws {
        let model = try ManagedObjectModel { Entity("Item") { Attribute("name", .string) } }
        let path = sandbox.path("s-before")
        let name = URL(filePath: path).lastPathComponent
        let folder = URL(filePath: path).deletingLastPathComponent()
        func leave() throws {
            // No process has this number.
            for end in ["1.tmp", "1.tmp-journal", "2.tmp-journal"] {
                try Data("x".utf8).write(to: folder.appending(path: ".\(name).2000000000.\(end)"))
            }
        }
        func left() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("2000000000") }
        }
        let description = StoreDescription(.sqlite, path: path)
        try leave()
        let container = try PersistentContainer(model: model, stores: [description])
        #expect(try left() == [])
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
        try leave()
        try SQLiteDriver().destroy(at: path)
        #expect(try left() == [])
        try leave()
        try SQLiteDriver().destroy(at: path)
        #expect(try left() == [])
    }

    @Test("A partial index is renamed with its columns, and dropped with its condition")
    func partialIndex() throws {
        func model(_ name: String, _ condition: String?) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Item") {
                    Attribute("name", .string)
                    Attribute(name, .integer16).renamed(from: "size")
                    condition.map { FetchIndex("i", on: "name").where($0) } ?? FetchIndex("i", on: "name")
                }
            }
        }
        func index() throws -> String? {
            try raw(sandbox.path("partial"), "SELECT sql FROM sqlite_master WHERE name = 'Z_Item_i'").first?.first ?? nil
        }
        let start = "CREATE INDEX Z_Item_i ON ZITEM (ZNAME ASC)"
        let versions: [(String, String?, String)] = [
            ("size", "size > 3", " WHERE ZSIZE > 3"), ("width", "width > 3", " WHERE ZWIDTH > 3"), ("length", "length > 'a'", ""),
            ("depth", "depth > 3 AND name != nil", " WHERE (ZDEPTH > 3 AND ZNAME IS NOT NULL)"), ("height", nil, ""),
        ]
        for (number, (name, condition, text)) in versions.enumerated() {
            let model = try model(name, condition)
            let coordinator = PersistentStoreCoordinator(model: model)
            let store = try coordinator.addStore(description("partial"))
            let context = ManagedObjectContext(coordinator)
            try context.insert("Item").setValue("v\(number)", forKey: "name")
            try context.save()
            #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Item")) == number + 1)
            #expect(try coordinator.verify(store).isEmpty)
            try coordinator.remove(store)
            #expect(try index() == start + text, "\(number)")
        }
    }

    // A new store was said to be corrupt, and nothing told which entity was too wide.
    @Test("A model that takes a table of too many columns is refused by name, and the store stays as it was")
    func tooWide() throws {
        func model(_ subentities: Int) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: [Entity("Account") { Attribute("balance", .integer64) }]
                    + (0..<subentities).map { sub in
                        var entity = Entity("Account\(sub)", parent: "Account")
                        entity.attributes = (0..<70).map { Attribute("a\(sub)x\($0)", .string) }
                        return entity
                    })
        }
        let (wide, narrow) = (try model(29), try model(2))
        let new = #expect(throws: StoreError.self) { try PersistentStoreCoordinator(model: wide).addStore(description("new")) }
        #expect(new?.code == .unsupported)
        #expect(new?.entity == "Account")
        #expect(!FileManager.default.fileExists(atPath: sandbox.path("new")))
        try PersistentStoreCoordinator(model: narrow).addStore(description("old"))
        let old = #expect(throws: StoreError.self) { try PersistentStoreCoordinator(model: wide).addStore(description("old")) }
        #expect(old?.code == .unsupported)
        #expect(old?.entity == "Account")
        try PersistentStoreCoordinator(model: narrow).addStore(description("old"))
    }

    private func description(_ name: String) -> StoreDescription { StoreDescription(.sqlite, path: sandbox.path(name)) }

    /// Opens a store, fills one that is new, and closes it.
    private func fill(_ name: String, _ model: ManagedObjectModel) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description(name))
        let context = ManagedObjectContext(coordinator)
        var items: [ManagedObject] = []
        for index in 0..<6 {
            let item = try context.insert(index.isMultiple(of: 2) ? "Book" : "Disc")
            try item.setValue("i\(index)", forKey: "name")
            try item.setValue(index, forKey: "size")
            try item.setValue(index * 10, forKey: "pages")
            items.append(item)
        }
        for index in 0..<2 {
            let reader = try context.insert("Reader")
            try reader.setValue("r\(index)", forKey: "name")
            try reader.setValue([items[index + 2], items[index]], forKey: "items")
            try reader.setValue(items[index], forKey: "favourite")
            try reader.setValue(Set([items[index * 2]]), forKey: "written")
        }
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    private func texts(_ name: String, _ sql: String) throws -> [[String]] { try raw(sandbox.path(name), sql).map { $0.map { $0 ?? "" } } }

    private func columns(_ name: String) throws -> [[String]] {
        try texts(
            name,
            "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2")
    }

    private func indexes(_ name: String) throws -> [[String]] {
        try texts(name, "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL ORDER BY 1")
    }

    @Test("A store that was altered has the tables, indexes and numbers of a new one, and its rows where they were", arguments: [1, 2])
    func altering(_ change: Int) throws {
        try fill("old", Self.library(0))
        let roots = "SELECT tbl_name, rootpage FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%' ORDER BY 1"
        let before = try texts("old", roots).filter { !$0[0].hasPrefix("Z_") }
        try PersistentStoreCoordinator.migrateStore(description("old"), to: Self.library(change))
        let new = PersistentStoreCoordinator(model: try Self.library(change))
        try new.addStore(description("new"))
        #expect(try columns("old") == columns("new"))
        #expect(try indexes("old") == indexes("new"))
        let keys = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1"
        #expect(try texts("old", keys) == texts("new", keys))
        // No table was made anew.
        let after = try texts("old", roots)
        #expect(before.allSatisfy(after.contains), "\(before) \(after)")
    }

    @Test("What altering makes of a store is what making its tables anew does", arguments: [1, 2])
    func rebuilding(_ change: Int) throws {
        try fill("altered", Self.library(0))
        try PersistentStoreCoordinator.replace("rebuilt", "altered", in: sandbox)
        // A trigger that the altered tables would break has them made anew.
        _ = try texts(
            "rebuilt",
            "CREATE TRIGGER T AFTER UPDATE ON ZITEM WHEN NEW.ZGONE = 'x' BEGIN UPDATE ZITEM SET ZSIZE = 0 WHERE ZGONE = 'x'; END")
        for name in ["altered", "rebuilt"] {
            try PersistentStoreCoordinator.migrateStore(description(name), to: Self.library(change))
        }
        #expect(try texts("rebuilt", "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == [["0"]])
        #expect(try columns("altered") == columns("rebuilt"))
        #expect(try indexes("altered") == indexes("rebuilt"))
        for table in Set(try columns("altered").map { $0[0] }).subtracting(["Z_METADATA"]) {
            let names = try columns("altered").filter { $0[0] == table }.map { $0[1] }.sorted().joined(separator: ", ")
            let rows = "SELECT \(names) FROM \(table) ORDER BY \(names)"
            #expect(try texts("altered", rows) == texts("rebuilt", rows), "\(table)")
        }
    }

    /// Persons and managers, some with values that begin with defaults: of none, of all persons, or of managers only.
    private static func staff(_ owner: String?) throws -> ManagedObjectModel {
        func defaults() -> [Attribute] {
            [
                Attribute("level", .integer64, default: .int(.min)), Attribute("score", .double, default: .double(-0.1)),
                Attribute("note", .string, default: "it's «new»"),
                Attribute("since", .date, default: .date(Date(timeIntervalSinceReferenceDate: 7.25))),
            ]
        }
        return try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                if owner == "Person" { for attribute in defaults() { attribute } }
            }
            Entity("Manager", parent: "Person") { if owner == "Manager" { for attribute in defaults() { attribute } } }
        }
    }

    @Test("Defaults of new attributes are clauses of their columns, until only some entities have these")
    func defaults() throws {
        func add(_ owner: String?, _ name: String) throws {
            let coordinator = PersistentStoreCoordinator(model: try Self.staff(owner))
            try coordinator.addStore(description("staff"))
            let context = ManagedObjectContext(coordinator)
            for entity in ["Person", "Manager"] { try context.insert(entity).setValue(name, forKey: "name") }
            try context.save()
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        func rows() throws -> [[String]] {
            try texts(
                "staff",
                "SELECT ZNAME, Z_ENT, ZLEVEL, ZSCORE, ZNOTE, ZSINCE FROM ZPERSON ORDER BY ZNAME, Z_ENT")
        }
        let schema = "SELECT name FROM pragma_table_info('ZPERSON') WHERE dflt_value IS NOT NULL ORDER BY 1"
        let filled = ["-9223372036854775808", "-0.1", "it's «new»", "7.25"]
        let empty = ["", "", "", ""]
        try add(nil, "a")
        try add("Person", "b")
        #expect(try texts("staff", schema) == [["ZLEVEL"], ["ZNOTE"], ["ZSCORE"], ["ZSINCE"]])
        let added = try rows()
        #expect(added == [["a", "1"] + filled, ["a", "2"] + filled, ["b", "1"] + filled, ["b", "2"] + filled])
        try add("Manager", "c")
        #expect(try texts("staff", schema).isEmpty)
        let moved = ["a", "b", "c"].flatMap { [[$0, "1"] + empty, [$0, "2"] + filled] }
        let after = try rows()
        #expect(after == moved)
    }

    @Test("An index and a table of another program stay where the tables do")
    func foreign() throws {
        try fill("old", Self.library(0))
        for sql in ["CREATE TABLE MINE (A INTEGER)", "INSERT INTO MINE VALUES (7)", "CREATE INDEX MINE_SIZE ON ZITEM (ZSIZE, ZNAME)"] {
            _ = try texts("old", sql)
        }
        try PersistentStoreCoordinator.migrateStore(description("old"), to: Self.library(1))
        #expect(try texts("old", "SELECT A FROM MINE") == [["7"]])
        #expect(try indexes("old").contains { $0[0] == "MINE_SIZE" })
    }
}

extension PersistentStoreCoordinator {
    fileprivate static func replace(_ name: String, _ original: String, in sandbox: Sandbox) throws {
        try SQLiteDriver().replace(at: sandbox.path(name), withStoreAt: sandbox.path(original))
    }
}
