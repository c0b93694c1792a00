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

    /// A container that knows nothing of the objects so far: a new one, where the store can be opened again.
    private func reopened(_ zoo: PersistentContainer, _ store: TestStore, _ directory: TemporaryDirectory) throws -> PersistentContainer {
        store.isPersistent ? try container(store, directory) : zoo
    }

    @Test("Values of all types are set, saved and read back", arguments: stores) func valuesOfAllTypes(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let zoo = try container(store, directory)
        let context = ManagedObjectContext(zoo.coordinator)
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

        let other = ManagedObjectContext(try reopened(zoo, store, directory).coordinator)
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

    @Test("Relationships of all shapes lead both ways, and are read back", arguments: stores)
    func relationshipsOfAllShapes(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let zoo = try container(store, directory)
        let context = ManagedObjectContext(zoo.coordinator)
        let enclosure = Enclosure(context: context)
        enclosure.label = "north"
        let animals = (0..<3).map { number in
            let animal = number == 0 ? Bird(context: context) : Mammal(context: context)
            animal.name = "animal \(number)"
            animal.weight = Double(number) * 100
            return animal
        }
        enclosure.addToAnimals(Swift.Set(animals))
        enclosure.removeFromAnimals(animals[1])
        #expect(animals[0].enclosure == enclosure)
        #expect(animals[1].enclosure == nil)
        animals[1].parent = animals[2]
        #expect(animals[2].young == [animals[1]])
        let keeper = Keeper(context: context)
        keeper.name = "Grace"
        animals[0].addToKeepers(keeper)
        keeper.animals.insert(animals[2])

        let tickets = (0..<4).map { number in
            let ticket = Ticket(context: context)
            ticket.number = Int32(number * 7)
            return ticket
        }
        enclosure.addToTickets([tickets[0], tickets[1]])
        enclosure.insertIntoTickets(tickets[2], at: 0)
        enclosure.replaceTickets(at: 1, with: tickets[3])
        enclosure.removeFromTickets(at: 2)
        #expect(enclosure.tickets == [tickets[2], tickets[3]])
        try context.save()

        let other = ManagedObjectContext(try reopened(zoo, store, directory).coordinator)
        let read = try #require(try other.fetch(ObjectFetchRequest<Enclosure>(Enclosure.label == "north")).first)
        #expect(Swift.Set(read.animals.compactMap(\.name)) == ["animal 0", "animal 2"])
        #expect(read.tickets.map(\.number) == [14, 21])
        #expect(read.tickets.map(\.isWinning) == [true, true])
        #expect(read.heavy.map(\.name) == ["animal 2"])
        let bird = try #require(try other.fetch(Bird.fetchRequest()).first)
        #expect(bird.keepers.first?.name == "Grace")
        let young = try other.fetch(ObjectFetchRequest<Animal>(Animal.parent.appending(Animal.name) == "animal 2"))
        #expect(young.map(\.name) == ["animal 1"])
    }

    @Test("Classes inherit as their entities do", arguments: stores) func classesInherit(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let zoo = try container(store, directory)
        let context = ManagedObjectContext(zoo.coordinator)
        Bird(context: context).name = "a bird"
        let reptile = try #require(try context.insert("Reptile") as? Animal)
        reptile.name = "a reptile"
        try context.save()

        let other = ManagedObjectContext(try reopened(zoo, store, directory).coordinator)
        let animals = try other.fetch(ObjectFetchRequest<Animal>(entityName: "Animal", sort: [Animal.name.ascending]))
        #expect(animals.map { $0 is Bird } == [true, false])
        #expect(animals.map(\.entity.name) == ["Bird", "Reptile"])
    }

    @Test("Key paths and keys ask the same", arguments: stores) func keyPathsAndKeys(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let context = ManagedObjectContext(try container(store, directory).coordinator)
        for number in 0..<4 {
            let bird = Bird(context: context)
            bird.name = "bird \(number)"
            bird.legs = Int16(number)
            bird.wingspan = number == 3 ? nil : Double(number)
        }
        try context.save()
        let byKey = try context.fetch(ObjectFetchRequest<Bird>(Bird.legs > 1, sort: [Bird.wingspan.descending]))
        let byPath = try context.fetch(ObjectFetchRequest<Bird>(\Bird.legs > 1, sort: [Bird.wingspan.descending]))
        #expect(byKey.map(\.name) == ["bird 2", "bird 3"])
        #expect(byPath == byKey)
    }

    @Test("Fetch requests of the model are functions", arguments: stores) func fetchRequests(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let context = ManagedObjectContext(try container(store, directory).coordinator)
        for (name, weight) in [("Ada", 10.0), ("Ann", 200), ("Bob", 300)] {
            let mammal = Mammal(context: context)
            (mammal.name, mammal.weight, mammal.isTame) = (name, weight, name == "Bob")
        }
        try context.save()
        let heavy = try context.fetch(try Animal.heavierThan(START: "A", WEIGHT: 100, in: context.model))
        #expect(heavy.map(\.name) == ["Ann"])
        #expect(try context.fetch(try Animal.tame(in: context.model)).map(\.name) == ["Bob"])
    }

    @Test("Entities with the names of types that generated code uses do no harm", arguments: stores)
    func entitiesWithTheNamesOfTypes(_ store: TestStore) throws {
        let directory = try TemporaryDirectory()
        let zoo = try container(store, directory)
        let context = ManagedObjectContext(zoo.coordinator)
        let (set, member) = (ModelClassesTests.Set(context: context), ModelClassesTests.Set(context: context))
        set.default = "outer"
        set.addToMembers(member)
        ModelClassesTests.Data(context: context).bytes = FoundationEssentials.Data([3])
        try context.save()

        let other = ManagedObjectContext(try reopened(zoo, store, directory).coordinator)
        let outer = try #require(try other.fetch(ObjectFetchRequest<ModelClassesTests.Set>(ModelClassesTests.Set.default == "outer")).first)
        #expect(outer.members.count == 1)
        #expect(outer.members.first?.owner == outer)
        #expect(try other.fetch(ModelClassesTests.Data.fetchRequest()).map(\.bytes) == [FoundationEssentials.Data([3])])
    }

    @Test("A value whose transformer is not given is refused when it is saved") func withoutItsTransformer() throws {
        let context = ManagedObjectContext(
            try PersistentContainer(model: try ZooModel.model(), stores: [StoreDescription(.inMemory)]).coordinator)
        let mammal = Mammal(context: context)
        mammal.name = "Ada"
        mammal.colour = Colour(red: 1, green: 2)
        #expect(throws: StoreError.self) { try context.save() }
    }

    @Test("The model is made once, of the version that is the current one") func theModel() throws {
        #expect(try ZooModel.model() === ZooModel.model())
        #expect(try ZooModel.model().versionIdentifiers == ["2"])
        #expect(ZooModel.objectClass(named: "Keeper") == Keeper.self)
        #expect(ZooModel.objectClass(named: ".Bird") == Bird.self)
        #expect(ZooModel.objectClass(named: "Unicorn") == nil)
    }
}
