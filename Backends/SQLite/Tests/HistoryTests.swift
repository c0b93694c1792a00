import Strata
import StrataModel
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

/// Stores with the tables of a persistent history, as Core Data makes them where it is asked for one.
@Suite("Stores with a persistent history of Core Data's")
struct HistoryTests {
    private let sandbox: Sandbox
    private let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path()
    }

    private static func zoo(_ version: Int) throws -> ManagedObjectModel {
        let isNew = version > 1
        return try ManagedObjectModel {
            if isNew { Entity("Aardvark") { Attribute("name", .string) } }
            Entity("Animal") {
                if isNew { Attribute("alias", .string).preservedOnDeletion }
                Attribute(isNew ? "title" : "name", .string).preservedOnDeletion.renamed(from: "name")
                Relationship("home", to: "House", inverse: "animals")
                Relationship("friends", to: "Animal", inverse: "friends", .toMany)
            }
            Entity("Dog", parent: "Animal") {
                Attribute("age", .integer16).preservedOnDeletion
                Attribute("mood", .undefined).transient
                if isNew { Attribute("breed", .string) }
                Relationship("owner", to: "Person", inverse: "dogs")
                Relationship("pups", to: "Dog", inverse: "parent", .toMany)
                Relationship("parent", to: "Dog", inverse: "pups")
            }
            Entity("House") {
                Attribute("address", .string)
                Relationship("animals", to: "Animal", inverse: "home", .ordered)
            }
            Entity("Person") {
                Attribute("name", .string)
                Relationship("dogs", to: "Dog", inverse: "owner", .toMany)
            }
            Entity("Boss", parent: "Person") { Attribute("rank", .integer16) }
            if !isNew { Entity("Visit") { Attribute("day", .date) } }
        }
    }

    private static let tables = """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, \
        ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB );
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, \
        ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
        ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
        CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
        INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'com.example.zoo'), (2, 16003, NULL, 'zoo');
        INSERT INTO ATRANSACTION VALUES (4, 16002, NULL, NULL, 1, NULL, 2, 700000000.5, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 9), (16002, 'TRANSACTION', 0, 7), (16003, 'TRANSACTIONSTRING', 0, 2);
        """

    /// Makes a store of the first version, with a history of it.
    private func make(_ changes: String = "") throws {
        let store = try open(path, Self.zoo(1))
        _ = try store.insert(row(Self.zoo(1), "Dog", 1, ["name": "Rex", "age": .int(3)]))
        try store.close()
        try script(path, Self.tables + changes)
    }

    private func migrate(to model: ManagedObjectModel) throws {
        try PersistentStoreCoordinator.migrateStore(StoreDescription(.sqlite, path: path), to: model)
    }

    private func changes() throws -> [[String?]] {
        try raw(path, "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, hex(ZCOLUMNS), ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE ORDER BY Z_PK")
    }

    @Test("A migration gives the changes the numbers and masks of the new version, and adds a transaction")
    func migration() throws {
        // The numbers are 1 Animal, 2 Dog, 3 House, 4 Person, 5 Boss, 6 Visit. The slots of a dog: home, owner, parent; the entities of owner;
        // the order in home; name, age; pups; friends.
        try make(
            """
            INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 2, 1, 4, NULL, NULL, NULL);
            INSERT INTO ACHANGE VALUES (2, 16001, NULL, 1, 2, 1, 4, x'0600', NULL, NULL);
            INSERT INTO ACHANGE VALUES (3, 16001, NULL, 1, 2, 1, 4, x'F900', NULL, NULL);
            INSERT INTO ACHANGE VALUES (4, 16001, NULL, 1, 2, 1, 4, x'0080', NULL, NULL);
            INSERT INTO ACHANGE VALUES (5, 16001, NULL, 2, 2, 1, 4, NULL, 'Rex', 3);
            INSERT INTO ACHANGE VALUES (6, 16001, NULL, 1, 3, 1, 4, x'40', NULL, NULL);
            INSERT INTO ACHANGE VALUES (7, 16001, NULL, 0, 6, 1, 4, NULL, NULL, NULL);
            INSERT INTO ACHANGE VALUES (8, 16001, NULL, 1, 2, 1, 4, x'80', NULL, NULL);
            INSERT INTO ACHANGE VALUES (9, 16001, NULL, 1, 5, 2, 4, x'40', NULL, NULL);
            INSERT INTO ACHANGE VALUES (10, 16001, NULL, 1, 2, 1, 4, x'0001', NULL, NULL);
            """)
        let description = StoreDescription(.sqlite, path: path)
        let digest = try #require(try description.driver.metadata(at: description.location).digests[StoreMetadata.digestKey])
        try migrate(to: Self.zoo(2))
        // Now it is 2 Animal, 3 Dog, 4 House, 5 Person, 6 Boss, and a dog has: home, owner, parent; the entities of owner; the order in home;
        // alias, title, age, breed; pups; friends.
        #expect(
            try changes() == [
                ["1", "0", "3", "1", "", nil, nil], ["2", "1", "3", "1", "0300", nil, nil], ["3", "1", "3", "1", "F840", nil, nil],
                ["4", "1", "3", "1", "0020", nil, nil], ["5", "2", "3", "1", "", nil, "Rex"], ["6", "1", "4", "1", "40", nil, nil],
                // A mask of another length, or with a bit beyond the slots, says nothing: all may have changed.
                ["8", "1", "3", "1", "FFE0", nil, nil], ["9", "1", "6", "2", "40", nil, nil], ["10", "1", "3", "1", "FFE0", nil, nil],
            ])
        #expect(try raw(path, "SELECT ZTOMBSTONE2 FROM ACHANGE WHERE Z_PK = 5") == [["3"]])
        let added = try raw(
            path,
            """
            SELECT t.Z_PK, t.Z_ENT, t.Z_OPT, t.ZTIMESTAMP > 700000000.5, a.ZNAME, b.Z_PK = p.Z_PK, t.ZCONTEXTNAMETS FROM ATRANSACTION t \
            JOIN ATRANSACTIONSTRING a ON a.Z_PK = ZAUTHORTS JOIN ATRANSACTIONSTRING b ON b.Z_PK = ZBUNDLEIDTS \
            JOIN ATRANSACTIONSTRING p ON p.Z_PK = ZPROCESSIDTS WHERE t.Z_PK > 4
            """)
        guard case .string(let text) = digest else { throw UnexpectedDigest() }
        let author = "com.apple.coredata.schemamigrator: lightweight migration from model with digest { \(text) }"
        #expect(added == [["8", "16002", nil, "1", author, "1", nil]])
        #expect(
            try raw(path, "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1") == [
                ["16001", "9"], ["16002", "8"], ["16003", "4"],
            ])
    }

    private struct UnexpectedDigest: Error {}

    @Test("Where the tables are made anew the history gets the new numbers too, and an older form of it texts in its rows")
    func rebuilding() throws {
        let first = try ManagedObjectModel {
            Entity("Cat") { Attribute("name", .string) }
            Entity("Dog") { Attribute("name", .string) }
        }
        let second = try ManagedObjectModel {
            Entity("Animal") { Attribute("legs", .integer16, default: 4) }
            Entity("Cat", parent: "Animal") { Attribute("name", .string) }
            Entity("Dog", parent: "Animal") { Attribute("name", .string) }
        }
        let store = try open(path, first)
        _ = try store.insert(row(first, "Cat", 1), row(first, "Cat", 2), row(first, "Dog", 1))
        try store.close()
        try script(
            path,
            """
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, \
            ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
            ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
            INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 545433821.1, NULL, 'com.example.zoo', NULL, 'zoo', NULL);
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 3), (16002, 'TRANSACTION', 0, 1);
            INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 1, 2, 1, NULL), (2, 16001, NULL, 1, 2, 1, 1, x'80');
            """)
        try migrate(to: second)
        let dog = try raw(path, "SELECT Z_PK FROM ZANIMAL WHERE Z_ENT = 3")
        #expect(
            try raw(path, "SELECT ZENTITY, ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK") == [
                ["2", "2", ""], ["3", dog[0][0], "40"],
            ])
        #expect(
            try raw(path, "SELECT Z_PK, ZAUTHOR LIKE 'com.apple.coredata.schemamigrator: %', ZPROCESSID IS ZBUNDLEID FROM ATRANSACTION")
                .last == ["2", "1", "1"])
    }

    @Test("A history without a number for another transaction refuses the migration")
    func exhausted() throws {
        try make("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_ENT = 16002;")
        let error = #expect(throws: StoreError.self) { try migrate(to: Self.zoo(2)) }
        #expect(error?.code == .tooLarge)
        #expect(error?.message == "the history has no number left for a transaction")
        #expect(try raw(path, "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == [["Animal"]])
    }

    @Test("A store with a history is migrated as it is opened, and continues the history")
    func openedByAnotherVersion() throws {
        try make("INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 2, 1, 4, NULL, NULL, NULL);")
        let coordinator = PersistentStoreCoordinator(model: try Self.zoo(2))
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let context = ManagedObjectContext(coordinator)
        let dog = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Dog")).first)
        try dog.setValue("Max", forKey: "title")
        try context.save()
        let transactions = try coordinator.history.transactions(HistoryRequest())
        #expect(transactions.map(\.number) == [4, 8, 9])
        #expect(transactions.map(\.origin.kind) == [.save, .migration, .save])
        #expect(transactions.last?.changes.map(\.changedProperties) == [["title"]])
        try coordinator.remove(store)
        // The attributes of a dog are alias, title, age and breed, after six slots of relationships.
        #expect(
            try raw(path, "SELECT ZENTITY, ZTRANSACTIONID, hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK") == [
                ["3", "4", ""], ["3", "9", "0200"],
            ])
    }

    @Test("A store of Strata's has no history, and is written to")
    func none() throws {
        let store = try open(path, Self.zoo(1))
        #expect(!store.isReadOnly)
        try store.close()
    }
}

@Suite("Stores with a history of Strata's")
struct OwnHistoryTests {
    private let sandbox: Sandbox
    private let path: String
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path()
        model = try ManagedObjectModel { Entity("Book") { Attribute("name", .string) } }
    }

    private func opened() throws -> PersistentContainer {
        var description = StoreDescription(.sqlite, path: path)
        description.options.history = .unlimited
        return try PersistentContainer(model: model, stores: [description])
    }

    private func save(_ container: PersistentContainer) throws {
        let context = container.newContext()
        try context.insert("Book")
        try context.save()
    }

    // A table of another program's under the name was reported as an error of the statement, without what is wrong.
    @Test(
        "A table with other columns is damage, the objects are read all the same, and the history can begin anew",
        arguments: ["TABLE STRATA_HISTORY (a, b)", "VIEW STRATA_HISTORY AS SELECT 1 AS number"])
    func otherColumns(other: String) throws {
        var container = try opened()
        for _ in 0..<3 { try save(container) }
        let token = try container.history.currentToken()
        try container.close()
        try script(path, "DROP TABLE STRATA_HISTORY; CREATE \(other)")
        container = try opened()
        let error = #expect(throws: StoreError.self) { try save(container) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "the table of the history has other columns; PersistentHistory.beginAnew() replaces it")
        #expect(try container.newContext().count(for: ObjectFetchRequest<ManagedObject>(entityName: "Book")) == 3)
        try container.history.beginAnew()
        let beginning = try container.history.currentToken()
        try save(container)
        #expect(try container.history.transactions(after: beginning).count == 1)
        #expect(try container.history.transactions(HistoryRequest()).count == 1)
        let expired = #expect(throws: StoreError.self) { try container.history.transactions(after: token) }
        #expect(expired?.code == .historyTokenExpired)
        #expect(expired?.cocoaCode == 134301)
        #expect(try container.newContext().count(for: ObjectFetchRequest<ManagedObject>(entityName: "Book")) == 4)
    }

    @Test("A table that another program dropped is made again, and older tokens have expired")
    func dropped() throws {
        var container = try opened()
        for _ in 0..<3 { try save(container) }
        let token = try container.history.currentToken()
        try container.close()
        try script(path, "DROP TABLE STRATA_HISTORY")
        container = try opened()
        #expect(try container.history.transactions(HistoryRequest()).isEmpty)
        try save(container)
        let error = #expect(throws: StoreError.self) { try container.history.transactions(after: token) }
        #expect(error?.code == .historyTokenExpired)
        #expect(try container.history.transactions(HistoryRequest()).count == 1)
    }

    // Each reading asked the catalogue for the tables.
    @Test("The tables are looked up once, and again after another program changed the schema")
    func lookedUp() throws {
        let log = RecordedLog()
        var description = StoreDescription(.sqlite(logger: log.logger()), path: path)
        description.options.history = .unlimited
        let container = try PersistentContainer(model: model, stores: [description])
        /// Reads the history, and returns how often the catalogue was asked for its tables.
        func lookups(readings: Int = 1) throws -> Int {
            _ = log.take()
            for _ in 0..<readings { #expect(try container.history.transactions(HistoryRequest()).count == 1) }
            return log.take().count { $0.contains("sqlite_master") }
        }
        try save(container)
        #expect(try lookups() == 0)
        try script(path, "CREATE TABLE other (a)")
        #expect(try lookups() > 0)
        #expect(try lookups(readings: 3) == 0)
        try script(path, "DROP TABLE STRATA_HISTORY")
        #expect(try container.history.transactions(HistoryRequest()).isEmpty)
        try save(container)
        #expect(try container.history.transactions(HistoryRequest()).count == 1)
    }
}
