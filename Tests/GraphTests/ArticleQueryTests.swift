import Strata
import StrataTestModels
import StrataTestSupport
import Testing

/// The listings of the articles that users of Core Data learn queries from, with what they find.
@Suite("The articles' queries, on every store")
struct ArticleQueryTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    // MARK: - The table of operators

    private func users(_ store: TestStore, _ objects: [[String: Value]] = ArticleQueryTests.users) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("User") { Attributes(["id": .string, "name": .string, "age": .integer16]) }
        }
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path)])
        _ = try container.coordinator.execute(BatchInsertRequest(entityName: "User", objects: objects))
        return ManagedObjectContext(container.coordinator)
    }

    private static let users: [[String: Value]] = [
        ["id": "1", "name": "张三", "age": 18],
        ["id": "2", "name": "李四", "age": 19],
        ["id": "3", "name": "王三", "age": 65],
        ["id": "4", "name": "张三丰", "age": 66],
        ["id": "5", "name": "赵六", "age": 17],
        ["id": "6"],
    ]

    /// The users that a condition finds, by their IDs in one text.
    private func found(_ predicate: QueryPredicate, _ context: ManagedObjectContext) throws -> String {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "User", predicate, sort: [QuerySort("id")]))
            .compactMap { try $0.value(forKey: "id") as? String }.joined()
    }

    private static let table: [(format: String, users: String)] = [
        ("age > 18", "234"), ("age < 18", "5"), ("age == 18", "1"), ("age = 18", "1"), ("age >= 18", "1234"), ("age <= 18", "15"),
        ("age != 18", "23456"), ("id=='1'", "1"), ("id==\"1\"", "1"),
        ("name IN {'张三','李四'}", "12"), ("NOT name IN {'张三','李四'}", "3456"), ("age IN {17, 66, 100}", "45"),
        ("age BETWEEN {18,65}", "123"), ("age BETWEEN {65,18}", ""),
        ("name BEGINSWITH '张'", "14"), ("name BEGINSWITH '三'", ""),
        ("name ENDSWITH '三'", "13"), ("name ENDSWITH '丰'", "4"),
        ("name CONTAINS '三'", "134"), ("name CONTAINS '张三'", "14"),
        ("name LIKE '*三'", "13"), ("name LIKE '?三'", "13"), ("name LIKE '?三?'", "4"), ("name LIKE '*三*'", "134"), ("name LIKE '三'", ""),
        ("name MATCHES '(张|李).'", "12"), ("name MATCHES '[张李].+'", "124"), ("name MATCHES '张'", ""), ("name MATCHES '.*三$'", "13"),
    ]

    @Test("The table of operators", arguments: TestStore.allCases)
    func operators(_ store: TestStore) throws {
        let context = try users(store)
        for (format, users) in Self.table {
            #expect(try found(QueryPredicate(format: format), context) == users, "\(format)")
        }
    }

    @Test("The table of operators with its values as arguments", arguments: TestStore.allCases)
    func operatorsWithArguments(_ store: TestStore) throws {
        let context = try users(store)
        #expect(try found(QueryPredicate(format: "%K > %d", "age", 18), context) == "234")
        #expect(try found(QueryPredicate(format: "id==%@", "1"), context) == "1")
        #expect(try found(QueryPredicate(format: "name IN %@", ["张三", "李四"]), context) == "12")
        #expect(try found(QueryPredicate(format: "age BETWEEN %@", [18, 65]), context) == "123")
        #expect(try found(QueryPredicate(format: "age BETWEEN {%d, %d}", 18, 65), context) == "123")
        #expect(try found(QueryPredicate(format: "name LIKE %@", "*三"), context) == "13")
        #expect(try found(QueryPredicate(format: "name LIKE '%@'", "*三"), context) == "", "a placeholder in quotes is text")
        #expect(try found(QueryPredicate(format: "name MATCHES %@", "(张|李)."), context) == "12")
    }

    @Test("An argument without a placeholder is passed over, as in the query helper", arguments: TestStore.allCases)
    func helper(_ store: TestStore) throws {
        let context = try users(store)
        func query(_ text: String) throws -> String { try found(QueryPredicate(format: text, ""), context) }
        #expect(try query("id == '2'") == "2")
        #expect(try query("age > 18 AND name CONTAINS '三'") == "34")
        #expect(throws: QueryFormatError.self) { try query("id == 张三'") }
    }

    @Test("Pages of ten, sorted by age downward and then by ID", arguments: TestStore.allCases)
    func pages(_ store: TestStore) throws {
        let context = try users(store, (10..<35).map { ["id": .string("\($0)"), "age": .int(Int64($0 % 3))] })
        func page(_ number: Int) throws -> [String] {
            let request = ObjectFetchRequest<ManagedObject>(
                entityName: "User", sort: [QuerySort("age", ascending: false), QuerySort("id")], limit: 10, offset: number * 10)
            return try context.fetch(request).compactMap { try $0.value(forKey: "id") as? String }
        }
        #expect(try page(0) == ["11", "14", "17", "20", "23", "26", "29", "32", "10", "13"])
        #expect(try page(1) == ["16", "19", "22", "25", "28", "31", "34", "12", "15", "18"])
        #expect(try page(2) == ["21", "24", "27", "30", "33"])
        #expect(try page(3).isEmpty)
    }

    @Test("A count is of what a condition finds, changes of the context included", arguments: TestStore.allCases)
    func count(_ store: TestStore) throws {
        let context = try users(store)
        func count(_ predicate: QueryPredicate?) throws -> Int {
            try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "User", predicate))
        }
        #expect(try count(nil) == 6)
        #expect(try count(QueryPredicate(format: "name BEGINSWITH '张'")) == 2)
        #expect(try count(QueryPredicate(format: "name = nil")) == 1)
        #expect(try count(QueryPredicate(format: "FALSEPREDICATE")) == 0)
        let user = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "User", key("id") == "1"))[0]
        try user.setValue("王五", forKey: "name")
        #expect(try count(QueryPredicate(format: "name BEGINSWITH '张'")) == 1)
    }

    // MARK: - IDs of a relationship

    @Test("Objects of a relationship's IDs come 100 at a time", arguments: TestStore.allCases)
    func relationshipIDs(_ store: TestStore) throws {
        let model = try ManagedObjectModel {
            Entity("Warehouse") { Relationship("goods", to: "Good", inverse: "warehouse", .toMany) }
            Entity("Good", attributes: ["name": .string], relationships: ["warehouse": .toOne("Warehouse.goods")])
        }
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path)])
        let writer = ManagedObjectContext(container.coordinator)
        let warehouse = try writer.insert("Warehouse")
        for number in 0..<300 {
            let good = try writer.insert("Good", ["name": "\(1000 + number)"])
            if number < 250 { try good.setValue(warehouse, forKey: "warehouse") }
        }
        try writer.save()

        let coordinator = RecordingCoordinator(container.coordinator)
        let context = ManagedObjectContext(coordinator)
        let ids = try context.object(with: warehouse.objectID).objectIDs(forRelationshipNamed: "goods")
        #expect(ids.count == 250)
        #expect(Set(ids).count == 250)
        #expect(coordinator.seen.fetches == 0, "IDs need no rows of the objects")
        #expect(coordinator.seen.rowRequests == 0, "IDs need no rows of the objects")
        var request = ObjectFetchRequest<ManagedObject>(
            entityName: "Good", try QueryPredicate(format: "SELF IN %@", ids), sort: [QuerySort("name")])
        request.fetchBatchSize = 100
        let goods = try context.fetchLazily(request)
        let before = coordinator.seen.reads
        var names: [String?] = []
        for good in goods { names.append(try good.value(forKey: "name") as? String) }
        let isWhole = names == (0..<250).map { "\(1000 + $0)" }
        #expect(isWhole)
        #expect(coordinator.seen.reads - before == 3)
    }

    // MARK: - Compound conditions

    private func notes(_ store: TestStore) throws -> (context: ManagedObjectContext, note: ManagedObject) {
        let model = try ManagedObjectModel {
            Entity("Memo") {
                Attribute("id", .string)
                Attribute("star", .boolean, default: false)
                Relationship("itemData", to: "ItemData", inverse: "memo")
            }
            Entity("ItemData") { Relationships(["memo": .toOne("Memo.itemData"), "item": .toOne("Item.data")]) }
            Entity("Item") {
                Attributes(["name": .string, "content": .string])
                Relationships(["data": .toOne("ItemData.item"), "note": .toOne("Note.items")])
            }
            Entity("Note") { Relationship("items", to: "Item", inverse: "note", .toMany) }
        }
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path)])
        let context = ManagedObjectContext(container.coordinator)
        let note = try context.insert("Note")
        let memos: [(name: String?, content: String?, star: Bool, hasNote: Bool)] = [
            ("Crème brûlée", "dessert", true, true), ("soup", "with CREME fraîche", false, true), ("bread", nil, true, false),
            (nil, "a crème", true, false), ("Crepe", "100%", false, false),
        ]
        for (index, line) in memos.enumerated() {
            let item = try context.insert("Item", ["name": line.name, "content": line.content, "note": line.hasNote ? note : nil])
            let data = try context.insert("ItemData", ["item": item])
            try context.insert("Memo", ["id": "\(index + 1)", "star": line.star, "itemData": data])
        }
        try context.insert("Memo", ["id": "6", "star": true])  // leads nowhere
        try context.save()
        return (context, note)
    }

    @Test("Conditions put together from parts", arguments: TestStore.allCases)
    func compound(_ store: TestStore) throws {
        let (context, note) = try notes(store)
        func found(_ parts: QueryPredicate...) throws -> String {
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Memo", .and(parts), sort: [QuerySort("id")]))
                .compactMap { try $0.value(forKey: "id") as? String }.joined()
        }
        let text = try QueryPredicate(
            format: "itemData.item.name contains[cd] %@ OR itemData.item.content contains[cd] %@", "creme", "creme")
        let starred = try QueryPredicate(format: "star = TRUE")
        let without = try QueryPredicate(format: "itemData.item.note = nil")
        let with = try QueryPredicate(format: "itemData.item.note = %@", note)
        #expect(try found() == "123456")
        #expect(try found(text) == "124")
        #expect(try found(starred) == "1346")
        #expect(try found(QueryPredicate(format: "star = false")) == "25")
        #expect(try found(without) == "3456")
        #expect(try found(with) == "12")
        #expect(try found(text, starred) == "14", "the OR of a part stays together")
        #expect(try found(text, starred, without) == "4")
        #expect(try found(text, with) == "12")
        #expect(try found(.or([text, starred]), .not(with)) == "346")
        #expect(try found(QueryPredicate(format: "itemData.item.name = %@", "soup")) == "2")
        #expect(try found(QueryPredicate(format: "itemData.item.content contains[cd] %@", "0%")) == "5")
    }
}

extension ManagedObjectContext {
    /// A new object with values.
    @discardableResult
    fileprivate func insert(_ name: String, _ values: [String: Any?] = [:]) throws -> ManagedObject {
        let object = try ManagedObject(entity: #require(model.entity(named: name)), insertInto: self)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }
}
