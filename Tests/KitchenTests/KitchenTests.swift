import FoundationEssentials
import Strata
import StrataSQLite
import StrataTestSupport
import Testing

/// A store of SwiftData, opened with classes that the plugin generates.
@Suite("SwiftData's stores with generated classes") struct KitchenTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("default.store")
        try SwiftDataStore.make(at: path)
    }

    private func open() throws -> PersistentContainer {
        try PersistentContainer(model: try KitchenModel.model(), stores: [StoreDescription(.sqlite, path: path)])
    }

    @Test("The model has the version hashes of the store") func hashes() throws {
        let metadata = try StoreDescription(.sqlite, path: path).driver.metadata(at: .file(path))
        #expect(try KitchenModel.model().entityVersionHashesByName == metadata.versionHashes)
    }

    @Test("Values are read as SwiftData wrote them") func reading() throws {
        let context = ManagedObjectContext(try open().coordinator)
        let request = try ObjectFetchRequest<Platter>(QueryPredicate(format: "course.course == %@", "dessert"))
        let soup = try #require(try context.fetch(request).first)
        #expect(soup.name == "Soup")
        #expect(soup.course?["course"] as? String == "dessert")
        #expect(soup.level?["level"] as? Int == 2)
        #expect(soup.cook?["site"] as? URL == URL(string: "https://example.org/ada"))
        #expect(soup.serving as? [String: String] == ["hot": "hot"])
        #expect(soup.nourishment?["labels"] as? Data == Data(#"["spicy","low fat"]"#.utf8))
        #expect(soup.tags == ["quick", "für zwei"])
        #expect(soup.price == Decimal(string: "9.75"))
        #expect(soup.portions.map(\.amount).sorted() == [0.5, 2])
        #expect(soup.toppings.map(\.name) == ["Chives"])
        #expect(soup.banquets.map(\.title) == ["Spring"])
    }

    @Test("A save changes the values that are set, and nothing else") func writing() throws {
        let before = try SwiftDataStore.dump(path)
        let container = try open()
        let context = ManagedObjectContext(container.coordinator)
        let request = try ObjectFetchRequest<Platter>(QueryPredicate(format: "name == %@", "Soup"))
        let soup = try #require(try context.fetch(request).first)
        soup.course = ["course": "main"]
        soup.tags = ["quick", "für zwei"]
        try context.save()
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
        let changed = try #require(before.first { $0.hasPrefix("ZPLATTER: 1,") })
        let expected = changed.replacing("1, 2, 3,", with: "1, 2, 4,").replacing("'dessert'", with: "'main'")
        #expect(try Self.withoutTags(SwiftDataStore.dump(path)) == Self.withoutTags(before.map { $0 == changed ? expected : $0 }))
        let again = ManagedObjectContext(try open().coordinator)
        #expect(try again.fetch(request).first?.tags == ["quick", "für zwei"])
    }

    /// An archive of the same list may have its objects in another order.
    private static func withoutTags(_ lines: [String]) -> [String] {
        lines.map { line in line.hasPrefix("ZPLATTER: 1,") ? line.replacing(/X'62706C6973743030[0-9A-F]*'/, with: "tags") : line }
    }
}
