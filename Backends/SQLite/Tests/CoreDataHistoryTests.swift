import Strata
import StrataCoordinator
import StrataModel
import StrataSQLite
import StrataStore
import Synchronization
import Testing

@Suite("Histories in Core Data's tables")
struct CoreDataHistoryTests {
    private let sandbox: Sandbox
    private let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path()
    }

    private func coordinator(
        _ model: ManagedObjectModel, isPreferred: Bool = true, hasPolicy: Bool = true
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = StoreDescription(.sqlite(keepsCoreDataHistory: isPreferred), path: path)
        if hasPolicy { description.options.history = .unlimited }
        try coordinator.addStore(description)
        return coordinator
    }

    private func close(_ coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    private static func zoo() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Animal") {
                Attribute("name", .string).preservedOnDeletion
                Attribute("mood", .string).transient
                Relationship("home", to: "House", inverse: "animals")
                Relationship("friends", to: "Animal", inverse: "friends", .toMany)
                Relationship("foes", to: "Animal", inverse: "foes", .toMany)
            }
            Entity("Dog", parent: "Animal") {
                Attribute("age", .integer16).preservedOnDeletion
                Attribute("breed", .string)
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
        }
    }

    private final class Heard: Sendable {
        let events = Mutex<[SaveEvent]>([])
    }

    // MARK: - Writing

    @Test("A store without a write-ahead log cannot be read as it was")
    func withoutLog() throws {
        let coordinator = PersistentStoreCoordinator(model: try CoreDataHistoryTests.zoo())
        var description = StoreDescription(.sqlite(pragmas: ["journal_mode": "DELETE"]), path: path)
        description.options.history = HistoryPolicy(keepsValues: true)
        try coordinator.addStore(description)
        let token = try coordinator.history.currentToken()
        let error = #expect(throws: StoreError.self) { try ManagedObjectContext(coordinator).setQueryGeneration(asOf: token) }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "the store cannot hold a state")
        try close(coordinator)
    }

    @Test("Values are refused with Core Data's tables, and own tables with them are continued")
    func values() throws {
        let model = try CoreDataHistoryTests.zoo()
        func open(_ isPreferred: Bool, _ policy: HistoryPolicy?) throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(model: model)
            var description = StoreDescription(.sqlite(keepsCoreDataHistory: isPreferred), path: path)
            description.options.history = policy
            try coordinator.addStore(description)
            return coordinator
        }
        let error = #expect(throws: StoreError.self) { _ = try open(true, HistoryPolicy(keepsValues: true)) }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "the store's history cannot keep values")
        try close(open(false, HistoryPolicy(keepsValues: true)))
        let continued = try open(true, nil)
        let context = ManagedObjectContext(continued)
        let token = try continued.history.currentToken()
        try context.insert("Animal")
        try context.save()
        try context.setQueryGeneration(asOf: token)
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Animal")) == 0)
        try close(continued)
    }

    @Test("The rows of random saves are those that Core Data's format asks for")
    func rows() throws {
        let model = try Self.zoo()
        let coordinator = try coordinator(model)
        let heard = Heard()
        let subscription = coordinator.observeSaves { event in heard.events.withLock { $0.append(event) } }
        defer { subscription.cancel() }
        let context = ManagedObjectContext(coordinator)
        var generator = SystemRandomNumberGenerator()
        for round in 0..<60 {
            context.transactionAuthor = round % 3 == 0 ? nil : "author \(round % 3)"
            for _ in 0..<Int.random(in: 1...4, using: &generator) { try change(context, round, &generator) }
            try context.save()
        }
        var oracle = HistoryOracle(model, path: path)
        let events = heard.events.withLock { $0 }
        let numbers = try raw(path, "SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK").compactMap { $0[0].flatMap { Int64($0) } }
        #expect(numbers == (1...Int64(events.count)).map(\.self))
        for (event, number) in zip(events, numbers) {
            let rows = try oracle.stored(number)
            let kinds = rows.map { $0.prefix(1) }
            #expect(kinds == kinds.sorted())
            #expect(rows.sorted() == (try oracle.rows(try #require(event.stores.first))), "transaction \(number)")
            let texts = try raw(
                path,
                """
                SELECT a.ZNAME, b.ZNAME, p.ZNAME, t.Z_ENT, t.Z_OPT, t.ZCONTEXTNAMETS, t.ZAUTHOR, t.ZTIMESTAMP FROM ATRANSACTION t \
                LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = ZAUTHORTS JOIN ATRANSACTIONSTRING b ON b.Z_PK = ZBUNDLEIDTS \
                JOIN ATRANSACTIONSTRING p ON p.Z_PK = ZPROCESSIDTS WHERE t.Z_PK = \(number)
                """)[0]
            #expect(texts[0] == event.origin.author)
            #expect(texts[1] != nil)
            #expect(texts[2] == texts[1])
            #expect(texts[3...6] == ["16002", nil, nil, nil])
            #expect(texts[7].flatMap { Double($0) }.map { abs($0 - event.origin.date.timeIntervalSinceReferenceDate) < 1 } == true)
        }
        #expect(
            try raw(
                path,
                """
                SELECT Z_NAME, Z_SUPER, Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) OR Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION) \
                OR Z_MAX = (SELECT count(*) FROM ATRANSACTIONSTRING) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT
                """) == [["CHANGE", "0", "1"], ["TRANSACTION", "0", "1"], ["TRANSACTIONSTRING", "0", "1"]])
        #expect(try raw(path, "SELECT count(*) FROM sqlite_master WHERE name = 'STRATA_HISTORY'") == [["0"]])
    }

    /// Changes one object at random.
    private func change(_ context: ManagedObjectContext, _ round: Int, _ generator: inout SystemRandomNumberGenerator) throws {
        func any(_ entity: String) throws -> ManagedObject? {
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity)).randomElement(using: &generator)
        }
        func relate(_ entity: String, _ key: String, _ destination: String) throws {
            try any(entity)?.setValue(try any(destination), forKey: key)
        }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1: try context.insert("Dog").setValue("dog \(round)", forKey: "name")
        case 2: try context.insert(Bool.random(using: &generator) ? "Animal" : "House")
        case 3: try context.insert(Bool.random(using: &generator) ? "Person" : "Boss")
        case 4: try any("Animal")?.setValue("animal \(round)", forKey: "name")
        case 5: try any("Dog")?.setValue(Int.random(in: 0..<20, using: &generator), forKey: "age")
        case 6: try relate("Animal", "home", "House")
        case 7: try relate("Dog", "owner", "Person")
        case 8: try relate("Dog", "parent", "Dog")
        case 9:
            let others = Set([try any("Animal"), try any("Animal")].compactMap(\.self))
            try any("Animal")?.setValue(others, forKey: Bool.random(using: &generator) ? "friends" : "foes")
        case 10: try any("Boss")?.setValue(round, forKey: "rank")
        default:
            if let object = try any(["Animal", "House", "Person"].randomElement(using: &generator) ?? "House") { context.delete(object) }
        }
    }

    @Test("A tombstone has the values of the deleted row, in the types of its columns")
    func tombstones() throws {
        let names = ["bits", "date", "decimal", "flag", "id", "link", "number", "ratio", "text"]
        let model = try ManagedObjectModel {
            Entity("Thing") {
                Attribute("bits", .binary).preservedOnDeletion
                Attribute("date", .date).preservedOnDeletion
                Attribute("decimal", .decimal).preservedOnDeletion
                Attribute("flag", .boolean).preservedOnDeletion
                Attribute("id", .uuid).preservedOnDeletion
                Attribute("link", .uri).preservedOnDeletion
                Attribute("number", .integer64).preservedOnDeletion
                Attribute("ratio", .double).preservedOnDeletion
                Attribute("text", .string).preservedOnDeletion
            }
        }
        let coordinator = try coordinator(model)
        let context = ManagedObjectContext(coordinator)
        let values: [String: any Sendable] = [
            "bits": Data([1, 2]), "date": Date(timeIntervalSinceReferenceDate: 12.5), "decimal": try #require(Decimal(string: "1.25")),
            "flag": true, "id": UUID(), "link": try #require(URL(string: "https://example.com/a")), "number": 1 << 40, "ratio": 0.5,
            "text": "ä",
        ]
        let (full, empty) = (try context.insert("Thing"), try context.insert("Thing"))
        for (name, value) in values { try full.setValue(value, forKey: name) }
        try context.save()
        let columns = names.map { "quote(Z\($0.uppercased()))" }.joined(separator: ", ")
        let before = try raw(path, "SELECT \(columns) FROM ZTHING WHERE ZTEXT = 'ä'")
        context.delete(full)
        context.delete(empty)
        try context.save()
        let preserved = names.indices.map { "quote(ZTOMBSTONE\($0))" }.joined(separator: ", ")
        let after = try raw(path, "SELECT \(preserved) FROM ACHANGE WHERE ZCHANGETYPE = 2 ORDER BY ZTOMBSTONE0 IS NULL")
        #expect(after == before + [names.map { _ in "NULL" }])
        let read = try coordinator.history.transactions(HistoryRequest()).last?.changes.first { $0.tombstone["text"] == .string("ä") }
        let tombstone = try #require(read?.tombstone)
        for (name, value) in values { #expect(tombstone[name] == (value as? any ValueConvertible)?.value, "\(name)") }
    }

    @Test("A store that has a history of Strata's keeps it")
    func ownHistory() throws {
        let model = try Self.zoo()
        for isPreferred in [false, true] {
            let coordinator = try coordinator(model, isPreferred: isPreferred)
            let context = ManagedObjectContext(coordinator)
            try context.insert("House")
            try context.save()
            try close(coordinator)
        }
        #expect(try raw(path, "SELECT count(*) FROM STRATA_HISTORY") == [["2"]])
        #expect(try raw(path, "SELECT count(*) FROM sqlite_master WHERE name = 'ACHANGE'") == [["0"]])
    }

    // MARK: - Tables of another program

    /// Makes the tables of a history of Core Data's, with a transaction of one insertion.
    private func makeTables(isOld: Bool = false, _ more: String = "") throws {
        let shared = isOld ? "" : "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, "
        try script(
            path,
            """
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, \
            ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB );
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(shared)ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
            ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 9), (16002, 'TRANSACTION', 0, 7);
            INSERT INTO ACHANGE VALUES (9, 16001, NULL, 0, 2, 1, 7, NULL, NULL, NULL);
            """
                + (isOld
                    ? "INSERT INTO ATRANSACTION VALUES (7, 16002, NULL, 700000000.5, 'me', 'com.example.zoo', NULL, 'zoo', NULL);"
                    : """
                    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
                    INSERT INTO Z_PRIMARYKEY VALUES (16003, 'TRANSACTIONSTRING', 0, 3);
                    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'com.example.zoo'), (2, 16003, NULL, 'zoo'), (3, 16003, NULL, 'me');
                    INSERT INTO ATRANSACTION VALUES (7, 16002, NULL, 3, 1, NULL, 2, 700000000.5, NULL, NULL, NULL, NULL, NULL);
                    """) + more)
    }

    /// Makes a store with a dog and such tables.
    private func makeStore(isOld: Bool = false, _ more: String = "") throws {
        let model = try Self.zoo()
        let store = try open(path, model)
        _ = try store.insert(row(model, "Dog", 1, ["name": "Rex", "age": .int(3)]))
        try store.close()
        try makeTables(isOld: isOld, more)
    }

    @Test("A history of Core Data's is read and continued without any option", arguments: [false, true])
    func foreign(isOld: Bool) throws {
        try makeStore(isOld: isOld)
        let coordinator = try coordinator(try Self.zoo(), isPreferred: false, hasPolicy: false)
        let first = try #require(try coordinator.history.transactions(HistoryRequest()).first)
        #expect(first.number == 7)
        #expect(first.date == Date(timeIntervalSinceReferenceDate: 700_000_000.5))
        #expect(first.author == "me")
        #expect(first.contextName == nil)
        #expect(first.origin.processName == "zoo")
        #expect(first.origin.bundleID == "com.example.zoo")
        #expect(first.changes.map(\.kind) == [.insert])
        #expect(first.changes.map(\.objectID.entity.name) == ["Dog"])
        let expired = #expect(throws: StoreError.self) {
            try coordinator.history.transactions(after: HistoryToken([first.storeID: 5]))
        }
        #expect(expired?.code == .historyTokenExpired)
        let context = ManagedObjectContext(coordinator)
        (context.transactionAuthor, context.name) = ("me", "main")
        let dog = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Dog")).first)
        try dog.setValue(4, forKey: "age")
        try context.save()
        let texts = isOld ? "ZAUTHOR, ZCONTEXTNAME, ZPROCESSID IS ZBUNDLEID" : "ZAUTHORTS, ZCONTEXTNAMETS, ZPROCESSIDTS IS ZBUNDLEIDTS"
        #expect(
            try raw(path, "SELECT Z_PK, \(texts) FROM ATRANSACTION WHERE Z_PK > 7") == [
                ["8"] + (isOld ? ["me", "main", "1"] : ["3", "5", "1"])
            ])
        // The slots of a dog: home, owner, parent; the entity of the owner; the order in home; name, age, breed; pups; foes, friends.
        #expect(
            try raw(path, "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE WHERE ZTRANSACTIONID = 8") == [
                ["10", "1", "2", "1", "0200"]
            ])
        let second = try #require(try coordinator.history.transactions(after: first.token).first)
        #expect(second.changes.map(\.changedProperties) == [["age"]])
        #expect(second.contextName == "main")
        #expect(try coordinator.history.currentToken() == second.token)
    }

    @Test("A mask marks all to-many relationships of a kind, and an unreadable one all properties")
    func masks() throws {
        try makeStore(
            """
            INSERT INTO ACHANGE VALUES (10, 16001, NULL, 1, 2, 1, 7, x'0600', NULL, NULL);
            INSERT INTO ACHANGE VALUES (11, 16001, NULL, 1, 2, 1, 7, x'0020', NULL, NULL);
            INSERT INTO ACHANGE VALUES (12, 16001, NULL, 1, 2, 1, 7, x'FF', NULL, NULL);
            INSERT INTO ACHANGE VALUES (13, 16001, NULL, 2, 2, 1, 7, NULL, 'Rex', 3);
            INSERT INTO ACHANGE VALUES (14, 16001, NULL, 0, 99, 1, 7, NULL, NULL, NULL);
            """)
        let coordinator = try coordinator(try Self.zoo(), hasPolicy: false)
        let changes = try #require(try coordinator.history.transactions(HistoryRequest()).first).changes
        #expect(changes.map { Set($0.changedProperties) }.dropFirst().first == ["name", "age"])
        #expect(Set(changes[2].changedProperties) == ["foes", "friends"])
        #expect(
            Set(changes[3].changedProperties) == ["home", "owner", "parent", "name", "age", "breed", "pups", "foes", "friends"])
        #expect(changes[4].tombstone == ["name": .string("Rex"), "age": .int(3)])
        #expect(changes.count == 5)
    }

    @Test("Deleting leaves the numbers, which are not used again")
    func deletion() throws {
        let model = try Self.zoo()
        var coordinator = try coordinator(model)
        func save() throws {
            let context = ManagedObjectContext(coordinator)
            try context.insert("House")
            try context.save()
        }
        for _ in 0..<4 { try save() }
        let all = try coordinator.history.transactions(HistoryRequest())
        #expect(try coordinator.history.deleteTransactions(before: .token(all[2].token)) == 2)
        #expect(try coordinator.history.transactions(HistoryRequest()) == Array(all[2...]))
        #expect(try raw(path, "SELECT count(*) FROM ACHANGE") == [["2"]])
        #expect(try coordinator.history.deleteTransactions(before: .date(Date() + 100)) == 2)
        #expect(try coordinator.history.currentToken() == all[3].token)
        try close(coordinator)
        coordinator = try self.coordinator(model)
        #expect(try coordinator.history.transactions(after: all[3].token).isEmpty)
        try save()
        #expect(try coordinator.history.transactions(HistoryRequest()).map(\.number) == [5])
        #expect(try raw(path, "SELECT Z_PK FROM ACHANGE") == [["5"]])
    }

    @Test(
        "A damaged history is an error of its requests, and the objects are read all the same",
        arguments: [
            "UPDATE ACHANGE SET ZCHANGETYPE = 7", "UPDATE ACHANGE SET ZENTITYPK = -1",
            "ALTER TABLE ACHANGE RENAME COLUMN ZENTITYPK TO ZKEY", "ALTER TABLE ATRANSACTION DROP COLUMN ZTIMESTAMP",
        ])
    func damage(_ sql: String) throws {
        try makeStore(sql + ";")
        let coordinator = try coordinator(try Self.zoo(), hasPolicy: false)
        let error = #expect(throws: StoreError.self) { try coordinator.history.transactions(HistoryRequest()) }
        #expect(error?.code == .corrupt)
        let isRow = sql.hasPrefix("UPDATE")
        #expect(
            error?.message
                == (isRow
                    ? "malformed change in the history"
                    : "the table of the history has other columns; PersistentHistory.beginAnew() replaces it"))
        let context = ManagedObjectContext(coordinator)
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Dog")) == 1)
    }
}
