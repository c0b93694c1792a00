import Foundation
import StrataEngine
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import StrataXML
import Testing

/// Stores that Apple's Core Data wrote.
@Suite(.enabled(if: Fixtures.areAvailable, "there are no fixtures")) struct FixtureTests {
    static let vehicles = ["1-one-object", "2-three-objects", "3-after-unlink"].map { "xml/vehicles-\($0).xml" }
    static let mappings =
        ["xml/V2toV3.xcmapping.xml"]
        + (2...5).map { "models/objcio/Moody \($0)-Moody \($0 + 1).xcmappingmodel/xcmapping.xml" }

    private func mappingModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("XDDevMappingModel") {
                for name in ["sourceModelData", "destinationModelData"] { Attribute(name, .binary) }
                for name in ["sourceModelPath", "destinationModelPath"] { Attribute(name, .string) }
                Relationship("entityMappings", to: "XDDevEntityMapping", inverse: "mappingModel", .toMany)
            }
            Entity("XDDevEntityMapping") {
                for name in ["sourceName", "destinationName", "mappingTypeName", "migrationPolicyClassName"] { Attribute(name, .string) }
                Attributes(["mappingNumber": .integer16, "autogenerateExpression": .boolean])
                Relationship("mappingModel", to: "XDDevMappingModel", inverse: "entityMappings", minCount: 1)
                Relationships([
                    "attributeMappings": .toMany("XDDevAttributeMapping.entityMapping"),
                    "relationshipMappings": .toMany("XDDevRelationshipMapping.entityMapping"),
                ])
            }
            Entity("XDDevPropertyMapping", isAbstract: true) {
                Attributes([
                    "name": .string, "autogenerateExpression": .boolean, "valueExpressionData": .binary, "sourceKeyPath": .string,
                    "sourceMappingName": .string,
                ])
            }
            Entity("XDDevAttributeMapping", parent: "XDDevPropertyMapping") {
                Relationship("entityMapping", to: "XDDevEntityMapping", inverse: "attributeMappings", minCount: 1)
            }
            Entity("XDDevRelationshipMapping", parent: "XDDevPropertyMapping") {
                Relationship("entityMapping", to: "XDDevEntityMapping", inverse: "relationshipMappings", minCount: 1)
            }
        }
    }

    private func vehicleModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Vehicle") {
                for name in ["make", "model", "nickname"] { Attribute(name, .string) }
                Attribute("year", .integer32)
                Relationship("vehiclePictures", to: "VehiclePicture", inverse: "picturesForVehicle", .toMany)
            }
            Entity("VehiclePicture") {
                Attributes(["pictureName": .string, "sequence": .integer32])
                Relationship("picturesForVehicle", to: "Vehicle", inverse: "vehiclePictures", minCount: 1)
            }
        }
    }

    /// The elements of a file's objects, sorted, without what has no meaning: the order of attributes and of ids, line breaks in base64.
    private func elements(_ text: String) -> [String] {
        text.split(separator: "<object").dropFirst().map { object in
            let body = object.replacing(/<!--.*-->/, with: "").replacing("</database>", with: "")
            // Core Data breaks the lines of base64 in more than one way.
            let lines = body.replacing(/(type="binary">)([^<]*)/) { $0.output.1 + $0.output.2.replacing("\n", with: "") }
            let parts = lines.split(separator: /<(?=attribute|relationship)/).map { part -> String in
                guard let ids = part.firstMatch(of: /idrefs="([^"]*)"/) else { return part.trimmingCharacters(in: .whitespacesAndNewlines) }
                let sorted = ids.output.1.split(separator: " ").sorted().joined(separator: " ")
                return part.replacing(ids.output.0, with: sorted).trimmingCharacters(in: .whitespacesAndNewlines)
            }
            return parts.map { $0.replacing("</object>", with: "").trimmingCharacters(in: .whitespacesAndNewlines) }.sorted()
                .joined(separator: "\n")
        }
        .sorted()
    }

    @Test("Mapping models that Xcode saved are read and written back with the same elements", arguments: mappings)
    func mapping(_ name: String) throws {
        let path = Fixtures.path(name)
        let model = try mappingModel()
        let loaded = try format.load(path, model)
        let scratch = try format.saved(loaded, model)
        #expect(dump(try format.load(scratch.path, model), model) == dump(loaded, model))
        let original = try String(contentsOfFile: path, encoding: .utf8)
        let written = try scratch.text()
        #expect(Set(elements(written)).symmetricDifference(elements(original)) == [])
        #expect(elements(original).count == loaded.rows.values.reduce(0) { $0 + $1.count })
        #expect(loaded.metadata.versionHashes.count == 5)
        #expect(loaded.metadata.userInfo["NSPersistenceFrameworkVersion"] != nil)
        let information = { (text: String) in text.prefix(upTo: text.range(of: "</databaseInfo>")?.lowerBound ?? text.startIndex) }
        if !original.contains("standalone=\"no\"") { #expect(information(written) == information(original)) }
    }

    @Test("Stores of 2006 are read and written back with the same elements", arguments: vehicles)
    func vehicle(_ name: String) throws {
        let path = Fixtures.path(name)
        let model = try vehicleModel()
        let loaded = try format.load(path, model)
        #expect(loaded.metadata.storeID == "343C8D7F-A000-42C4-8463-43FA1E5EF3FB")
        let scratch = try format.saved(loaded, model)
        #expect(dump(try format.load(scratch.path, model), model) == dump(loaded, model))
        let original = try String(contentsOfFile: path, encoding: .utf8)
        if path.contains("unlink") {
            // The pictures name the vehicle, which does not name them: the to-one side is right.
            #expect(try scratch.text().contains("destination=\"VEHICLEPICTURE\" idrefs=\"z103 z104\""))
        } else {
            #expect(Set(elements(try scratch.text())).symmetricDifference(elements(original)) == [])
        }
    }
}
