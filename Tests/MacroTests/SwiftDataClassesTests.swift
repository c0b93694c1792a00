#if Macros
    import Foundation
    import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    enum PlatterCourse: String, Codable { case starter, main, dessert }
    enum PlatterLevel: Int, ValueConvertible { case easy = 1, hard }

    struct PlatterStep: Codable, Hashable {
        var text = ""
        var minutes = 0
    }

    @Composite struct Cook: Equatable {
        var id: UUID?
        var name = ""
        var site: URL?
    }

    @Composite struct Nourishment: Equatable {
        var energy = 0
        var protein = 0.0
        var labels: [String]?
        var steps: [PlatterStep] = []
    }

    enum Serving: Codable, CompositeEnumeration { case hot, cold }

    @Model final class Platter: ManagedObject {
        #Index<Platter>([\.created], [\.created, \.servings])

        var id: UUID
        @Attribute(.unique) var name: String
        var course: PlatterCourse = .starter
        var level: PlatterLevel?
        var cook: Cook?
        var nourishment: Nourishment = Nourishment()
        var serving: Serving?
        var tags: [String] = []
        @Attribute(.externalStorage) var photo: Data?
        var price: Decimal = 0
        var servings: Int = 1
        var vegan: Bool = false
        var created: Date
        @Relationship(deleteRule: .cascade, inverse: \Portion.platter) var portions: [Portion] = []
        @Relationship var toppings: [Topping] = []
        @Relationship var banquets: [Banquet]?

        init(name: String) {
            self.name = name
            id = UUID()
            created = Date(timeIntervalSinceReferenceDate: 0)
        }
    }

    @Model final class Portion: ManagedObject {
        var amount: Double = 0
        var unit: PortionUnit = .piece
        var platter: Platter?
    }

    enum PortionUnit: String, Codable { case piece, l }

    @Model final class Topping: ManagedObject {
        var name: String = ""
    }

    @Model final class Banquet: ManagedObject {
        var title: String = ""
        @Relationship(inverse: \Platter.banquets) var platters: [Platter] = []
    }

    /// A store of SwiftData, opened with classes of `@Model`.
    @Suite("SwiftData's stores with classes") struct SwiftDataClassesTests {
        private let directory: TemporaryDirectory
        private let path: String

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.file("default.store")
        }

        private func open() throws -> PersistentContainer {
            try PersistentContainer(for: Platter.self, stores: [StoreDescription(.sqlite, path: path)])
        }

        private func platters(_ context: ManagedObjectContext) throws -> [Platter] {
            try context.fetch(ObjectFetchRequest<Platter>(sort: [(\Platter.name).descending]))
        }

        @Test("The classes have the version hashes of SwiftData") func hashes() throws {
            try SwiftDataStore.make(at: path)
            let metadata = try StoreDescription(.sqlite, path: path).driver.metadata(at: .file(path))
            #expect(try ManagedObjectModel(for: Platter.self).swiftDataVersionHashesByName == metadata.versionHashes)
        }

        @Test("Values are read as SwiftData wrote them") func reading() throws {
            try SwiftDataStore.make(at: path)
            let context = ManagedObjectContext(try open().coordinator)
            let found = try platters(context)
            #expect(found.map(\.name) == ["Soup", "Bread"])
            #expect(found.map(\.course) == [.dessert, .starter])
            #expect(found.map(\.level) == [.hard, nil])
            let site = URL(string: "https://example.org/ada")
            #expect(
                found.map(\.cook) == [Cook(id: UUID(uuidString: "11111111-2222-4333-8444-555555555555"), name: "Ada", site: site), nil])
            #expect(found.map(\.serving) == [.hot, nil])
            #expect(found[0].nourishment.labels == ["spicy", "low fat"])
            #expect(found[0].nourishment.steps == [PlatterStep(text: "Boil 1/2 l.", minutes: 5), PlatterStep(text: "Serve.", minutes: 1)])
            #expect(found.map(\.nourishment.protein) == [12.5, 0])
            #expect(found[0].tags == ["quick", "für zwei"])
            #expect(found.map(\.photo) == [Data([0xCA, 0xFE]), nil])
            #expect(found.map(\.price) == [9.75, 3])
            #expect(found.map(\.created.timeIntervalSinceReferenceDate) == [700_000_000.25, 700_000_001])
            #expect(Set(found[0].portions.map(\.unit)) == [.l, .piece])
            #expect(found.map { $0.toppings.map(\.name) } == [["Chives"], []])
            #expect(found[1].banquets?.map(\.title) == ["Spring"])
        }

        @Test("Conditions and orders on enumerations and structures are met as in the store") func queries() throws {
            try SwiftDataStore.make(at: path)
            let context = ManagedObjectContext(try open().coordinator)
            func names(_ request: ObjectFetchRequest<Platter>) throws -> [String] { try context.fetch(request).map(\.name) }
            #expect(try names(ObjectFetchRequest(\Platter.course == .dessert)) == ["Soup"])
            #expect(try names(ObjectFetchRequest(\Platter.level == nil)) == ["Bread"])
            #expect(try names(ObjectFetchRequest(\Platter.cook?.name == "Ada")) == ["Soup"])
            #expect(try names(ObjectFetchRequest(\Platter.cook == nil)) == ["Bread"])
            #expect(try names(ObjectFetchRequest(\Platter.serving == .hot)) == ["Soup"])
            #expect(try names(ObjectFetchRequest(\Platter.serving == .cold)) == [])
            #expect(try names(ObjectFetchRequest(\Platter.nourishment.energy > 100)) == ["Soup"])
            let soup = try #require(try context.fetch(ObjectFetchRequest(\Platter.name == "Soup")).first)
            soup.tags = ["slow"]
            try context.save()
            #expect(try names(ObjectFetchRequest(\Platter.tags == ["slow"])) == ["Soup"])
            #expect(try names(ObjectFetchRequest(\Platter.tags != ["slow"])) == ["Bread"])
        }

        @Test("A save writes values as SwiftData does, and nothing else") func writing() throws {
            try SwiftDataStore.make(at: path)
            let container = try open()
            let before = try SwiftDataStore.dump(path)
            let context = ManagedObjectContext(container.coordinator)
            let bread = try #require(try context.fetch(ObjectFetchRequest<Platter>(\Platter.name == "Bread")).first)
            bread.course = .main
            bread.level = .easy
            bread.nourishment.labels = ["a/b"]
            bread.nourishment.steps = [PlatterStep(text: "Bake.", minutes: 40)]
            bread.serving = .cold
            bread.tags = ["slow", "für zwei"]
            try context.save()
            for store in container.coordinator.stores { try container.coordinator.remove(store) }
            let columns = "ZCOURSE, ZLEVEL, CAST(ZLABELS AS TEXT), CAST(ZSTEPS AS TEXT), ZHOT, ZCOLD, typeof(ZLABELS), Z_OPT"
            #expect(
                try SwiftDataStore.query("SELECT \(columns) FROM ZPLATTER WHERE Z_PK = 2", at: path) == [
                    ["main", "1", #"["a\/b"]"#, #"[{"minutes":40,"text":"Bake."}]"#, "NULL", "cold", "blob", "2"]
                ])
            let archived = try SwiftDataStore.query("SELECT hex(ZTAGS) FROM ZPLATTER WHERE Z_PK = 2", at: path)[0][0]
            var bytes = Data()
            for index in stride(from: 0, to: archived.count, by: 2) {
                let start = archived.index(archived.startIndex, offsetBy: index)
                bytes.append(UInt8(archived[start..<archived.index(start, offsetBy: 2)], radix: 16) ?? 0)
            }
            let list = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: bytes) as? [String]
            #expect(list == ["slow", "für zwei"])
            let after = try SwiftDataStore.dump(path)
            #expect(after.filter { !$0.hasPrefix("ZPLATTER: 2,") } == before.filter { !$0.hasPrefix("ZPLATTER: 2,") })
        }

        @Test("A store of another version is migrated by its compiled model, enumerations included") func migration() throws {
            try SwiftDataStore.make(at: path)
            let container = try PersistentContainer(for: NextVersion.Platter.self, stores: [StoreDescription(.sqlite, path: path)])
            let request = ObjectFetchRequest<NextVersion.Platter>(sort: [(\NextVersion.Platter.name).descending])
            let context = ManagedObjectContext(container.coordinator)
            let found = try context.fetch(request)
            #expect(found.map(\.name) == ["Soup", "Bread"])
            #expect(found.map(\.course) == [.dessert, .starter])
            #expect(found.map(\.difficulty) == [.hard, nil])
            #expect(found.map(\.note) == ["", ""])
            #expect(found.map(\.tags) == [["quick", "für zwei"], ["quick", "für zwei"]])
            #expect(found.map(\.nourishment.labels) == [["spicy", "low fat"], []])
        }
    }

    /// Another version of the classes: a renamed enumeration, a new attribute, and no relationships.
    enum NextVersion {
        @Model("Platter") final class Platter: ManagedObject {
            var name: String = ""
            var course: PlatterCourse = .starter
            @Attribute(originalName: "level") var difficulty: PlatterLevel?
            var nourishment: Nourishment = Nourishment()
            var tags: [String] = []
            var note: String = ""
        }
    }
#endif
