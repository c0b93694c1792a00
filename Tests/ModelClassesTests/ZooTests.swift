import FoundationEssentials
import Strata
import StrataInMemory
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("Classes that the plugin generates") struct ZooTests {
    static let stores: [TestStore] = [.inMemory, .sqlite]

    private static let colours = ValueTransformer(name: "ColourTransformer", Colour.self) { colour in
        FoundationEssentials.Data([colour.red, colour.green])
    } decode: { bytes in
        Colour(red: bytes.first ?? 0, green: bytes.last ?? 0)
    }

    private func model() throws -> ManagedObjectModel {
        try ZooModel.model(transformers: { $0 == "ColourTransformer" ? Self.colours : nil })
    }

    private func container(_ store: TestStore, _ directory: TemporaryDirectory) throws -> PersistentContainer {
        try PersistentContainer(model: try model(), stores: [store.description(in: directory.path)])
    }

    @Test("Values of all types are set, saved and read back", arguments: stores) func valuesOfAllTypes(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let first = try container(store, directory)
        let context = first.viewContext
        let mammal = Mammal(context: context)
        #expect(mammal.legs == 4)
        #expect(mammal.weight == 0)
        #expect(mammal.rank == nil)
        #expect(mammal.fed == 0)
        let (id, page) = (UUID(), try #require(URL(string: "https://example.org/ada")))
        mammal.name = "Ada"
        mammal.blob = FoundationEssentials.Data([1, 2])
        mammal.born = Date(timeIntervalSinceReferenceDate: 10)
        mammal.cached = .int(7)
        mammal.colour = Colour(red: 1, green: 2)
        mammal.default = "plain"
        mammal.fed = 12.5
        mammal.id = id
        mammal.isTame = true
        mammal.legs = 3
        mammal.loudName = "ADA"
        mammal.meals = 1 << 40
        mammal.page = page
        mammal.photo = FoundationEssentials.Data(repeating: 9, count: 200_000)
        mammal.price = Decimal(string: "12.50")
        mammal.rank = -5
        mammal.speed = 1.5
        mammal.tags = ["a", "b"]
        mammal.visible = "yes"
        mammal.weight = 120.25
        #expect(mammal.cached == .int(7))
        #expect(mammal.visible == "yes")
        try context.save()

        let second = store.isPersistent ? try container(store, directory) : first
        let other = second.isSame(as: first) ? first.newBackgroundContextForReading : second.viewContext
        let read = try #require(try other.fetch(Mammal.fetchRequest()).first)
        #expect(read !== mammal)
        #expect(read.name == "Ada")
        #expect(read.blob == FoundationEssentials.Data([1, 2]))
        #expect(read.born == Date(timeIntervalSinceReferenceDate: 10))
        #expect(read.cached == nil)
        #expect(read.colour == Colour(red: 1, green: 2))
        #expect(read.default == "plain")
        #expect(read.fed == 12.5)
        #expect(read.id == id)
        #expect(read.isTame)
        #expect(read.legs == 3)
        #expect(read.loudName == "ADA")
        #expect(read.meals == 1 << 40)
        #expect(read.page == page)
        #expect(read.photo?.count == 200_000)
        #expect(read.price == Decimal(string: "12.50"))
        #expect(read.rank == -5)
        #expect(read.speed == 1.5)
        #expect(read.tags == ["a", "b"])
        #expect(read.visible == nil)
        #expect(read.weight == 120.25)
    }
}
