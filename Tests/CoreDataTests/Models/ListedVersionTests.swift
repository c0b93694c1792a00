import CoreData
import Testing

@Suite("Versions of compiled models, found by the version hashes in their folder")
struct ListedVersionTests {
    /// A bundle with the compiled model `Shop`, whose versions have the same entity with other attributes.
    private struct ShopBundle: ~Copyable {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        var model: URL { folder.appendingPathComponent("Shop.momd") }

        /// - Parameters:
        ///   - attributes: The name of the attribute of each version; a version without one cannot be read.
        ///   - listsLengths: Whether the lengths of the files are listed, too, as the plugin lists them.
        init(_ attributes: [String: String?], hashes: [String: [String: Data]], listsLengths: Bool = false) throws {
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let unreadable = "<model><entity"
            var lengths: [String: Int] = [:]
            for (name, attribute) in attributes {
                let text = attribute.map {
                    "<model><entity name=\"Article\"><attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/></entity></model>"
                }
                try Data((text ?? unreadable).utf8).write(to: model.appendingPathComponent("\(name).mom"))
                if listsLengths { lengths[name] = (text ?? unreadable).utf8.count }
            }
            let list: [String: Any] = [
                "NSManagedObjectModel_CurrentVersionName": "Shop", "NSManagedObjectModel_VersionHashes": hashes,
                "StrataVersionLengths": lengths,
            ]
            try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
                .write(to: model.appendingPathComponent("VersionInfo.plist"))
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private func hashes(_ attribute: String) -> [String: Data] {
        let text = PeopleModel.attribute(attribute, .stringAttributeType)
        text.isOptional = true
        return OneEntityModel.make("Article", properties: [text]).entityVersionHashesByName
    }

    @Test("The model of a store is read, and no other version") func stores() throws {
        let listed = ["Shop": hashes("name"), "Shop 2": hashes("title"), "Shop 3": ["Article": Data(repeating: 1, count: 32)]]
        let shop = try ShopBundle(["Shop": "name", "Shop 2": "title", "Shop 3": nil], hashes: listed)
        let bundle = try #require(Bundle(path: shop.folder.path))
        let metadata: [String: Any] = [NSStoreTypeKey: NSSQLiteStoreType, NSStoreModelVersionHashesKey: hashes("title")]
        // The third version cannot be read, which made the search fail as long as all of them were.
        let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata))
        #expect(model.entitiesByName["Article"]?.attributesByName.keys.sorted() == ["title"])
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let other: [String: Any] = [NSStoreTypeKey: NSSQLiteStoreType, NSStoreModelVersionHashesKey: hashes("price")]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: other) == nil)
    }

    @Test("A version has the hashes that its folder lists, until it is changed") func hashesOfVersions() throws {
        let listed = ["Shop": ["Article": Data(repeating: 7, count: 32)], "Shop 2": ["Ware": Data(repeating: 8, count: 32)]]
        let shop = try ShopBundle(["Shop": "name", "Shop 2": "title"], hashes: listed)
        let first = try #require(NSManagedObjectModel(contentsOf: shop.model))
        // Other models are read and made in between.
        let second = try #require(NSManagedObjectModel(contentsOf: shop.model.appendingPathComponent("Shop 2.mom")))
        #expect(first.entityVersionHashesByName == listed["Shop"])
        // What is listed for other entities is no hash of these.
        #expect(second.entityVersionHashesByName == hashes("title"))
        let attribute = try #require(first.entitiesByName["Article"]?.attributesByName["name"])
        attribute.versionHashModifier = "2"
        #expect(first.entityVersionHashesByName["Article"] != listed["Shop"]?["Article"])
        attribute.versionHashModifier = nil
        #expect(first.entityVersionHashesByName == hashes("name"))
    }

    /// A migrator in steps loads all versions of a model and compares them, of which it uses two.
    @Test("A version whose file has the listed length is compared by its hashes, and read when it is used") func unread() throws {
        let listed = [
            "Shop": hashes("name"), "Shop 2": hashes("title"), "Shop 3": ["Article": Data(repeating: 1, count: 32)],
            "Shop 4": ["Article": Data(repeating: 2, count: 32)],
        ]
        let versions: [String: String?] = ["Shop": "name", "Shop 2": "title", "Shop 3": nil, "Shop 4": nil]
        let shop = try ShopBundle(versions, hashes: listed, listsLengths: true)
        func version(_ name: String) throws -> NSManagedObjectModel {
            try #require(NSManagedObjectModel(contentsOf: shop.model.appendingPathComponent("\(name).mom")))
        }
        let (third, fourth, first) = (try version("Shop 3"), try version("Shop 4"), try version("Shop"))
        #expect(third != fourth)
        #expect(third != first)
        #expect(third != OneEntityModel.make("Article", "name", .stringAttributeType))
        #expect(third != OneEntityModel.make("Ware", "name", .stringAttributeType))
        #expect(first == (try version("Shop")))
        #expect(third.isConfiguration(withName: nil, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: listed["Shop 3"] ?? [:]]))
        #expect(!third.isConfiguration(withName: nil, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: hashes("name")]))
        #expect(first.entities.map(\.name) == ["Article"])
        #expect(first.entityVersionHashesByName == hashes("name"))
        #expect(first.isEditable)
        // What cannot be read has no entities, and no hashes any more.
        #expect(third.entities == [])
        #expect(third.entityVersionHashesByName == [:])
        #expect(throws: (any Error).self) { try NSMappingModel.inferredMappingModel(forSourceModel: fourth, destinationModel: first) }
        try Data("<model>".utf8).write(to: shop.model.appendingPathComponent("Shop 4.mom"))
        #expect(NSManagedObjectModel(contentsOf: shop.model.appendingPathComponent("Shop 4.mom")) == nil)
    }

    @Test("Several threads that use a version first see all of it") func threads() async throws {
        let shop = try ShopBundle(["Shop": "name"], hashes: ["Shop": hashes("name")], listsLengths: true)
        let model = try #require(NSManagedObjectModel(contentsOf: shop.model))
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { model.entitiesByName["Article"]?.properties.count ?? 0 } }
            for await count in group { #expect(count == 1) }
        }
    }

    @Test("A change of an element of a composite attribute changes the hashes") func elements() throws {
        let (composite, element) = (NSCompositeAttributeDescription(), PeopleModel.attribute("city", .stringAttributeType))
        composite.name = "address"
        composite.elements = [element]
        let model = OneEntityModel.make("Person", properties: [composite])
        let before = model.entityVersionHashesByName
        element.versionHashModifier = "2"
        #expect(model.entityVersionHashesByName != before)
    }
}
