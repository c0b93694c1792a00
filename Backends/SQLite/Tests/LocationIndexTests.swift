import CStrataSQLite
import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataSQLite

let hasLocationIndexes = sqlite3_compileoption_used("ENABLE_RTREE") == 1

/// Stores with the tables and triggers by which Core Data keeps a location index.
@Suite("Location indexes of Core Data's", .enabled(if: hasLocationIndexes, "SQLite here was built without R-tree"))
struct LocationIndexTests {
    static let index = "Z_RT_Place_byPosition"
    static let table =
        "CREATE VIRTUAL TABLE \(index) USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, "
        + "ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)"
    static let put =
        "INSERT OR REPLACE INTO \(index) (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) "
        + "VALUES (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ;"
    static let triggers = [
        "CREATE TRIGGER \(index)_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN \(put) END",
        "CREATE TRIGGER \(index)_UPDATE AFTER UPDATE OF ZLATITUDE, ZLONGITUDE ON ZPLACE FOR EACH ROW "
            + "WHEN (NEW.ZLATITUDE NOT NULL AND NEW.ZLONGITUDE NOT NULL) BEGIN \(put) END",
        "CREATE TRIGGER \(index)_DELETE AFTER DELETE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM \(index) WHERE Z_PK = OLD.Z_PK; END",
    ]
    /// A derived attribute's trigger, which changes the row before the index has it.
    static let derived =
        "CREATE TRIGGER Z_DA_ZPLACE_Place_shifted_SOURCE_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN "
        + "UPDATE ZPLACE SET ZLATITUDE = ZLATITUDE, ZSHIFTED = NEW.ZLATITUDE + 1 WHERE Z_PK = NEW.Z_PK; "
        + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPLACE', Z_ENT, Z_PK, 'shifted', ZSHIFTED) FROM ZPLACE "
        + "WHERE Z_PK = NEW.Z_PK; END"

    private let directory: TemporaryDirectory
    private let model: ManagedObjectModel
    private var path: String { directory.path + "/places.sqlite" }

    init() throws {
        directory = try TemporaryDirectory()
        model = try ManagedObjectModel {
            Entity("Place") {
                Attributes(["name": .string, "latitude": .double, "longitude": .double, "shifted": .double, "code": .uuid])
                Unique("name")
            }
            Entity("Town") { Attribute("name", .string) }
        }
        try open(path, model).close()
        for sql in [Self.table] + Self.triggers { _ = try raw(path, sql) }
    }

    private func context() throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.sqlite, path: path))
        return ManagedObjectContext(coordinator)
    }

    private func places(_ count: Int, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try (0..<count).map { number in
            let place = try context.insert("Place")
            try place.setValue("p\(number)", forKey: "name")
            try place.setValue(Double(number), forKey: "latitude")
            try place.setValue(Double(number) + 0.5, forKey: "longitude")
            return place
        }
    }

    private func expectIndexed(_ count: Int) throws {
        let places = try raw(path, "SELECT Z_PK, ZLATITUDE, ZLATITUDE, ZLONGITUDE, ZLONGITUDE FROM ZPLACE ORDER BY Z_PK")
        #expect(places.count == count)
        let indexed = try raw(
            path, "SELECT Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX FROM \(Self.index) ORDER BY Z_PK")
        #expect(indexed == places)
    }

    // SQLite did not trust the triggers, and the store was called corrupt. An outer INSERT OR FAIL overrode the triggers' own OR REPLACE.
    @Test("A table with a location index is written, and the index with it", arguments: [false, true])
    func writing(_ isDerived: Bool) throws {
        if isDerived { _ = try raw(path, Self.derived) }
        let context = try context()
        let places = try places(100, in: context)
        try context.save()
        try expectIndexed(100)
        try places[3].setValue(-45.25, forKey: "latitude")
        try places[4].setValue("other", forKey: "name")
        context.delete(places[5])
        try context.save()
        try expectIndexed(99)
        try context.execute(BatchUpdateRequest(entityName: "Place", set: ["longitude": .constant(.double(7.5))]))
        try expectIndexed(99)
        try context.execute(BatchDeleteRequest(entityName: "Place", try QueryPredicate(format: "latitude > 50")))
        try expectIndexed(50)
        if isDerived { #expect(try raw(path, "SELECT count(*) FROM ZPLACE WHERE ZSHIFTED NOT NULL") == [["50"]]) }
        #expect(try raw(path, "SELECT rtreecheck('\(Self.index)')") == [["ok"]])
    }

    @Test("An equal value in a table with a location index is a conflict as anywhere else")
    func conflicts() throws {
        let context = try context()
        _ = try places(3, in: context)
        try context.save()
        let twin = try context.insert("Place")
        try twin.setValue("p1", forKey: "name")
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try twin.setValue(70.0, forKey: "latitude")
        try twin.setValue(80.0, forKey: "longitude")
        try context.save()
        try expectIndexed(3)
        #expect(try raw(path, "SELECT ZLATITUDE FROM ZPLACE WHERE ZNAME = 'p1'") == [["70.0"]])
    }

    private func migrate(to change: (inout Entity) -> Void) throws {
        var declarations = model.declarations
        change(&declarations.entities[try #require(declarations.entities.firstIndex { $0.name == "Place" })])
        let new = try ManagedObjectModel(entities: declarations.entities)
        try PersistentStoreCoordinator.migrateStore(StoreDescription(.sqlite, path: path), to: new)
        let coordinator = PersistentStoreCoordinator(model: new)
        try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let context = ManagedObjectContext(coordinator)
        let place = try context.insert("Place")
        if place.entity.attribute(named: "latitude") != nil { try place.setValue(33.5, forKey: "latitude") }
        if place.entity.attribute(named: "longitude") != nil { try place.setValue(44.5, forKey: "longitude") }
        try context.save()
    }

    private func names(_ type: String) throws -> [String] {
        try raw(path, "SELECT name FROM sqlite_master WHERE type = '\(type)' AND sql NOT NULL ORDER BY name").map { $0[0] ?? "" }
    }

    @Test(
        "A location index of the model is created, also when it is added later, kept, and dropped with the model's",
        arguments: [false, true])
    func made(_ comesLater: Bool) throws {
        let path = directory.path + "/made.sqlite"
        func model(_ hasIndex: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Place") {
                    Attributes(["latitude": .double, "longitude": .double])
                    if hasIndex { FetchIndex("byPosition", on: "latitude", "longitude").location }
                    // The hashes say nothing of indexes.
                    if !hasIndex { Attribute("note", .string) }
                }
            }
        }
        func save(_ latitude: Double, _ model: ManagedObjectModel) throws {
            let coordinator = PersistentStoreCoordinator(model: model)
            let store = try coordinator.addStore(StoreDescription(.sqlite, path: path))
            let context = ManagedObjectContext(coordinator)
            try context.insert("Place").setValue(latitude, forKey: "latitude")
            try context.save()
            try coordinator.remove(store)
        }
        func indexed() throws -> [String?] {
            try raw(path, "SELECT ZLATITUDE_MIN FROM Z_RT_Place_byPosition ORDER BY 1").map { $0[0] }
        }
        if comesLater { try save(1, model(false)) }
        try save(2, model(true))
        try save(3, model(true))
        #expect(try indexed() == (comesLater ? ["1.0", "2.0", "3.0"] : ["2.0", "3.0"]))
        #expect(
            try raw(path, "SELECT sql FROM sqlite_master WHERE name = 'Z_RT_Place_byPosition_INSERT'").map { $0[0] } == [
                "CREATE TRIGGER Z_RT_Place_byPosition_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN INSERT OR REPLACE INTO "
                    + "Z_RT_Place_byPosition (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES (NEW.Z_PK, "
                    + "NEW.ZLATITUDE, NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ; END"
            ])
        try save(4, model(false))
        #expect(try raw(path, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'Z_RT%'") == [["0"]])
    }

    // The index and its triggers went with the table that was made anew, and so did those of derived attributes.
    @Test("A location index and derived attributes outlive a migration, whether tables are altered or made anew", arguments: [false, true])
    func migration(_ isRebuilt: Bool) throws {
        _ = try raw(path, Self.derived)
        let before = try names("trigger")
        do {
            let context = try context()
            _ = try places(5, in: context)
            try context.save()
        }
        try migrate { place in
            place.attributes.append(Attribute("note", .string))
            // A URL becomes a text only in a new column.
            if isRebuilt { place.attributes = place.attributes.map { $0.name == "code" ? Attribute("code", .string) : $0 } }
        }
        #expect(try names("trigger") == before)
        try expectIndexed(6)
        #expect(try raw(path, "SELECT ZSHIFTED FROM ZPLACE ORDER BY Z_PK").last == ["34.5"])
    }

    @Test("A location index is dropped with its columns, and a derived attribute's trigger with its attribute")
    func dropping() throws {
        _ = try raw(path, Self.derived)
        do {
            let context = try context()
            _ = try places(5, in: context)
            try context.save()
        }
        try migrate { place in
            place.attributes.removeAll { $0.name == "longitude" || $0.name == "shifted" }
        }
        #expect(try names("trigger") == [])
        #expect(try names("table").filter { $0.hasPrefix("Z_RT") } == [])
        #expect(try raw(path, "SELECT count(*) FROM ZPLACE") == [["6"]])
    }

    @Test("A derived attribute's trigger that does not fit the new tables is refused by name, and nothing changes")
    func misfit() throws {
        _ = try raw(path, Self.derived)
        #expect {
            try migrate { place in
                place.attributes = place.attributes.map { $0.name == "code" ? Attribute("code", .string) : $0 }
                place.attributes.removeAll { $0.name == "latitude" }
            }
        } throws: { error in
            (error as? StoreError)?.message
                == "the trigger Z_DA_ZPLACE_Place_shifted_SOURCE_INSERT of a derived attribute does not fit the tables of the new version"
        }
        #expect(try names("trigger").count == 4)
        try context().save()
    }

    @Test("Indexes with conditions and expressions outlive a migration as long as their columns do", arguments: [false, true])
    func indexes(_ isRebuilt: Bool) throws {
        let kept = [
            "CREATE INDEX Z_Place_byNorth ON ZPLACE (ZNAME COLLATE BINARY ASC) WHERE ZLATITUDE > 0",
            "CREATE INDEX Z_Place_bySum ON ZPLACE (ZLATITUDE + ZSHIFTED COLLATE BINARY ASC)",
        ]
        for sql in kept + ["CREATE INDEX Z_Place_byEast ON ZPLACE (ZNAME COLLATE BINARY ASC) WHERE ZLONGITUDE > 0"] {
            _ = try raw(path, sql)
        }
        try migrate { place in
            place.attributes.removeAll { $0.name == "longitude" }
            if isRebuilt { place.attributes = place.attributes.map { $0.name == "code" ? Attribute("code", .string) : $0 } }
        }
        let indexes = try raw(path, "SELECT sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z_Place_by%' ORDER BY name")
        #expect(indexes.map { $0[0] } == kept)
    }

    static let foreignTriggers = [
        "CREATE TRIGGER OTHERS AFTER INSERT ON ZPLACE BEGIN \(put) END",
        "CREATE TRIGGER OTHERS AFTER INSERT ON ZTOWN BEGIN DELETE FROM \(index); END",
        "CREATE TRIGGER \(index)_MORE AFTER INSERT ON ZTOWN BEGIN DELETE FROM \(index); END",
        "CREATE TRIGGER \(index)_MORE AFTER INSERT ON ZTOWN BEGIN DELETE FROM \(index) WHERE Z_PK = NEW.Z_PK; DELETE FROM ZTOWN; END",
        "CREATE TRIGGER \(index)_MORE AFTER INSERT ON ZPLACE BEGIN INSERT OR REPLACE INTO \(index) (Z_PK, ZLATITUDE_MIN) "
            + "VALUES (NEW.Z_PK, abs(NEW.ZLATITUDE)); END",
        "CREATE TRIGGER \(index)_MORE AFTER INSERT ON ZPLACE BEGIN INSERT OR REPLACE INTO \(index) (Z_PK, ZLATITUDE_MIN) "
            + "SELECT Z_PK, ZLATITUDE FROM ZPLACE; END",
        "CREATE TRIGGER OTHERS AFTER INSERT ON ZTOWN BEGIN UPDATE ZPLACE SET ZNAME = (SELECT count(*) FROM \(index)); END",
        "CREATE TRIGGER OTHERS AFTER INSERT ON ZTOWN BEGIN SELECT load_extension(NEW.ZNAME); END",
    ]

    @Test(
        "A trigger that is not Core Data's is refused what it was refused, by name, and the rest goes on",
        arguments: LocationIndexTests.foreignTriggers)
    func foreign(_ trigger: String) throws {
        _ = try raw(path, trigger)
        let name = trigger.split(separator: " ")[2]
        let isOnPlaces = trigger.contains("ON ZPLACE")
        let context = try context()
        let object = try context.insert(isOnPlaces ? "Place" : "Town")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .denied)
        #expect(error?.message.contains(name) == true, "\(String(describing: error))")
        context.delete(object)
        if isOnPlaces {
            _ = try context.insert("Town")
        } else {
            _ = try places(2, in: context)
        }
        try context.save()
        if !isOnPlaces { try expectIndexed(2) }
        _ = try raw(path, "DROP TRIGGER \(name)")
        _ = try context.insert(isOnPlaces ? "Place" : "Town")
        try context.save()
    }

    @Test("A harmless trigger of another program is called as before")
    func harmless() throws {
        _ = try raw(path, "CREATE TRIGGER OTHERS AFTER INSERT ON ZPLACE BEGIN UPDATE ZTOWN SET ZNAME = upper(NEW.ZNAME); END")
        let context = try context()
        _ = try context.insert("Town")
        try context.save()
        _ = try places(1, in: context)
        try context.save()
        #expect(try raw(path, "SELECT ZNAME FROM ZTOWN") == [["P0"]])
        try expectIndexed(1)
    }

    @Test("An index of another module costs the tables that write it, and nothing else")
    func otherModule() throws {
        do {
            let context = try context()
            _ = try places(2, in: context)
            try context.save()
        }
        try script(
            path,
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'USING RTREE', 'USING NOTREE') "
                + "WHERE name = '\(Self.index)'")
        let context = try context()
        #expect(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Place")).count == 2)
        _ = try context.insert("Town")
        try context.save()
        _ = try context.insert("Place")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .denied)
        #expect(error?.message.contains("\(Self.index)_INSERT") == true, "\(String(describing: error))")
    }

    @Test("Where SQLite was built without location indexes, writing one is an error that says so")
    func missingModule() throws {
        let store = try #require(try open(path, model) as? SQLiteStore)
        let transaction = try #require(try store.beginWrite(TransactionOrigin()) as? SQLiteTransaction)
        sqlite3_drop_modules(transaction.connection.handle, nil)
        var changes = ChangeSet()
        changes.inserted = [try row(model, "Town", 1)]
        #expect(try transaction.apply(changes).isEmpty)
        changes.inserted = [try row(model, "Place", 1)]
        let error = #expect(throws: StoreError.self) { _ = try transaction.apply(changes) }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "the SQLite library here was built without RTREE, which the store's location indexes take")
        transaction.rollback()
        try store.close()
    }
}
