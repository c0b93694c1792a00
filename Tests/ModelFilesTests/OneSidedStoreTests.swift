import FoundationEssentials
import Strata
import StrataModel
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("Stores with to-many relationships without inverse") struct OneSidedStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("store.sqlite")
    }

    private func withContext<T>(_ body: (ManagedObjectContext) throws -> T) throws -> T {
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("title", .string)
                Relationship("pages", to: "Page", .toMany)
            }
            Entity("Novel", parent: "Book")
            Entity("Page") { Attribute("number", .integer16) }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let result = try body(ManagedObjectContext(coordinator))
        #expect(try coordinator.verify(store).isEmpty)
        try coordinator.remove(store)
        return result
    }

    private func add(_ numbers: [Int], to book: ManagedObject, _ context: ManagedObjectContext) throws {
        var pages = try book.value(forKey: "pages") as? Set<ManagedObject> ?? []
        for number in numbers {
            let page = try context.insert("Page")
            try page.setValue(number, forKey: "number")
            pages.insert(page)
        }
        try book.setValue(pages, forKey: "pages")
        try context.save()
    }

    private func numbers(_ context: ManagedObjectContext, _ entity: String) throws -> [Int] {
        let book = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity)).first)
        let pages = try #require(try book.value(forKey: "pages") as? Set<ManagedObject>)
        return try pages.compactMap { try $0.value(forKey: "number") as? Int }.sorted()
    }

    @Test("A store whose table has no column of the owner's entity, as Core Data's have none, opens and is changed") func withoutEntity()
        throws
    {
        try withContext { try add([1, 2], to: $0.insert("Novel"), $0) }
        _ = try SwiftDataStore.query("ALTER TABLE ZPAGE DROP COLUMN Z1_1PAGES", at: path)
        try withContext { context in
            #expect(try numbers(context, "Novel") == [1, 2])
            let novel = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Novel")).first)
            try add([3], to: novel, context)
            try add([4], to: context.insert("Book"), context)
        }
        try withContext { context in
            #expect(try numbers(context, "Novel") == [1, 2, 3])
            for novel in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Novel")) { context.delete(novel) }
            try context.save()
        }
        #expect(try SwiftDataStore.query("SELECT count(*) FROM ZPAGE WHERE Z1PAGES IS NOT NULL", at: path) == [["1"]])
    }
}
