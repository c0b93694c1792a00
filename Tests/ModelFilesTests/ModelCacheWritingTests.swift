import FoundationEssentials
import Strata
import StrataModel
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataModelFiles

@Suite("Models compiled for the cache of a store") struct ModelCacheWritingTests {
    /// A model of everything whose form in Core Data's archives is known.
    static func model() throws -> ManagedObjectModel {
        let day = Value.date(Date(timeIntervalSinceReferenceDate: 86400))
        return try ManagedObjectModel(versionIdentifiers: ["v7"]) {
            Entity("Article", isAbstract: true) {
                Attribute("amount", .integer32, default: 7, validation: [.range(1...9)]).required
                Attribute("blob", .binary).externalStorage.preservedOnDeletion
                Attribute("text", .string).externalStorage
                Attribute("code", .string, validation: [.length(2...5), .predicate("SELF CONTAINS \"a\"", warning: "no a")])
                    .renamed(from: "number")
                Attribute("day", .date, default: day, validation: [.range(min: day, max: nil)])
                Attribute("flag", .boolean, default: true)
                Attribute("link", .uri, default: URL(string: "http://a.example/b?c").map { .url($0) })
                Attribute("price", .decimal, default: .decimal(Decimal(string: "-123.45") ?? 0))
                Attribute("ratio", .double, default: 0.5).with { $0.versionHashModifier = "3" }
                Attribute("size", .float).userInfo(["unit": "cm", "äß": "ü"])
                Attribute("state", .undefined).transient
                Attribute("uuid", .uuid, default: UUID(uuidString: "00010203-0405-0607-0809-0a0b0c0d0e0f").map { .uuid($0) })
                Relationship("orders", to: "Order", inverse: "article", .ordered, deleteRule: .cascade, minCount: 1, maxCount: 9).required
                FetchedProperty(
                    "related", to: "Order", predicate: "number == $FETCH_SOURCE.amount AND article != nil",
                    sort: [SortElement("number", ascending: false)], limit: 4
                ).userInfo(["k": "v"])
                Unique("code")
                FetchIndex("byDay", on: .init("day", ascending: false)).where("amount > 3 OR NOT code IN \"x\"")
                FetchIndex("byDayAndCode", on: "day", "code")
                FetchIndex("bySize", on: "size").location
            }
            Entity("Book", parent: "Article") {
                Attribute("cover", .transformable, transformer: .named("CoverTransformer"))
                Attribute("paper") {
                    Attribute("weight", .integer16, default: 80).required
                    Attribute("color", .string)
                }
                Attribute("pages", .integer16).required
            }
            Entity("Order") {
                Attribute("count", .integer64).derived("count:(parts)")
                Attribute("number", .integer64)
                Attribute("upper", .string).derived("canonical:(article.code)")
                Relationship("article", to: "Article", inverse: "orders").with { $0.hasIgnoredOrder = true }
                Relationship("parts", to: "Order", inverse: "whole", .toMany, deleteRule: .deny)
                Relationship("pair", to: "Order", inverse: "pair").renamed(from: "twin")
                Relationship("whole", to: "Order", inverse: "parts", deleteRule: .noAction)
            }.with { $0.renamingIdentifier = "Deal" }
            EntityConfiguration("main", "Article", "Book", "Order")
            FetchTemplate("cheap", entity: "Order", predicate: "number < $N", sort: ["number"], limit: 3, offset: 2)
        }
    }

    /// The bytes of a model's declarations, in the order of their names, without those that name themselves as their earlier name.
    private func normalized(_ model: ManagedObjectModel) throws -> [UInt8] {
        var entities = model.declarations.entities.sorted { $0.name < $1.name }
        func former(_ name: String, _ renaming: String?) -> String? { renaming == name ? nil : renaming }
        for index in entities.indices {
            entities[index].renamingIdentifier = former(entities[index].name, entities[index].renamingIdentifier)
            entities[index].attributes = entities[index].attributes.sorted { $0.name < $1.name }.map { attribute in
                attribute.with { $0.renamingIdentifier = former($0.name, $0.renamingIdentifier) }
            }
            entities[index].relationships = entities[index].relationships.sorted { $0.name < $1.name }.map { relationship in
                relationship.with { $0.renamingIdentifier = former($0.name, $0.renamingIdentifier) }
            }
            entities[index].fetchedProperties.sort { $0.name < $1.name }
        }
        return try ManagedObjectModel(
            entities: entities,
            configurations: model.declarations.configurations.sorted { $0.name < $1.name }.map { configuration in
                EntityConfiguration(configuration.name, entities: configuration.entities.sorted())
            }, fetchTemplates: model.declarations.fetchTemplates.sorted { $0.name < $1.name }, versionIdentifiers: model.versionIdentifiers
        ).encoded()
    }

    @Test("A compiled model is read back as it was declared") func roundTrip() throws {
        let model = try Self.model()
        let file = try ModelFile(modelCache: try #require(model.modelCache()))
        #expect(file.warnings.isEmpty)
        let read = try file.model()
        #expect(String(decoding: try normalized(read), as: UTF8.self) == String(decoding: try normalized(model), as: UTF8.self))
        #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(try model.modelCache() == Self.model().modelCache())
    }

    @Test("A count by a key path is compiled as Core Data compiles it, with the same hash") func counts() throws {
        let model = try ManagedObjectModel {
            Entity("Shelf") {
                Attribute("count", .integer64).derived("books.@count")
                Relationship("books", to: "Book", inverse: "shelf", .toMany)
            }
            Entity("Book") { Relationship("shelf", to: "Shelf", inverse: "books") }
        }
        let read = try ModelFile(modelCache: try #require(model.modelCache())).model()
        #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(read.entity(named: "Shelf")?.attribute(named: "count")?.declaration.derivationExpression == "count:(books)")
    }

    @Test("Models with what no archive was seen to hold are not compiled") func unknownForms() throws {
        let parts: [any EntityElement] = [
            Attribute("name", .string, validation: [.pattern("[a-z]+")]),
            Attribute("colors") { Attribute("first") { Attribute("red", .float) } },
            FetchIndex("byDouble", on: .init(expression: "number * 2")),
            FetchedProperty("like", to: "Thing", predicate: "label BEGINSWITH \"a\""),
            FetchedProperty("either", to: "Thing", predicate: "number IN {1, 2}"),
            FetchedProperty("all", to: "Thing", predicate: "TRUEPREDICATE"),
        ]
        for part in parts {
            var thing = Entity("Thing") {
                Attribute("number", .integer64)
                Attribute("label", .string)
            }
            #expect(try ManagedObjectModel(entities: [thing]).modelCache() != nil)
            part.add(to: &thing)
            #expect(try ManagedObjectModel(entities: [thing]).modelCache() == nil)
        }
    }

    @Test("Bytes of every kind are compressed so that they are read back", arguments: [0, 1, 2, 3, 300, 70_000])
    func compression(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        for alphabet in [1, 3, 256] {
            let bytes = (0..<count).map { _ in UInt8(Int.random(in: 0..<alphabet, using: &generator)) }
            #expect(try Inflater.inflate(Deflater.deflate(bytes), limit: count) == bytes)
        }
        let repeated = Array(repeatElement(Array("a repeated text; ".utf8), count: count / 10 + 1).joined())
        let compressed = Deflater.deflate(repeated)
        #expect(try Inflater.inflate(compressed, limit: repeated.count) == repeated)
        #expect(compressed.count <= repeated.count + 4)
    }

    @Test("A damaged archive of Strata's gives a model or a typed error") func damaged() throws {
        var generator = SeededGenerator(seed: 11)
        let archive = try Inflater.inflate(try #require(try Self.model().modelCache()), limit: 1 << 20)
        for _ in 0..<300 {
            var bytes = archive
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(ModelFileError) { _ = try ModelFile(compiled: bytes).model() } catch { #expect(!error.description.isEmpty) }
            let length = Int.random(in: 0..<bytes.count, using: &generator)
            #expect(throws: ModelFileError.self) { try ModelFile(compiled: archive.prefix(length)) }
        }
    }

    @Test(
        "The models of applications are read back with the same hashes", .enabled(if: Fixtures.areAvailable),
        arguments: Fixtures.modelBundles)
    func applications(_ bundle: String) throws {
        let file = try ModelFile(contentsOf: Fixtures.path(bundle))
        for version in file.versions {
            let model = try file.model(version: version.name)
            if model.fetchTemplatesByName.values.contains(where: { !$0.includesSubentities }) {
                #expect(model.modelCache() == nil)
                continue
            }
            let read = try ModelFile(modelCache: try #require(model.modelCache(), "\(bundle) \(version.name)")).model()
            #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
            #expect(String(decoding: try normalized(read), as: UTF8.self) == String(decoding: try normalized(model), as: UTF8.self))
        }
    }
}
