import FoundationEssentials
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

/// Stores of SwiftData, opened with the compiled model that is in them.
@Suite("Stores of SwiftData") struct SwiftDataStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("default.store")
    }

    private func open(withHistory: Bool = false, isReadOnly: Bool = false) throws -> PersistentStoreCoordinator {
        try SwiftDataStore.make(at: path, withHistory: withHistory)
        return try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path, isReadOnly: isReadOnly))
    }

    private func platters(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Platter")).sorted {
            try "\($0.value(forKey: "name") ?? "")" > "\($1.value(forKey: "name") ?? "")"
        }
    }

    @Test("The model of the cache has the hashes of the store, and a warning of what has no inverse") func model() throws {
        try SwiftDataStore.make(at: path)
        let bytes = try #require(try SwiftDataStore.query("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE", at: path).first?.first)
        let file = try ModelFile(modelCache: Self.bytes(bytes))
        let model = try file.model()
        #expect(file.warnings.map(\.element) == ["entity Platter/relationship toppings"])
        #expect(try StoreDescription(.sqlite, path: path).driver.metadata(at: .file(path)).versionHashes == model.entityVersionHashesByName)
        let platter = try #require(model.entity(named: "Platter"))
        #expect(platter.compositeAttributes.map(\.name) == ["cook", "course", "level", "nourishment", "serving"])
        #expect(platter.compositeAttribute(named: "serving")?.elements.map(\.name) == ["hot", "cold"])
        #expect(platter.indexes.map(\.name) == ["SwiftDataIndexOnBinarycreated", "SwiftDataIndexOnBinarycreatedservings"])
        #expect(platter.uniquenessConstraints.map(\.names) == [["name"]])
        #expect(platter.attribute(named: "tags")?.declaration.transformer?.name == "NSSecureUnarchiveFromData")
        #expect(platter.attribute(named: "photo")?.declaration.allowsExternalStorage == true)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.map { $0 < 65 ? $0 - 48 : $0 - 55 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test("Values by name are those of SwiftData", arguments: [false, true]) func values(withHistory: Bool) throws {
        let coordinator = try open(withHistory: withHistory)
        let context = ManagedObjectContext(coordinator)
        let (soup, bread) = try { ($0[0], $0[1]) }(platters(context))
        let cook = try #require(try soup.value(forKey: "cook") as? [String: Any])
        #expect(cook["name"] as? String == "Ada")
        #expect(cook["site"] as? URL == URL(string: "https://example.org/ada"))
        #expect(cook["id"] as? UUID == UUID(uuidString: "11111111-2222-4333-8444-555555555555"))
        #expect(try bread.value(forKey: "cook") == nil)
        #expect(try soup.value(forKey: "id") as? UUID == UUID(uuidString: "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"))
        #expect(try soup.value(forKey: "course.course") as? String == "dessert")
        #expect(try soup.value(forKey: "level.level") as? Int == 2)
        #expect(try bread.value(forKey: "level") == nil)
        #expect(try soup.value(forKey: "serving") as? [String: String] == ["hot": "hot"])
        #expect(try soup.value(forKey: "nourishment.labels") as? Data == Data(#"["spicy","low fat"]"#.utf8))
        #expect(try soup.value(forKey: "nourishment.protein") as? Double == 12.5)
        #expect(try soup.value(forKey: "photo") as? Data == Data([0xCA, 0xFE]))
        #expect(try (soup.value(forKey: "toppings") as? Set<ManagedObject>)?.count == 1)
        #expect(try (soup.value(forKey: "portions") as? Set<ManagedObject>)?.count == 2)
        #expect(try (bread.value(forKey: "banquets") as? Set<ManagedObject>)?.count == 1)
        for store in coordinator.stores { #expect(try coordinator.verify(store).isEmpty) }
    }

    @Test("A save changes the rows that it is about, and nothing else") func saving() throws {
        let coordinator = try open()
        let before = try SwiftDataStore.dump(path)
        let context = ManagedObjectContext(coordinator)
        let condition = try QueryPredicate(format: "course.course == %@", "starter")
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Platter", condition)
        let bread = try #require(try context.fetch(request).first)
        try bread.setValue(["course": "main"], forKey: "course")
        try bread.setValue(["name": "Eve"], forKey: "cook")
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
        let after = try SwiftDataStore.dump(path)
        let changed = try #require(before.first { $0.hasPrefix("ZPLATTER: 2,") })
        let expected = changed.replacing("2, 2, 1,", with: "2, 2, 2,").replacing("'starter'", with: "'main'")
            .replacing("3, NULL, 'main'", with: "3, 'Eve', 'main'")
        #expect(after == before.map { $0 == changed ? expected : $0 })
    }

    @Test("Elements of a composite attribute with one name are an error with entity and element") func clash() throws {
        let element = Archived.object("NSAttributeDescription", ["NSPropertyName": .text("name"), "NSAttributeType": .int(700)])
        let composite = Archived.object(
            "NSCompositeAttributeDescription",
            [
                "NSPropertyName": .text("cook"), "NSAttributeType": .int(2100), "NSIsOptional": .bool(true),
                "NSCompositeElements": .list([element, element]),
            ])
        let entity = Archived.object(
            "NSEntityDescription", ["NSEntityName": .text("Platter"), "NSProperties": .dictionary(["cook": composite])])
        let model = Archived.object("NSManagedObjectModel", ["NSEntities": .dictionary(["Platter": entity])])
        let file = directory.file("Kitchen.mom")
        try Data(model.archive).write(to: URL(filePath: file))
        let error = try #require(throws: ModelFileError.self) { try ModelFile(contentsOf: file).model() }
        #expect(error.reason == .duplicateName)
        #expect(error.element == "entity Platter/cook.name")
    }
}
