import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

@Suite(.enabled(if: Fixtures.areAvailable)) struct FixtureModelTests {
    @Test("A model of every version that Xcode wrote can be made", arguments: Fixtures.modelBundles) func aModelOfEveryVersion(
        _ bundle: String
    ) throws {
        let file = try ModelFile(contentsOf: Fixtures.path(bundle))
        for version in file.versions {
            let model = try file.model(version: version.name)
            let document = try #require(version.document)
            #expect(model.entities.count == document.root.children(named: "entity").count)
            for element in document.root.children(named: "entity") {
                let entity = try #require(model.entity(named: element["name"] ?? ""))
                for attribute in element.children(named: "attribute") {
                    #expect(entity.attribute(named: attribute["name"] ?? "") != nil)
                }
                for relationship in element.children(named: "relationship") {
                    #expect(entity.relationship(named: relationship["name"] ?? "") != nil)
                }
            }
        }
    }

    @Test("A document is written as Xcode wrote it, byte for byte", arguments: Fixtures.modelBundles) func aDocumentIsWrittenAs(
        _ bundle: String
    ) throws {
        for version in try ModelFile(contentsOf: Fixtures.path(bundle)).versions {
            let path = try #require(version.path)
            let written = try String(contentsOfFile: path, encoding: .utf8)
            #expect(version.document?.xml == written)
        }
    }

    @Test("What the model does not hold of the fixtures is said") func whatTheModelDoesNot() throws {
        let warnings = try Fixtures.modelBundles.flatMap { try ModelFile(contentsOf: Fixtures.path($0)).warnings }
        #expect(warnings.allSatisfy { $0.kind != .unknownElement && $0.kind != .unknownAttribute })
    }
}
