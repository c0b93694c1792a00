import FoundationEssentials
import StrataModel
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataModelFiles

@Suite struct CompiledModelTests {
    @Test("The model of a cache has entities, properties, defaults, rules, indexes and constraints") func whatACacheSays() throws {
        let file = try ModelFile(modelCache: SampleArchive.cache)
        let declared = try file.version().declarations()
        #expect(declared.entities.map(\.name) == ["Article", "Book", "Order"])
        #expect(declared.versionIdentifiers == ["v7"])
        let (article, book, order) = (declared.entities[0], declared.entities[1], declared.entities[2])
        #expect(article.isAbstract)
        #expect(article.userInfo == ["k": "v"])
        #expect(article.renamingIdentifier == nil)
        #expect(article.uniquenessConstraints == [Unique("code")])
        #expect(article.indexes == [FetchIndex("byDay", on: .init("day", ascending: false))])
        #expect(article.fetchedProperties == [FetchedProperty("related", to: "Order", limit: 4)])
        #expect(book.parent == "Article")
        #expect(book.attributes.map(\.name) == ["title"])
        #expect(book.relationships.isEmpty)
        let attributes = Dictionary(uniqueKeysWithValues: article.attributes.map { ($0.name, $0) })
        #expect(attributes.keys.sorted() == ["amount", "code", "day", "price", "total", "uuid"])
        #expect(attributes["amount"]?.defaultValue == 7)
        #expect(attributes["amount"]?.isOptional == false)
        #expect(attributes["amount"]?.validation == [.range(1...9)])
        #expect(attributes["code"]?.defaultValue == "abc")
        #expect(attributes["code"]?.renamingIdentifier == "number")
        #expect(attributes["code"]?.validation == [.length(2...5), .pattern("[a-z]+")])
        #expect(attributes["day"]?.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 86400)))
        #expect(attributes["price"]?.defaultValue == .decimal(Decimal(string: "-123.45") ?? 0))
        #expect(attributes["uuid"]?.defaultValue == UUID(uuidString: "00010203-0405-0607-0809-0a0b0c0d0e0f").map { .uuid($0) })
        let orders = try #require(article.relationships.first)
        #expect(orders.cardinality == .ordered)
        #expect(orders.deleteRule == .cascade)
        #expect(orders.minCount == 1)
        #expect(orders.inverse == "article")
        #expect(order.relationships.first?.cardinality == .toOne)
        #expect(try file.model().entity(named: "Book")?.attributes.count == 7)
        #expect(
            Set(file.warnings.map(\.element)) == [
                "entity Article/attribute amount", "entity Article/attribute odd", "entity Article/attribute total",
            ])
    }

    @Test("A compiled bundle has the current version that its list names") func compiledBundles() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("Shop.momd")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let archive = try archive()
        for name in ["Shop", "Shop 2"] { try Data(archive).write(to: URL(filePath: "\(path)/\(name).mom")) }
        #expect(try ModelFile(contentsOf: path).currentVersionName == nil)
        let encoder = PropertyListEncoder()
        for format in [PropertyListDecoder.PropertyListFormat.binary, .xml] {
            encoder.outputFormat = format
            let list = try encoder.encode(["NSManagedObjectModel_CurrentVersionName": "Shop 2"])
            try list.write(to: URL(filePath: "\(path)/VersionInfo.plist"))
            let file = try ModelFile(contentsOf: path)
            #expect(file.versions.map(\.name) == ["Shop", "Shop 2"])
            #expect(file.currentVersionName == "Shop 2")
            #expect(try file.model().entities.count == 3)
        }
        #expect(try ModelFile(contentsOf: path + "/Shop.mom").model().entities.count == 3)
    }

    /// What the sample is before it is compressed.
    private func archive() throws -> [UInt8] { try Inflater.inflate(SampleArchive.cache, limit: 1 << 20) }

    @Test("Compressed bytes that end early or are no model are refused") func badCaches() throws {
        for length in [0, 1, 10, SampleArchive.cache.count / 2, SampleArchive.cache.count - 1] {
            let error = #expect(throws: ModelFileError.self) { try ModelFile(modelCache: SampleArchive.cache.prefix(length)) }
            #expect(error?.code == .malformedCompression)
        }
        var limits = ModelFileLimits()
        limits.bytes = 1_000
        let large = #expect(throws: ModelFileError.self) { try ModelFile(modelCache: SampleArchive.cache, limits: limits) }
        #expect(large?.code == .limitExceeded)
        let other = #expect(throws: ModelFileError.self) { try ModelFile(compiled: Array("bplist00".utf8)) }
        #expect(other?.code == .malformedArchive)
        let foreign = String(decoding: try archive(), as: Unicode.ASCII.self)
        #expect(foreign.contains("NSManagedObjectModel"))
        let renamed = Array(try archive()).replacing("NSManagedObjectModel".utf8, with: "NSManagedObjectThing".utf8.prefix(20))
        let unexpected = #expect(throws: ModelFileError.self) { try ModelFile(compiled: renamed) }
        #expect(unexpected?.code == .unexpectedClass)
    }

    @Test("A damaged archive or cache gives a model or a typed error") func damagedArchives() throws {
        var generator = SeededGenerator(seed: 3)
        let archive = try archive()
        var (read, refused) = (0, 0)
        for round in 0..<400 {
            var bytes = round.isMultiple(of: 2) ? archive : SampleArchive.cache
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(ModelFileError) {
                _ = try (round.isMultiple(of: 2) ? ModelFile(compiled: bytes) : ModelFile(modelCache: bytes)).model()
                read += 1
            } catch {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(read > 0)
        #expect(refused > 0)
    }
}
