import FoundationEssentials
import Strata
import StrataModelFiles
import StrataTestSupport
import Testing

private final class Article: ManagedObject {}

@Suite("The guide to model files")
struct ModelFilesGuideTests {
    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("ModelFiles") == (6, []))
    }

    @Test("Its examples run")
    func run() throws {
        let directory = try TemporaryDirectory()
        let pointer = "<plist><dict><key>_XCCurrentVersionName</key><string>Shop 2.xcdatamodel</string></dict></plist>"
        let versions = ["Shop": SampleSource.model("<entity name=\"Article\"/>"), "Shop 2": SampleSource.shop]
        let path = try SampleSource.bundle(versions, current: pointer, in: directory)

        let file = try ModelFile(contentsOf: path)
        let model = try file.model()
        #expect(model.entities.count == 3)

        let older = try file.model(version: "Shop")
        for version in file.versions { print(version.name) }
        #expect(older.entities.count == 1)

        let typed = try file.model(classes: { name in name == "Article" ? Article.self : nil })
        #expect(typed.entity(named: "Book")?.objectClass == Article.self)

        let bytes = SampleArchive.cache
        let cached = try ModelFile(modelCache: bytes)
        let original = try cached.model()
        #expect(original.entities.count == 3)

        for warning in file.warnings { print(warning) }
        #expect(file.warnings.isEmpty)

        var document = try file.version().document
        document?.root["userDefinedModelVersionIdentifier"] = "2"
        let text = document?.xml
        #expect(text == SampleSource.shop.replacing("shop-2", with: "2"))
    }
}
