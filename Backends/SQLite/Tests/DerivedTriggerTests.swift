import Strata
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataSQLite

/// Stores with the triggers by which Core Data keeps a count.
@Suite("Triggers of Core Data's derived attributes")
struct DerivedTriggerTests {
    private static func trigger(_ role: String, _ event: String, _ condition: String, _ value: String, _ owner: String) -> String {
        "CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_\(role) AFTER \(event) ON ZPAGE FOR EACH ROW WHEN (\(condition)) BEGIN "
            + "UPDATE ZBOOK SET ZPAGESCOUNT = IFNULL(ZPAGESCOUNT, 0) \(value) WHERE Z_PK = \(owner); "
            + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT) FROM ZBOOK "
            + "WHERE Z_PK = \(owner); END"
    }

    private static let triggers = [
        trigger("INSERT", "INSERT", "NEW.ZBOOK NOT NULL", "+ 1", "NEW.ZBOOK"),
        trigger("UPDATE_INCREMENT", "UPDATE OF ZBOOK", "NEW.ZBOOK NOT NULL", "+ 1", "NEW.ZBOOK"),
        trigger("UPDATE_DECREMENT", "UPDATE OF ZBOOK", "OLD.ZBOOK NOT NULL", "- 1", "OLD.ZBOOK"),
        trigger("DELETE", "DELETE", "OLD.ZBOOK NOT NULL", "- 1", "OLD.ZBOOK"),
        "CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_SOURCE_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN "
            + "UPDATE ZBOOK SET ZPAGESCOUNT = (SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
            + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT) FROM ZBOOK "
            + "WHERE Z_PK = NEW.Z_PK; END",
    ]

    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/books.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    private func coordinator(derives: Bool, history: HistoryPolicy? = nil) throws -> PersistentStoreCoordinator {
        let count = Attribute("pagesCount", .integer64)
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                derives ? count.derived("pages.@count") : count
                Relationship("pages", to: "Page", inverse: "book", .toMany)
            }
            Entity("Page", attributes: ["name": .string], relationships: ["book": .toOne("Book.pages")])
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = StoreDescription(.sqlite, path: path)
        description.options.history = history
        try coordinator.addStore(description)
        return coordinator
    }

    @Test("Values that triggers change are read as they were before", arguments: [true, false])
    func past(derives: Bool) throws {
        do {
            let coordinator = try coordinator(derives: derives)
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        for sql in Self.triggers { _ = try raw(path, sql) }
        let coordinator = try coordinator(derives: derives, history: HistoryPolicy(keepsValues: true))
        let context = ManagedObjectContext(coordinator)
        let book = try context.insert("Book")
        let pages = try (0..<3).map { _ in try context.insert("Page") }
        for page in pages[..<2] { try page.setValue(book, forKey: "book") }
        var moments: [(token: HistoryToken, count: Int)] = []
        func save(_ count: Int) throws {
            try context.save()
            moments.append((try coordinator.history.currentToken(), count))
        }
        try save(2)
        try pages[2].setValue(book, forKey: "book")
        try save(3)
        try book.setValue("named", forKey: "name")
        context.delete(pages[0])
        try save(2)
        context.delete(pages[1])
        try save(1)
        context.delete(book)
        try context.save()
        for moment in moments {
            let past = ManagedObjectContext(coordinator)
            try past.setQueryGeneration(asOf: moment.token)
            let found = try #require(past.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book")).first)
            #expect(try found.value(forKey: "pagesCount") as? Int == moment.count)
        }
    }

    /// Core Data's triggers count by adding: what is counted already was counted twice.
    @Test("Beside Core Data's triggers, values are counted once, and contexts have them", arguments: [true, false])
    func counting(derives: Bool) throws {
        do {
            let coordinator = try coordinator(derives: derives)
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        for sql in Self.triggers { _ = try raw(path, sql) }
        let coordinator = try coordinator(derives: derives)
        let context = ManagedObjectContext(coordinator)
        func insert(_ entity: String, _ values: [String: Any]) throws -> ManagedObject {
            let object = try context.insert(entity)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            return object
        }
        func check(_ counts: [String: Int], _ step: String) throws {
            let other = ManagedObjectContext(coordinator)
            for (name, count) in counts {
                let request = ObjectFetchRequest<ManagedObject>(
                    entityName: "Book", try QueryPredicate(format: "name == %@", name))
                for context in [context, other] {
                    let book = try #require(context.fetch(request).first)
                    #expect(try book.value(forKey: "pagesCount") as? Int == count, "\(name) after \(step)")
                }
                #expect(try raw(path, "SELECT ZPAGESCOUNT FROM ZBOOK WHERE ZNAME = '\(name)'") == [["\(count)"]], "\(name) after \(step)")
            }
        }
        let (a, b) = (try insert("Book", ["name": "a"]), try insert("Book", ["name": "b"]))
        let pages = try (1...5).map { try insert("Page", ["name": "p\($0)", "book": a]) }
        try context.save()
        try check(["a": 5, "b": 0], "the first save")
        try pages[0].setValue(b, forKey: "book")
        try pages[1].setValue(b, forKey: "book")
        context.delete(pages[2])
        try b.setValue("b", forKey: "name")
        _ = try insert("Page", ["name": "new", "book": b])
        try context.save()
        try check(["a": 2, "b": 3], "all kinds of change")
        context.delete(a)
        try context.save()
        try check(["b": 3], "a deletion")
        let deleted = try coordinator.execute(BatchDeleteRequest(entityName: "Page", try QueryPredicate(format: "name == 'new'")))
        #expect(deleted.count == 1 || deleted.resultType != .count)
        #expect(try raw(path, "SELECT ZPAGESCOUNT FROM ZBOOK WHERE ZNAME = 'b'") == [["2"]])
    }
}
