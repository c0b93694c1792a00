import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

@Suite(.enabled(if: Fixtures.areAvailable)) struct FixtureModelTests {
    /// The bundles of all applications.
    static let bundles: [String] = {
        let root = Fixtures.path("models")
        let applications = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return applications.sorted().flatMap { application in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(application)")) ?? []
            return names.sorted().filter { $0.hasSuffix(".xcdatamodeld") }.map { "models/\(application)/\($0)" }
        }
    }()

    @Test("A model of every version that Xcode wrote can be made", arguments: bundles) func aModelOfEveryVersion(_ bundle: String) throws {
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

    @Test("A document is written as Xcode wrote it, byte for byte", arguments: bundles) func aDocumentIsWrittenAs(_ bundle: String) throws {
        for version in try ModelFile(contentsOf: Fixtures.path(bundle)).versions {
            let path = try #require(version.path)
            let written = try String(contentsOfFile: path, encoding: .utf8)
            #expect(version.document?.xml == written)
        }
    }

    @Test("What the model does not hold of the fixtures is said") func whatTheModelDoesNot() throws {
        let warnings = try Self.bundles.flatMap { try ModelFile(contentsOf: Fixtures.path($0)).warnings }
        #expect(warnings.allSatisfy { $0.kind != .unknownElement && $0.kind != .unknownAttribute })
    }
}
