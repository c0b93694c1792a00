import FoundationEssentials
import Strata
import StrataStore
import StrataTestModels

/// Batch updates and deletions of odd data: whether a store does one by itself or the core does it, the outcome is the
/// same, to the message of an error.
enum BatchOutcomeCases {
    private static let model = ModelResult.declared {
        Entity("Thing") {
            Attribute("n", .integer64).required
            Attribute("small", .integer16)
            Attribute("medium", .integer32, default: 0).required
            Attributes(["large": .integer64, "real": .double])
            Attribute("sure", .double, default: 1).required
            Attributes([
                "single": .float, "day": .date, "text": .string, "word": .string, "flag": .boolean, "price": .decimal,
                "tag": .uuid, "link": .uri, "bytes": .binary,
            ])
            Relationship("owner", to: "Owner", inverse: "things")
            Unique("n")
            Unique("word")
            FetchIndex("bySmall", on: "small")
        }
        Entity("Toy", parent: "Thing") {
            Attribute("extra", .integer32)
            Unique("extra")
        }
        Entity("Owner", attributes: ["name": .string], relationships: ["things": .toMany("Thing.owner")])
    }

    private static let rows: [[String: Value]] = {
        let texts: [Value] = ["", "a", "A", "\u{E9}", "e\u{301}", "a\u{0}b", "ß", "x'y\"z", .null]
        let reals: [Value] = [0, -0.0, 1.5, 1e308, .double(.infinity), .double(-.infinity), .double(.nan), .null]
        let smalls: [Value] = [0, 1, -1, 32767, -32768, .null, 7]
        let larges: [Value] = [0, 3, .int(.max), .int(.min), 65536, .null]
        return (0..<48).map { index in
            func every(_ step: Int, _ value: Value) -> Value { index % step == 0 ? .null : value }
            let seconds = index % 11 == 0 ? Double.nan : Double(index)
            let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(index)))
            var values: [String: Value] = ["n": .int(Int64(index)), "medium": .int(Int64(index * 3)), "sure": .double(Double(index) / 4)]
            values["small"] = smalls[index % smalls.count]
            values["large"] = larges[index % larges.count]
            values["real"] = reals[index % reals.count]
            values["single"] = every(5, .double(Double(index) / 3))
            values["text"] = texts[index % texts.count]
            values["word"] = every(3, .string("w\(index)"))
            values["flag"] = every(4, .bool(index % 2 == 0))
            values["day"] = every(7, .date(Date(timeIntervalSinceReferenceDate: seconds)))
            values["price"] = every(6, .decimal(Decimal(index) / 8))
            values["tag"] = every(2, .uuid(uuid))
            values["bytes"] = every(2, .data(Data([UInt8(index), 0, 255])))
            return values
        }
    }()

    private static func sum(_ path: String, _ value: Value) -> QueryExpression { .function(.add, [key(path), .constant(value)]) }

    private static let updates: [[String: QueryExpression]] = [
        ["small": sum("small", 1)], ["small": key("large")], ["small": .constant(5), "medium": key("small")],
        ["small": .function(.modulus, [key("large"), .constant(3)])], ["medium": .function(.multiply, [key("medium"), key("n")])],
        ["large": sum("large", 1)], ["large": .function(.multiply, [key("large"), .constant(2)])],
        ["large": .function(.divide, [key("n"), key("small")])], ["large": .function(.negate, [key("large")])],
        ["large": .function(.length, [key("text")])], ["large": key("real")], ["large": key("flag")],
        ["real": sum("real", 1)], ["real": .function(.multiply, [key("real"), .constant(0)])],
        ["real": key("large"), "small": sum("n", 0)],
        ["real": .function(.subtract, [key("real"), key("real")])], ["real": sum("small", 0.5)], ["real": key("single")],
        ["real": .function(.subtract, [key("day"), key("day")])], ["real": .function(.squareRoot, [key("real")])],
        ["sure": key("real")], ["sure": .function(.divide, [key("sure"), key("small")])], ["sure": sum("sure", 60)], ["sure": key("small")],
        ["single": key("real")], ["single": .constant(0.1)], ["day": sum("day", 60)], ["day": sum("day", .double(.infinity))],
        ["day": key("day")], ["text": .function(.uppercase, [key("text")])], ["text": key("word"), "word": key("text")],
        ["text": .constant("it's \"q\" \u{0} é")], ["text": .constant(.null), "flag": .constant(true), "real": .constant(.double(.nan))],
        ["flag": key("flag")], ["flag": key("small")], ["price": key("price")], ["price": .constant(.decimal(Decimal(1) / 3))],
        ["tag": .constant("0F0E0D0C-0B0A-0908-0706-050403020100")], ["link": .constant("https://example.org/?a=b")],
        ["bytes": .constant(.data(Data([1, 0, 2])))], ["n": sum("n", 1)], ["n": .function(.subtract, [.constant(47), key("n")])],
        ["n": sum("n", 1000)], ["word": .constant("w1")], ["word": .constant("new")], ["word": .constant(.null)], ["n": key("small")],
        ["medium": .function(.multiply, [key("owner.things.@count"), .constant(2)])], ["text": key("owner.name")],
        ["medium": .conditional(key("real") > 0, .constant(1), .constant(2))], ["owner": .constant(.null), "small": .constant(1)],
    ]

    private static let predicates: [QueryPredicate?] = [
        nil, key("small") > 0, key("n") == 20, key("n") < 4, key("real") != nil, !(key("real") > 0), key("text") == "e\u{301}",
        key("text").contains("A", .caseInsensitive), key("owner.name") == "o1", key("n") > 100,
        .comparison(QueryComparison(.keyPath("owner.things.n"), .greater, .constant(44), modifier: .any)),
        key("n").isIn((0..<30).map { .int($0) }), key("day") > .date(Date(timeIntervalSinceReferenceDate: 20)), key("word") == nil,
        key("owner") == nil,
    ]

    /// A store that requests are put to, with the same objects before each.
    private final class Subject {
        let stack: ConformanceStack
        /// What filling leaves, and what the last request left.
        private var (filled, left): ([String], [String]) = ([], [])

        init(_ environment: ConformanceEnvironment) throws { stack = try environment.stack(model) }

        /// Fills the store where it is new, or where the last request changed it.
        func prepare() throws {
            if !filled.isEmpty, left == filled { return }
            try fill()
            if filled.isEmpty { filled = try contents() }
        }

        /// Returns the contents after a request.
        func contentsAfterwards() throws -> [String] {
            left = try contents()
            return left
        }

        private func fill() throws {
            let coordinator = stack.coordinator
            for entity in ["Thing", "Owner"] { _ = try coordinator.execute(BatchDeleteRequest(entityName: entity)) }
            _ = try coordinator.execute(BatchInsertRequest(entityName: "Thing", objects: rows[..<36]))
            _ = try coordinator.execute(BatchInsertRequest(entityName: "Toy", objects: rows[36...]))
            // A context that lived on would merge every request that follows.
            let context = ManagedObjectContext(coordinator)
            let owners = try ["o0", "o1"].map { try context.add("Owner", $0) }
            for (index, thing) in try context.all("Thing", key("small") != nil, sort: [QuerySort("n")]).enumerated()
            where index % 3 != 0 {
                try thing.setValue(owners[index % 2], forKey: "owner")
            }
            try context.save()
        }

        /// Everything about the objects but their references.
        private func contents() throws -> [String] {
            let entity = try unwrap(stack.coordinator.model.entity(named: "Thing"))
            guard case .rows(let fetched) = try stack.coordinator.fetch(FetchPlan(entity), affectedStores: nil) else {
                throw ConformanceFailure("no rows")
            }
            return fetched.rows.enumerated().map { index, row in
                let own = stack.coordinator.model.entities[row.entityIndex]
                let values = own.attributes.compactMap { attribute in
                    attribute.slot.map { "\(attribute.name): \(row.value($0, attribute.slotKind))" }
                }
                let owner = row.values(in: own, fetched.scopes(ofRowAt: index))["owner"] ?? .null
                return "\(own.name) v\(row.version) \(owner.isNull ? "free" : "owned") \(values.joined(separator: ", "))"
            }
        }
    }

    /// What a request comes to: its result, or its error, and what is in the store then.
    private static func outcome(_ subject: Subject, _ request: (PersistentStoreCoordinator) throws -> BatchResult) throws -> [String] {
        try subject.prepare()
        let stack = subject.stack
        let entity = try unwrap(stack.coordinator.model.entity(named: "Thing"))
        guard case .ids(let ids) = try stack.coordinator.fetch(FetchPlan(entity, .references), affectedStores: nil) else {
            throw ConformanceFailure("no IDs")
        }
        let indexes = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        func named(_ ids: [ObjectID]) -> String { ids.map { indexes[$0].map(String.init) ?? "?" }.joined(separator: " ") }
        var lines: [String]
        do {
            let result = try request(stack.coordinator)
            lines = [
                "\(result.resultType) \(result.count): \(named(result.objectIDs))",
                "updated \(named(result.changes.updated)) deleted \(named(result.changes.deleted))",
            ]
        } catch let error as SaveConflictError {
            lines = ["conflict \(error.cocoaCode)"]
        } catch let error as StoreError {
            lines = ["\(error.code) \(error.key ?? "")"]
        }
        return lines + (try subject.contentsAfterwards())
    }

    private static func compare(
        _ subject: Subject, _ what: @autoclosure () -> String, _ request: (PersistentStoreCoordinator, _ inCore: Bool) throws -> BatchResult
    ) throws {
        let (byStore, inCore) = (try outcome(subject) { try request($0, false) }, try outcome(subject) { try request($0, true) })
        if byStore == inCore { return }
        let index = zip(byStore, inCore).enumerated().first { $1.0 != $1.1 }?.offset ?? min(byStore.count, inCore.count)
        throw ConformanceFailure(
            "\(what()): by the store \(byStore[safe: index] ?? "nothing"), in the core \(inCore[safe: index] ?? "nothing")")
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Batch updates of odd values come to the same by the store and in the core", in: .batches) { environment in
            let subject = try Subject(environment)
            for (index, values) in updates.enumerated() {
                for turn in 0..<3 where Effort.isSoak || turn == index % 3 {
                    let predicate = predicates[(index * 5 + turn * 4) % predicates.count]
                    var update = BatchUpdateRequest(entityName: index % 9 == 8 ? "Toy" : "Thing", predicate, set: values)
                    update.includesSubentities = (index + turn) % 4 != 3
                    update.resultType = [.count, .objectIDs, .statusOnly][turn]
                    try compare(subject, "\(values) where \(predicate?.description ?? "all")") { coordinator, inCore in
                        update.isCarriedOutInCore = inCore
                        return try coordinator.execute(update)
                    }
                }
            }
        }
        ConformanceCase("Batch deletions come to the same by the store and in the core", in: .batches) { environment in
            let subject = try Subject(environment)
            for (index, predicate) in predicates.enumerated() {
                for turn in 0..<4 where Effort.isSoak || turn % 2 == index % 2 {
                    var delete = BatchDeleteRequest(
                        entityName: turn == 3 ? "Toy" : "Thing", predicate, sort: turn == 1 ? [QuerySort("real"), QuerySort("n")] : [],
                        limit: turn > 1 ? 7 : nil, offset: turn == 2 ? 2 : 0, includesSubentities: index % 3 != 2)
                    delete.resultType = (index + turn) % 2 == 0 ? .objectIDs : .count
                    try compare(subject, "deletion \(turn) where \(predicate?.description ?? "all")") { coordinator, inCore in
                        delete.isCarriedOutInCore = inCore
                        return try coordinator.execute(delete)
                    }
                }
            }
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
