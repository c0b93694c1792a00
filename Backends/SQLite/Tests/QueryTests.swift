import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore
import StrataTestModels
import StrataTestRandom
import StrataText
import Testing

@testable import StrataSQLite

@Suite("What SQL decides")
struct QueryTests {
    private let model: ManagedObjectModel
    private let sandbox: Sandbox
    private let store: any StoreBackend
    private let rows: [Row]
    private let item: EntityDescription

    init() throws {
        model = try ManagedObjectModel {
            Entity("Item") {
                Attributes([
                    "s": .string, "t": .string, "i": .integer64, "j": .integer32, "d": .double, "b": .boolean, "n": .decimal,
                    "w": .date, "u": .uuid, "x": .binary,
                ])
                Attribute("e", .binary).externalStorage
                Relationships(["parent": .toOne("Item.children"), "children": .toMany("Item.parent")])
                FetchIndex("byI", on: "i")
                FetchIndex("byS", on: "s")
            }
            Entity("Special", parent: "Item") { Attribute("extra", .string) }
        }
        sandbox = try Sandbox()
        store = try open(sandbox.path(), model)
        item = try #require(model.entity(named: "Item"))
        var generator = SeededGenerator(seed: 42)
        var changes = ChangeSet()
        let texts: [Value] = [
            .null, "", "a", "A", "ab", "abc", "ä", "a\u{308}", "b\u{0}c", "zz", "\u{10FFFF}", "\u{10FFFF}a", "100%", "a*b?", "aXb",
        ]
        let doubles: [Value] = [.null, .double(.nan), .double(.infinity), .double(-.infinity), -1.5, 0, 0.5, 1, 2, 1e300]
        for reference in 1...120 {
            var values: [String: Value] = [
                "s": generator.pick(texts), "t": generator.pick(texts), "i": generator.pick([.null, 0, 1, 2, 3, .int(.max), .int(.min)]),
                "j": generator.pick([.null, 0, 1, 2, 3, -1]), "d": generator.pick(doubles), "b": generator.pick([.null, true, false]),
                "n": generator.pick([.null, .decimal(1), .decimal(try #require(Decimal(string: "1234567890.123456789"))), .decimal(.nan)]),
                "x": generator.pick([.null, .data(Data()), .data(Data([1])), .data(Data([1, 2]))]),
                "e": generator.pick([.null, .data(Data()), .data(Data([1]))]),
                "parent": generator.pick([.null, 1, 2, 3, 4, 5, 6, 7, 8, 9999]), "extra": generator.pick(texts),
            ]
            if let index = [1, 2, 3].randomElement(using: &generator) {
                values["u"] = .uuid(UUID(uuid: (UInt8(index), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
            }
            if case .double(let seconds)? = values["d"] { values["w"] = .date(Date(timeIntervalSinceReferenceDate: seconds)) }
            let entity = reference % 3 == 0 ? "Special" : "Item"
            values["parent.entity"] = "Item"
            changes.inserted.append(try row(model, entity, Int64(reference), values))
        }
        rows = changes.inserted
        #expect(try store.save(changes).isEmpty)
    }

    private func comparisons() -> [QueryPredicate] {
        let id = ObjectIDScopes(model: model, storeID: store.id)
        let foreign = ObjectIDScopes(model: model, storeID: "elsewhere")
        let temporary = ObjectIDScopes(model: model, storeID: nil)
        let objects: [Value] = [
            .null, .objectID(ObjectID(scope: id[0], reference: 3)), .objectID(ObjectID(scope: foreign[0], reference: 3)),
            .objectID(ObjectID(scope: temporary[0], reference: -3)),
        ]
        let constants: [(String, [Value])] = [
            ("s", [.null, "", "a", "A", "ab", "\u{10FFFF}", "b\u{0}c", "*b?", "ä"]), ("parent.s", [.null, "a", "zz"]),
            ("i", [.null, 0, 2, 2.5, .int(.max), 1e19, .double(.nan)]), ("j", [1, 1.0, -7]), ("parent.i", [.null, 1]),
            ("d", [.null, 0, 0.5, .double(.nan), .double(.infinity), .double(-.infinity)]), ("parent.d", [.null, 0.5]),
            ("b", [.null, true, false]), ("n", [.null, 1, .decimal(.nan)]),
            ("w", [.null, .date(Date(timeIntervalSinceReferenceDate: 0.5))]),
            ("u", [.null, .uuid(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))]),
            ("x", [.null, .data(Data()), .data(Data([1]))]), ("e", [.null, .data(Data()), .data(Data([1]))]),
            ("parent", objects), ("parent.parent", objects), ("SELF", objects),
        ]
        var found: [QueryPredicate] = []
        for (path, values) in constants {
            for op in QueryComparison.Operator.allCases {
                for options in [[], .caseInsensitive, .diacriticInsensitive] as [QueryComparison.Options] {
                    switch op {
                    case .isIn:
                        for count in 0...values.count {
                            found.append(.comparison(.init(key(path), op, .constant(.list(Array(values.prefix(count)))), options)))
                            found.append(.comparison(.init(key(path), op, .constant(.list(Array(values.suffix(count)))), options)))
                        }
                    case .between:
                        for low in values {
                            for high in values { found.append(.comparison(.init(key(path), op, .constant(.list([low, high])), options))) }
                        }
                    default: found += values.map { .comparison(.init(key(path), op, .constant($0), options)) }
                    }
                }
            }
        }
        for (a, b) in [
            ("s", "t"), ("s", "parent.s"), ("i", "j"), ("d", "parent.d"), ("parent", "SELF"), ("parent", "parent.parent"), ("i", "d"),
            ("w", "w"), ("u", "parent.u"), ("b", "b"), ("n", "n"),
        ] {
            for op in QueryComparison.Operator.allCases { found.append(.comparison(.init(key(a), op, key(b)))) }
        }
        return found
    }

    private func check(_ predicate: QueryPredicate, _ entity: EntityDescription) throws -> Bool {
        guard let resolved = try? predicate.resolved(for: entity, in: model) else { return false }
        let test = RowPredicate(resolved)
        var plan = FetchPlan(entity)
        plan.predicate = resolved
        let expected = try store.read { reader in
            try rows.filter { try entity.hierarchy.contains($0.entityIndex) && test.passes($0, reader) }.map(\.reference)
        }
        #expect(try store.fetch(plan).map(\.reference) == expected, "\(predicate)")
        plan.result = .count
        let count = try store.read { reader in
            switch try reader.execute(plan) {
            case .count(let count): return count
            case .rows(let rows, let remainder):
                guard case .count(let count) = try PlanEvaluator.finish(plan, rows, remainder: remainder, with: reader) else { return -1 }
                return count
            default: return -1
            }
        }
        #expect(count == expected.count, "\(predicate)")
        return true
    }

    @Test("Every comparison, and its negation, finds what the core finds")
    func comparisonsAgree() throws {
        var count = 0
        for predicate in comparisons() where try check(predicate, item) {
            _ = try check(!predicate, item)
            count += 1
        }
        #expect(count > 700)
    }

    @Test("Combinations find what the core finds", arguments: 0..<8)
    func combinationsAgree(seed: UInt64) throws {
        let parts = comparisons().filter { (try? $0.resolved(for: item, in: model)) != nil }
        var generator = SeededGenerator(seed: seed)
        func tree(_ depth: Int, _ generator: inout SeededGenerator) -> QueryPredicate {
            if depth == 0 { return generator.pick(parts) }
            let children = (0..<Int(generator.next() % 3) + 1).map { _ in tree(depth - 1, &generator) }
            switch generator.next() % 4 {
            case 0: return .and(children)
            case 1: return .or(children)
            case 2: return .not(children[0])
            default: return .constant(generator.next() % 2 == 0)
            }
        }
        let special = try #require(model.entity(named: "Special"))
        for _ in 0..<100 { #expect(try check(tree(3, &generator), generator.next() % 3 == 0 ? special : item)) }
    }

    @Test("Long lists find what the core finds", arguments: [1000, 16_384, 16_385, 40_000])
    func longLists(count: Int) throws {
        #expect(try check(key("i").isIn((0..<count).map { .int(Int64($0) - 5) }), item))
        #expect(try check(!key("s").isIn((0..<count).map { .string(String($0)) } + ["a"]), item))
        let scopes = ObjectIDScopes(model: model, storeID: store.id)
        #expect(try check(key("parent").isIn((3..<count).map { .objectID(ObjectID(scope: scopes[0], reference: Int64($0))) }), item))
    }

    @Test("Conditions beyond SQLite's limits find what the core finds")
    func limits() throws {
        #expect(try check(.or((0..<3000).map { key("i") == .int(Int64($0)) }), item))
        let lists = (0..<3).map { offset in key("i").isIn((0..<16_000).map { .int(Int64($0 * 3 + offset)) }) }
        #expect(try check(.or(lists), item))
        #expect(try check(.and(lists.map { !$0 }), item))
        var deep = key("i") == 1
        for level in 0..<120 { deep = level % 2 == 0 ? .or([deep, key("j") == 9]) : .and([deep, key("j") != 77]) }
        #expect(try check(deep, item))
        var path = "s"
        for _ in 0..<80 { path = "parent." + path }
        #expect(try check(key(path) == nil, item))
    }

    @Test("Every order is the core's", arguments: ["s", "i", "d", "b", "n", "w", "u", "x", "e", "parent.s", "parent.d", "parent", "SELF"])
    func orders(path: String) throws {
        for ascending in [true, false] {
            for options in [[], .caseInsensitive] as [QueryComparison.Options] {
                for (limit, offset) in [(nil, 0), (7, 0), (7, 11), (nil, 100), (0, 0), (5, 500)] as [(Int?, Int)] {
                    var plan = FetchPlan(item)
                    plan.sort = [try ResolvedSort(QuerySort(path, ascending: ascending, options), of: item, in: model)]
                    if path == "b" { plan.sort.append(try ResolvedSort(QuerySort("d", ascending: !ascending), of: item, in: model)) }
                    plan.limit = limit
                    plan.offset = offset
                    plan.predicate = try key("s").contains("a").resolved(for: item, in: model)
                    let found = try store.fetch(plan).map(\.reference)
                    let expected = try store.read { reader in
                        guard
                            case .rows(let all, _) = try PlanEvaluator.finish(
                                plan,
                                rows,
                                remainder: Remainder(predicate: plan.predicate, needsSort: true, needsSlice: true),
                                with: reader
                            )
                        else { return [Int64]() }
                        return all.map(\.reference)
                    }
                    #expect(found == expected, "\(path) \(ascending) \(String(describing: limit)) \(offset)")
                    plan.result = .references
                    let references = try store.read { reader in
                        switch try reader.execute(plan) {
                        case .references(let references): return references
                        case .rows(let rows, let remainder):
                            guard case .references(let finished) = try PlanEvaluator.finish(plan, rows, remainder: remainder, with: reader)
                            else {
                                return []
                            }
                            return finished
                        default: return []
                        }
                    }
                    #expect(references.map(\.reference) == expected)
                    #expect(references.allSatisfy { $0.entity == rows[Int($0.reference) - 1].entityIndex })
                }
            }
        }
    }

    @Test("Groups and aggregates are the core's")
    func groups() throws {
        let paths = ["i", "j", "d", "s", "b", "w", "u", "parent", "parent.s", "parent.i", "n"]
        let functions: [GroupPlan.Function] = [.count, .sum, .average, .min, .max]
        for key in [nil] + paths.filter({ $0 != "w" }).map(Optional.some) {
            for path in [nil] + paths.map(Optional.some) {
                for predicate in [nil, StrataQuery.key("i") < 3, StrataQuery.key("d") < 100] as [QueryPredicate?] {
                    for function in path == nil ? [.count] : functions {
                        let grouping = GroupPlan(
                            keys: try key.map { [.path(try PropertyPath($0, of: item, in: model))] } ?? [],
                            aggregates: [.init(function, try path.map { .path(try PropertyPath($0, of: item, in: model)) })]
                        )
                        var plan = FetchPlan(item, .groups(grouping))
                        plan.predicate = try predicate?.resolved(for: item, in: model)
                        let (found, expected) = try store.read { reader in
                            guard
                                case .groups(let expected) = try PlanEvaluator.finish(
                                    plan,
                                    rows,
                                    remainder: Remainder(predicate: plan.predicate),
                                    with: reader
                                )
                            else { return ([Group](), [Group]()) }
                            switch try reader.execute(plan) {
                            case .groups(let groups): return (groups, expected)
                            case .rows(let rows, let remainder):
                                guard case .groups(let groups) = try PlanEvaluator.finish(plan, rows, remainder: remainder, with: reader)
                                else {
                                    return ([], expected)
                                }
                                return (groups, expected)
                            default: return ([], expected)
                            }
                        }
                        func text(_ groups: [Group]) throws -> [String] {
                            try groups.map { group in "\(group.keys) \(try group.partials.map { try $0.value(of: function) })" }.sorted()
                        }
                        #expect(try text(found) == text(expected), "\(function) \(path ?? "-") by \(key ?? "-")")
                    }
                }
            }
        }
    }

    @Test("Rows come by reference, each once, the missing ones left out")
    func rowsByReference() throws {
        let wanted = (0..<3000).map { Int64($0 % 200) }
        let found = try store.read { try $0.rows(root: item.index, references: wanted) }
        #expect(found.map(\.reference).sorted() == Array(1...120))
    }

    @Test(
        "A prefix, a range and a to-one comparison use their indexes",
        arguments: [
            key("s").beginsWith("a"), key("i") == 2, key("i") > 1 && key("d") > 0, key("parent") == nil,
        ]
    )
    func indexes(predicate: QueryPredicate) throws {
        var plan = FetchPlan(item)
        plan.includesSubentities = false
        plan.predicate = try predicate.resolved(for: item, in: model)
        let steps = try store.read { reader in
            let reader = try #require(reader as? SQLiteReader)
            let table = try #require(reader.store.schema.table(of: item))
            let statement = try reader.connection.prepare(reader.store.compile(plan, table).sql.text)
            return try reader.connection.queryPlan(of: statement)
        }
        #expect(steps.count == 1)
        #expect(steps.first?.contains("USING INDEX") == true, "\(steps)")
        #expect(steps.first?.contains("Z_ENT") == false, "\(steps)")
    }
}
