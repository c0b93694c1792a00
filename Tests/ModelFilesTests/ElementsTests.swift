import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestRandom
import StrataTestSupport
import Testing

/// Models that Xcode 3 saved, of a file `elements` and no `contents`.
@Suite("Models of Xcode 3") struct ElementsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ bytes: [UInt8], limits: ModelFileLimits = ModelFileLimits()) throws -> ModelFile {
        let path = directory.file("Shop.xcdatamodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path + "/elements"))
        return try ModelFile(contentsOf: path, limits: limits)
    }

    private func error(_ bytes: [UInt8], limits: ModelFileLimits = ModelFileLimits()) -> ModelFileError? {
        do {
            _ = try file(bytes, limits: limits).model()
            return nil
        } catch { return error as? ModelFileError }
    }

    @Test("Entities, properties, user info and fetch requests of the archive are read, with a warning") func reading() throws {
        let file = try file(SampleElements.shop.archive)
        let declared = try file.version().declarations()
        #expect(declared.versionIdentifiers == ["v3"])
        #expect(declared.entities.map(\.name) == ["Article", "Book", "Order"])
        #expect(declared.entities.map(\.parent) == [nil, "Article", nil])
        #expect(declared.classNames == ["Article": "ArticleMO"])
        let (article, book, order) = (declared.entities[0], declared.entities[1], declared.entities[2])
        #expect(article.isAbstract)
        #expect(article.userInfo == ["k": "v"])
        #expect(book.attributes.first?.userInfo == ["k": "v"])
        #expect(article.attributes.map(\.name) == ["amount", "cached", "code"])
        #expect(article.attributes.map(\.type) == [.integer32, .undefined, .string])
        #expect(article.attributes.map(\.isOptional) == [false, true, false])
        #expect(article.attributes[1].isTransient)
        #expect(article.attributes[0].defaultValue == 0)
        #expect(article.attributes[2].defaultValue == "a<b")
        #expect(article.attributes[2].validation == [.length(min: nil, max: 9)])
        #expect(article.indexes.map(\.elements) == [["amount"]])
        let (one, many) = (article.relationships[0], order.relationships[0])
        #expect(one.cardinality == .toOne)
        #expect(one.inverse == "articles")
        #expect(one.deleteRule == .nullify)
        #expect(one.isOptional)
        #expect(many.cardinality == .toMany)
        #expect(many.inverse == "order")
        #expect(many.deleteRule == .cascade)
        #expect(many.maxCount == 0)
        #expect(declared.fetchTemplates == [FetchTemplate("all", entity: "Order", predicate: "day != nil")])
        #expect(try file.model().entity(named: "Book")?.attributes.count == 4)
        #expect(file.warnings.map(\.element) == ["model", "entity Article/attribute amount"])
        #expect(file.warnings.allSatisfy { $0.kind == .questionable && $0.version == "Shop" })
    }

    @Test("The document is that of a later version of Xcode, and is read as the same model") func document() throws {
        let file = try file(SampleElements.shop.archive)
        let text = try #require(file.version().document?.xml)
        let again = try SampleSource.file(text)
        #expect(try again.model().encoded() == file.model().encoded())
        #expect(again.warnings.map(\.element) == ["entity Article/attribute amount"])
    }

    @Test("The current format counts where both are") func both() throws {
        let path = directory.file("Shop.xcdatamodel")
        _ = try file(SampleElements.shop.archive)
        try Data(SampleSource.model("<entity name=\"A\"/>").utf8).write(to: URL(filePath: path + "/contents"))
        #expect(try ModelFile(contentsOf: path).model().entities.map(\.name) == ["A"])
    }

    @Test(
        "An archive that is malformed or foreign is refused with the file and the element",
        arguments: [
            ([], ModelFileError.Code.malformedArchive, nil),
            (Archived.object("NSManagedObjectModel", [:]).archive, .unexpectedClass, nil),
            (Archived.object("XDPMModel", [:]).archive, .malformedArchive, "model"),
            (SampleElements.model(["A": .object("XDPMThing", [:])]).archive, .unexpectedClass, nil),
            (SampleElements.model(["A": .text("A")]).archive, .malformedArchive, "model"),
            (
                SampleElements.model(["A": SampleElements.entity("A", [:], ["x": SampleElements.attribute("x", 77, [:])])]).archive,
                .invalidValue, "entity A/x"
            ),
            (
                SampleElements.model([
                    "A": SampleElements.entity(
                        "A", [:], ["x": SampleElements.relationship("x", to: "A", inverse: "x", ["XD_PRK_deleteRule": .int(9)])])
                ]).archive, .invalidValue, "entity A/x"
            ),
        ] as [([UInt8], ModelFileError.Code, String?)]) func refused(_ bytes: [UInt8], _ code: ModelFileError.Code, _ element: String?)
    {
        let error = error(bytes)
        #expect(error?.code == code)
        #expect(error?.element == element)
        #expect(error?.path?.hasSuffix("Shop.xcdatamodel/elements") == true)
    }

    @Test("Messages of refused archives") func messages() {
        func message(_ archived: Archived) -> String? { error(archived.archive)?.message }
        #expect(message(.object("XDPMModel", [:])) == "the model has no package of entities")
        #expect(message(SampleElements.model(["A": .text("A")])) == "A is missing")
        let odd = SampleElements.entity("A", [:], ["x": SampleElements.attribute("x", 77, [:])])
        #expect(message(SampleElements.model(["A": odd])) == "there is no attribute type of the number 77")
        let rule = SampleElements.relationship("x", to: "A", inverse: "x", ["XD_PRK_deleteRule": .int(9)])
        #expect(
            message(SampleElements.model(["A": SampleElements.entity("A", [:], ["x": rule])])) == "there is no delete rule of the number 9")
        var limits = ModelFileLimits()
        limits.elements = 300
        let values = Dictionary(uniqueKeysWithValues: (0..<20).map { ("v\($0)", Archived.bool(true)) })
        let entities = Archived.shared((0..<30).map { "E\($0)" }, SampleElements.entity("E", values, [:]))
        let refusal = error(SampleElements.model(entities).archive, limits: limits)
        #expect(refusal?.code == .limitExceeded)
        #expect(refusal?.message == "the archive has more than 300 values")
    }

    @Test("A property without a fetch request is left out with a warning, and one with a request is read") func fetchedProperties() throws {
        let request = Archived.object(
            "XDPMFetchRequest", ["_name": .text("r"), "_entity": .object("XDPMEntity", ["_name": .text("A")])])
        let file = try file(
            SampleElements.model([
                "A": SampleElements.entity(
                    "A", [:],
                    [
                        "odd": SampleElements.property("XDPMThing", "odd", [:]),
                        "all": SampleElements.property("XDPMFetchedProperty", "all", ["X": ["XD_request": request]]),
                    ])
            ]).archive)
        #expect(try file.model().entity(named: "A")?.fetchedProperties.map(\.name) == ["all"])
        #expect(file.warnings.map(\.element) == ["model", "entity A/odd"])
    }

    @Test("A damaged archive gives a model or a typed error") func damage() throws {
        var generator = SeededGenerator(seed: 5)
        let archive = SampleElements.shop.archive
        for _ in 0..<200 {
            var bytes = archive
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do { _ = try file(bytes).model() } catch let error as ModelFileError { #expect(!error.description.isEmpty) }
        }
    }
}
