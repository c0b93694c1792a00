import Strata
import StrataSQLite
import StrataStore
import StrataTestModels
import Testing

/// Apple's columns of composite attributes, and the ones that Strata gave them before.
@Suite("Columns of composite attributes") struct CompositeLayoutTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static func model(isChanged: Bool = false) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Theme") {
                Attribute("accent") {
                    Attribute("primary", .string)
                    Attribute("alpha", .double)
                }
                Attribute("colors") {
                    Attribute("secondary", .string)
                    Attribute("primary", .string)
                    Attribute("inner") { Attribute("rank", .integer32) }
                }
                Attributes(["primary": .string, "rank": .integer16])
                if isChanged { Attribute("note", .string) }
                FetchIndex("byColor", on: "colors.primary")
            }
        }
    }

    private func context(_ model: ManagedObjectModel) throws -> (PersistentStoreCoordinator, ManagedObjectContext) {
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: sandbox.path()))
        #expect(try coordinator.verify(store).isEmpty)
        return (coordinator, ManagedObjectContext(coordinator))
    }

    private func themes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Theme"))
    }

    private static let paths = [
        "accent.primary", "accent.alpha", "colors.secondary", "colors.primary", "colors.inner.rank", "primary", "rank",
    ]

    private func values(_ theme: ManagedObject) throws -> [String] {
        try Self.paths.map { "\(try theme.value(forKey: $0) ?? "nil")" }
    }

    private func fill() throws -> [String] {
        let (coordinator, context) = try context(try Self.model())
        let theme = try context.insert("Theme")
        try theme.setValue(["primary": "red", "alpha": 0.5] as [String: Any], forKey: "accent")
        try theme.setValue(
            ["primary": "blue", "secondary": "green", "inner": ["rank": 7] as [String: Any]] as [String: Any], forKey: "colors")
        try theme.setValue("white", forKey: "primary")
        try theme.setValue(3, forKey: "rank")
        try context.save()
        let values = try values(theme)
        #expect(values == ["red", "0.5", "green", "blue", "7", "white", "3"])
        for store in coordinator.stores { try coordinator.remove(store) }
        return values
    }

    private func columns() throws -> [String] {
        try raw(sandbox.path(), "SELECT name FROM pragma_table_info('ZTHEME')").compactMap { $0[0] }
    }

    private static let own = ["Z_PK", "Z_ENT", "Z_OPT", "ZRANK", "ZRANK1", "ZALPHA", "ZPRIMARY", "ZSECONDARY", "ZPRIMARY1", "ZPRIMARY2"]

    @Test("Each element has its own name and group, at the position of its composite attribute, and names are numbered over the table")
    func names() throws {
        _ = try fill()
        #expect(try columns() == Self.own)
        let rows = try raw(sandbox.path(), "SELECT ZRANK, ZRANK1, ZALPHA, ZPRIMARY, ZSECONDARY, ZPRIMARY1, ZPRIMARY2 FROM ZTHEME")
        #expect(rows == [["7", "3", "0.5", "red", "green", "blue", "white"]])
    }

    /// Gives the columns of a store the names that they had.
    private func renameToPaths() throws {
        for (name, path) in [
            ("ZRANK", "ZCOLORS.INNER.RANK"), ("ZRANK1", "ZRANK"), ("ZALPHA", "ZACCENT.ALPHA"), ("ZPRIMARY", "ZACCENT.PRIMARY"),
            ("ZSECONDARY", "ZCOLORS.SECONDARY"), ("ZPRIMARY1", "ZCOLORS.PRIMARY"), ("ZPRIMARY2", "ZPRIMARY"),
        ] {
            _ = try raw(sandbox.path(), "ALTER TABLE ZTHEME RENAME COLUMN \(name) TO \"\(path)\"")
        }
    }

    private func metadata() throws -> StoreMetadata {
        let description = StoreDescription(.sqlite, path: sandbox.path())
        return try description.driver.metadata(at: description.location)
    }

    // A save gave such a store the hashes of Core Data, which takes the columns for its own then.
    @Test("A store whose columns have the paths as names keeps an earlier version's hashes until it is migrated")
    func earlierHashes() throws {
        _ = try fill()
        let model = try Self.model()
        let store = try open(sandbox.path(), model)
        var metadata = try store.metadata()
        metadata.versionHashes = model.declarationHashesByName
        metadata.userInfo[StoreMetadata.writerKey] = .string("1")
        metadata.userInfo[StoreMetadata.layoutKey] = nil
        try store.save(ChangeSet(metadata: metadata))
        try store.close()
        try renameToPaths()
        for round in 0..<2 {
            let (coordinator, context) = try context(model)
            try context.insert("Theme").setValue("\(round)", forKey: "primary")
            try context.save()
            try context.insert("Theme").setValue("\(round)", forKey: "accent.primary")
            try context.save()
            for store in coordinator.stores { try coordinator.remove(store) }
            #expect(try self.metadata() == metadata)
        }
        let changed = try Self.model(isChanged: true)
        let (coordinator, _) = try context(changed)
        for store in coordinator.stores { try coordinator.remove(store) }
        #expect(try self.metadata().versionHashes == changed.entityVersionHashesByName)
    }

    @Test("A store whose columns have the paths as names is read and written as it is, and a migration gives them their names")
    func paths() throws {
        let known = try fill()
        try renameToPaths()
        let before = try columns()
        let (coordinator, context) = try context(try Self.model())
        let theme = try #require(try themes(context).first)
        #expect(try values(theme) == known)
        try theme.setValue("pink", forKey: "accent.primary")
        try theme.setValue("black", forKey: "primary")
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
        #expect(try columns() == before)
        #expect(try raw(sandbox.path(), "SELECT \"ZACCENT.PRIMARY\", ZPRIMARY FROM ZTHEME") == [["pink", "black"]])
        let (migrated, after) = try self.context(try Self.model(isChanged: true))
        let found = try #require(try themes(after).first)
        #expect(try values(found) == ["pink", "0.5", "green", "blue", "7", "black", "3"])
        for store in migrated.stores { try migrated.remove(store) }
        #expect(try Set(columns()) == Set(Self.own + ["ZNOTE"]))
        #expect(
            try raw(sandbox.path(), "SELECT sql FROM sqlite_master WHERE name = 'Z_Theme_byColor'")
                == [["CREATE INDEX Z_Theme_byColor ON ZTHEME (ZPRIMARY1 ASC)"]])
    }
}
