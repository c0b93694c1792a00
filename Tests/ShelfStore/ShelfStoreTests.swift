import Strata
import StrataConformance
import StrataInMemory
import Testing

@Suite("The incremental store of the guide", .timeLimit(.minutes(60)))
struct ShelfStoreTests {
    private static let shelf = StoreHarness("shelf", isPersistent: false, isFileBased: false, keepsHistory: true) { _, _ in
        StoreDescription(.shelf)
    }
    private static let inMemory = StoreHarness("in memory", isPersistent: false, isFileBased: false, keepsHistory: true) { _, _ in
        StoreDescription(.inMemory)
    }

    @Test("A shelf does what every store does, alone and beside one in memory", arguments: StoreConformance.cases)
    func conformance(_ item: ConformanceCase) async throws {
        _ = try await item.run(on: ShelfStoreTests.shelf, with: [ShelfStoreTests.inMemory])
    }

    @Test("A shelf answers conditions, orders and keys by its indexes, and says so")
    func explanation() throws {
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("title", .string)
                Attribute("pages", .integer32)
                FetchIndex("byPages", on: "pages")
                Unique("title")
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.shelf))
        let context = ManagedObjectContext(coordinator)
        for number in 0..<1000 {
            let book = try context.insert("Book")
            try book.setValue("t\(number)", forKey: "title")
            try book.setValue(number % 100, forKey: "pages")
        }
        try context.save()
        func plan(_ predicate: QueryPredicate?, _ sort: QuerySort..., limit: Int? = nil) throws -> PlanExplanation {
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Book", predicate, sort: sort, limit: limit)
            return try #require(try context.explain(request).stores.first?.plan)
        }
        let range = try plan(key("pages") >= 98)
        #expect(range.access == [.index("byPages")])
        #expect(range.rowsRead == 20)
        let unique = try plan(key("title") == "t7")
        #expect(unique.access == [.index("unique title")])
        #expect(unique.rowsRead == 1)
        let sorted = try plan(nil, QuerySort("pages", ascending: false), limit: 5)
        #expect(sorted.access == [.index("byPages")])
        #expect(sorted.isSorted)
        #expect(try plan(key("title").contains("7")).access == [.scan])
    }
}
