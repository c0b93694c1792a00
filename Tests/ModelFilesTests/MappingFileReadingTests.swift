import Foundation
import Strata
import StrataModelFiles
import StrataTestSupport
import Testing

@Suite("Reading mapping models")
struct MappingFileReadingTests {
    private func model(_ attribute: String) throws -> ManagedObjectModel {
        try ManagedObjectModel { Entity("Person") { Attribute(attribute, .string) } }
    }

    private func mapping(_ text: String) throws -> MappingModel {
        try MappingFile(parsing: Array(text.utf8)).mapping(from: try model("name"), to: try model("label"))
    }

    @Test("All that a file says of a mapping is there")
    func all() throws {
        let file = try MappingFile(parsing: Array(MappingText.named.utf8))
        #expect(file.sourceModelPath == "Shop.xcdatamodeld/Shop 3.xcdatamodel")
        #expect(file.destinationModelPath == "Shop.xcdatamodeld/Shop 4.xcdatamodel")
        #expect(file.policyNames == ["Shop.LabelPolicy"])
        let mapping = try #require(try mapping(MappingText.named).entityMappings.first)
        #expect(mapping.name == "PersonToPerson")
        #expect(mapping.condition == "name > \"A\"")
        #expect(mapping.policy == "Shop.LabelPolicy")
        #expect(mapping.properties.map(\.expression) == ["FUNCTION($entityPolicy, \"labelOf:\", $source.name)"])
    }

    @Test("A mapping that names what is not there is refused with the element and the line")
    func unknownNames() throws {
        let expression = "AAAA"
        for (text, element) in [
            (MappingText.text(expression: "", attribute: "title"), "mapping PersonToPerson/title"),
            (MappingText.text(expression: "", entity: "Cat"), "mapping CatToPerson"),
        ] {
            let error = try #require(throws: ModelFileError.self) { try mapping(text) }
            #expect(error.code == .inconsistent)
            #expect(error.element == element)
            #expect(error.line != nil)
        }
        let error = try #require(throws: ModelFileError.self) { try mapping(MappingText.text(expression: expression)) }
        #expect(error.code == .malformedArchive)
        #expect(error.element == "mapping PersonToPerson/label")
    }

    @Test("An attribute whose type the policy converts has its default before, with a warning") func policies() throws {
        let text = MappingText.text(expression: "", attribute: "name")
        let source = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
        let destination = try ManagedObjectModel { Entity("Person") { Attribute("name", .date) } }
        var warnings: [ModelFileWarning] = []
        let mapping = try MappingFile(parsing: text.utf8).mapping(from: source, to: destination) { warnings.append($0) }
        #expect(mapping.entityMappings.first?.properties.map(\.origin) == [.defaultValue])
        #expect(warnings.map(\.element) == ["mapping PersonToPerson/name"])
        #expect(warnings.map(\.kind) == [.questionable])
        #expect(warnings.first?.line != nil)
        #expect(warnings.first?.message.contains("Shop.LabelPolicy") == true)
        let wider = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
        warnings = []
        let copy = try MappingFile(parsing: text.utf8).mapping(from: source, to: wider) { warnings.append($0) }
        #expect(copy.entityMappings.first?.properties.map(\.origin) == [.property("name")])
        #expect(warnings.isEmpty)
        let plain = text.replacing("<attribute name=\"migrationpolicyclassname\" type=\"string\">Shop.LabelPolicy</attribute>", with: "")
        let error = #expect(throws: ModelFileError.self) { try MappingFile(parsing: plain.utf8).mapping(from: source, to: destination) }
        #expect(error?.code == .inconsistent)
        #expect(error?.element == "mapping PersonToPerson")
    }

    @Test("What is no mapping model is refused")
    func foreign() throws {
        for (text, code) in [
            ("", ModelFileError.Code.malformedXML), ("<model/>", .notAModel), ("<database></database>", .notAModel),
            ("<database><object type=\"XDDEVMAPPINGMODEL\"/></database>", .missingAttribute),
            (MappingText.named.replacing("idrefs=\"z102\"", with: "idrefs=\"z9\""), .invalidValue),
            (MappingText.named.replacing("id=\"z104\"", with: "id=\"z103\""), .invalidValue),
            (MappingText.named.replacing("</database>", with: ""), .malformedXML),
        ] {
            let error = try #require(throws: ModelFileError.self) { try mapping(text) }
            #expect(error.code == code, "\(error)")
        }
        let missing = try #require(throws: ModelFileError.self) { try MappingFile(contentsOf: "/nowhere/at all.xcmappingmodel") }
        #expect(missing.code == .unreadable)
    }

    @Test("No damage to a file is more than an error")
    func damage() throws {
        let bytes = Array(MappingText.named.utf8)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: damaged[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: damaged.removeSubrange(place..<min(damaged.count, place + Int.random(in: 1...40, using: &generator)))
                default: damaged.insert(contentsOf: damaged[place..<min(damaged.count, place + 20)], at: place)
                }
            }
            do {
                _ = try MappingFile(parsing: damaged).mapping(from: try model("name"), to: try model("label"))
            } catch let error as ModelFileError {
                #expect(!error.description.isEmpty)
            }
        }
    }
}
