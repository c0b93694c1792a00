import FoundationEssentials
import Strata
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: the server's answers are the core's", .server)
struct SameAnswerTests {
    let scratch: Scratch
    let model: ManagedObjectModel
    let store: any StoreBackend
    let item: EntityDescription

    /// A store with items of every unusual value.
    init() throws {
        scratch = try Scratch()
        model = try ManagedObjectModel {
            Entity("Item") {
                Attributes([
                    "number": .integer64, "other": .integer64, "rate": .double, "ratio": .double, "born": .date, "died": .date,
                    "name": .string, "title": .string, "token": .uuid, "flag": .boolean, "link": .uri,
                ])
                Relationships(["parent": .toOne("Item.children"), "children": .toMany("Item.parent")])
            }
        }
        let description = scratch.description
        store = try openStore(description, model: model)
        item = try #require(model.entity(named: "Item"))
    }

    private func insert(_ items: [[String: Value]]) throws {
        var changes = ChangeSet()
        let transaction = try store.beginWrite()
        let first = try transaction.reserveReferences(items.count, root: item.root)
        for (index, values) in items.enumerated() {
            var writer = RowWriter()
            writer.begin(item, reference: first + Int64(index), version: 1)
            for (key, value) in values {
                guard let attribute = item.attribute(named: key), let slot = attribute.slot else { continue }
                writer.set(value, at: slot, attribute.slotKind)
            }
            if index > 0, let parent = item.relationship(named: "parent"), case .toOne(let slot, _, _) = parent.storage {
                writer.set(integer: first + Int64(index / 3), at: slot)
            }
            changes.inserted.append(writer.finish())
        }
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
    }

    private static let numbers: [Int64] = [0, 1, -1, 7, -7, 1 << 53, (1 << 53) + 1, .max, .min, 100]
    private static let rates: [Double] = [
        0, -0.0, 1, -1.5, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 0x1p53, 2.5,
    ]
    private static let texts = [
        "", "a", "A", "ab", "aB%", "a_b", "é", "e\u{301}", "ß", "SS", "a\\b", "K\u{212A}", "\u{FFFF}", "😀", "straße",
    ]

    private static let tokens = [UInt8(0), 1, 200].map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)) }

    private static let links = ["https://a.example", "https://a.example/%20b", "mailto:b@a.example"]

    private func items(_ count: Int, isOrdinary: Bool) -> [[String: Value]] {
        var state: UInt64 = 88_172_645_463_325_252
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        func pick<T>(_ values: [T], _ value: (T) -> Value) -> Value {
            next(6) == 0 ? .null : value(values[next(isOrdinary ? min(5, values.count) : values.count)])
        }
        return (0..<count).map { _ in
            [
                "number": pick(SameAnswerTests.numbers) { .int($0) }, "other": pick(SameAnswerTests.numbers) { .int($0) },
                "rate": pick(SameAnswerTests.rates) { .double($0) }, "ratio": pick(SameAnswerTests.rates) { .double($0) },
                "born": pick(SameAnswerTests.rates) { .date(Date(timeIntervalSinceReferenceDate: $0)) },
                "died": pick(SameAnswerTests.rates) { .date(Date(timeIntervalSinceReferenceDate: $0)) },
                "name": pick(SameAnswerTests.texts) { .string($0) }, "title": pick(SameAnswerTests.texts) { .string($0) },
                "flag": pick([true, false]) { .bool($0) }, "token": pick(SameAnswerTests.tokens) { .uuid($0) },
                "link": pick(SameAnswerTests.links) { URL(string: $0).map { .url($0) } ?? .null },
            ]
        }
    }

    private static let operators = ["==", "!=", "<", "<=", ">", ">="]
    private static let pairs = [
        ("number", "other"), ("rate", "ratio"), ("number", "rate"), ("born", "died"), ("name", "title"), ("number + other", "other"),
        ("number * 3", "100"), ("number - other", "2.5"), ("number / other", "1"), ("rate + ratio", "ratio"), ("rate * ratio", "0"),
        ("rate / ratio", "number"), ("rate - ratio", "nil"), ("number + 1", "nil"), ("rate / ratio", "nil"), ("died - born", "0"),
        ("number", "parent.number"), ("parent.rate", "rate"), ("abs:(number)", "7"), ("floor:(rate)", "rate"), ("-number", "other"),
        ("bitwiseAnd:with:(number, 3)", "1"), ("leftshift:by:(number, 2)", "4"), ("sqrt:(rate)", "1"), ("length:(name)", "2"),
        ("children.@max.number", "number"), ("children.@sum.number", "7"), ("children.@avg.number", "1"), ("children.@min.rate", "rate"),
        ("children.@max.rate", "1"), ("children.@min.name", "name"), ("children.@max.flag", "flag"), ("children.@sum.rate", "1"),
        ("TERNARY(number > 1, name, title)", "name"), ("number + other * 2 - 1", "number"), ("modulus:by:(number, other)", "0"),
    ]
    private static let patterns = [
        "a*", "?", "??", "*b", #"a\\*"#, "a_b", "*%", #"a\\\\b"#, "A*", "é", "*S", "K*", "", "*", "e?", "s*e",
    ]
    private static let expressions = [
        "a", "", ".", "..", ".*", "a.*", ".*b.*", "^ab?$", "[a-zA-Z]+", "[^a]*", "(a|b|é)*", "a{2}|A", "(?:s|S){0,2}", #"\\w+"#,
        #"a\\\\b"#, #".\\W."#, #"[\\w%]{1,3}"#, "(?i)AB%", "k+", "[k]+", "(a*)*b?", #"\\x{FFFF}"#, "[^a-z]?", "(?s).+", "a++b",
        "(?=a).*", "x{0}", "(a|)", #"[ß-\\x{FFFF}]+"#, "😀", #"\\p{L}+"#, "(s)(S)", "a|", "(?:.{1,50}){1,90}",
    ]
    private static let others = [
        "name CONTAINS title", "name BEGINSWITH title", "name ENDSWITH title", "'ab' CONTAINS name", "number BETWEEN {other, 7}",
        "number + 1 IN {1, 2, other}", "parent == parent.parent", "parent != parent.parent", "NOT (number > other)",
        "NOT (rate < ratio OR name == title)",
    ]
    private static let formats: [String] = {
        var formats = others
        for (left, right) in pairs { for op in operators { formats.append("\(left) \(op) \(right)") } }
        for options in ["", "[c]", "[d]", "[cd]", "[n]"] {
            if options != "[n]" { for pattern in expressions { formats.append("name MATCHES\(options) '\(pattern)'") } }
            for pattern in patterns { formats.append("name LIKE\(options) '\(pattern)'") }
            for text in texts {
                let quoted = text.replacing("\\", with: "\\\\")
                for op in ["==", "!=", "BEGINSWITH", "CONTAINS", "ENDSWITH"] { formats.append("name \(op)\(options) '\(quoted)'") }
            }
        }
        return formats
    }()

    private func check(_ formats: [String]) throws -> Int {
        var decided = 0
        try store.read { reader in
            guard case .rows(let rows, _) = try reader.execute(FetchPlan(item)) else { return #expect(Bool(false)) }
            for format in formats {
                var plan = FetchPlan(item, .references)
                let predicate = try QueryPredicate(format: format).resolved(for: item, in: model)
                for predicate in [predicate, .not(predicate)] {
                    plan.predicate = predicate
                    let remainder = Remainder(predicate: predicate, needsSort: true, needsSlice: true)
                    guard case .references(let expected) = try PlanEvaluator.finish(plan, rows, remainder: remainder, with: reader),
                        case .references(let found) = try reader.answer(plan)
                    else { return #expect(Bool(false)) }
                    #expect(found == expected, "\(predicate)")
                }
                plan.predicate = predicate
                if try reader.explain(plan).remaining.isEmpty { decided += 1 }
            }
        }
        return decided
    }

    @Test("Conditions over ordinary values: nearly all are the server's")
    func ordinary() throws {
        try insert(items(60, isOrdinary: true))
        let formats = SameAnswerTests.formats
        let decided = try check(formats)
        #expect(decided > formats.count / 2, "\(decided) of \(formats.count)")
    }

    @Test("Patterns of scalars and ranges are the server's alone, and of others it sends what may match")
    func patterns() throws {
        try store.read { reader in
            for (pattern, isExact) in [("a.*", true), ("^(ab|[^b-x])+$", true), (#"a\\w"#, false), ("(?=a).*", false)] {
                var plan = FetchPlan(item, .references)
                plan.predicate = try QueryPredicate(format: "name MATCHES '\(pattern)'").resolved(for: item, in: model)
                let explanation = try reader.explain(plan)
                #expect(explanation.remaining.isEmpty == isExact, "\(pattern)")
                #expect(explanation.statement?.contains(" ~ ") == !pattern.contains("?="), "\(pattern)")
            }
        }
    }

    @Test("Conditions over values at the bounds of their types, and beyond")
    func unusual() throws {
        try insert(items(120, isOrdinary: false))
        _ = try check(SameAnswerTests.formats)
    }

    private func expression(_ path: String) throws -> ResolvedExpression {
        try QueryExpression.keyPath(path).resolved(for: item, in: model)
    }

    private func described(_ answer: StoreAnswer, _ function: AggregateFunction) throws -> [String] {
        guard case .groups(let groups) = answer else { return ["no groups"] }
        return try groups.map { "\($0.keys) \(try $0.partials[0].value(of: function))" }.sorted()
    }

    @Test("Groups by keys of every kind, with every aggregate")
    func groups() throws {
        try insert(items(120, isOrdinary: false))
        try store.read { reader in
            guard case .rows(let rows, _) = try reader.execute(FetchPlan(item)) else { return #expect(Bool(false)) }
            let operands = ["number", "rate", "born", "name", "flag", "token", "link", "parent", "parent.number"]
            for key in operands + ["parent.parent", "parent.name", "parent.rate"] {
                for operand in operands {
                    for function: AggregateFunction in [.count, .sum, .average, .min, .max, .countDistinct, .median] {
                        var plan = FetchPlan(item)
                        let aggregate = GroupPlan.Aggregate(function, try expression(operand))
                        var groups = GroupPlan(keys: [try expression(key)], aggregates: [aggregate])
                        groups.isWhole = true
                        plan.result = .groups(groups)
                        let isServers = function == .count || operand == "parent.number" && function != .sum && function != .average
                        if isServers { #expect(try reader.explain(plan).isComputed) }
                        let expected = try PlanEvaluator.finish(plan, rows, remainder: .nothing, with: reader)
                        #expect(try described(reader.answer(plan), function) == described(expected, function), "\(aggregate) by \(key)")
                    }
                }
            }
        }
    }

    @Test("Values of objects, also different ones, in an order and in part")
    func values() throws {
        try insert(items(120, isOrdinary: false))
        func described(_ answer: StoreAnswer) -> [String] {
            guard case .values(let tuples) = answer else { return ["no values"] }
            return tuples.map { "\($0)" }
        }
        let formats = [
            ["name"], ["flag", "name"], ["rate"], ["number", "parent.name"], ["born", "name"], ["token", "name"], ["link", "parent"],
        ]
        try store.read { reader in
            guard case .rows(let rows, _) = try reader.execute(FetchPlan(item)) else { return #expect(Bool(false)) }
            for columns in formats {
                for (isDistinct, sort, limit) in [(true, "", 100), (true, "name", 3), (true, "-rate", 3), (false, "number", 7)] {
                    var plan = FetchPlan(item)
                    plan.result = .values(ValuePlan(try columns.map(expression), isDistinct: isDistinct))
                    plan.limit = limit
                    plan.offset = 1
                    if !sort.isEmpty {
                        let key = QuerySort(sort.replacing("-", with: ""), ascending: !sort.hasPrefix("-"))
                        plan.sort = [try ResolvedSort(key, of: item, in: model)]
                    }
                    let remainder = Remainder(predicate: nil, needsSort: true, needsSlice: true)
                    let expected = try PlanEvaluator.finish(plan, rows, remainder: remainder, with: reader)
                    #expect(described(try reader.answer(plan)) == described(expected), "\(columns) by \(sort)")
                    #expect(try reader.explain(plan).isComputed)
                }
            }
        }
    }

    @Test("Floating-point numbers that a server can add up, in the order of the objects, to the last bit")
    func sums() throws {
        var items: [[String: Value]] = []
        for number in 0..<200 {
            let rate: Double = Double(number % 37 + 1) / 7 * (number % 2 == 0 ? 1e10 : 1e-3)
            items.append(["number": .int(Int64(number % 3)), "rate": .double(rate), "ratio": .double(0.1)])
        }
        try insert(items)
        try store.read { reader in
            guard case .rows(let rows, _) = try reader.execute(FetchPlan(item)) else { return #expect(Bool(false)) }
            for operand in ["rate", "ratio", "parent.rate"] {
                for function: AggregateFunction in [.sum, .average] {
                    var plan = FetchPlan(item)
                    let aggregate = GroupPlan.Aggregate(function, try expression(operand))
                    plan.result = .groups(GroupPlan(keys: [try expression("number")], aggregates: [aggregate]))
                    #expect(try reader.explain(plan).isComputed)
                    let expected = try PlanEvaluator.finish(plan, rows, remainder: .nothing, with: reader)
                    #expect(try described(reader.answer(plan), function) == described(expected, function), "\(aggregate)")
                }
            }
        }
    }

    private static let computations = [
        ("number", "number + other * 3"), ("number", "number - parent.number"), ("number", "number / other"), ("number", "other"),
        ("number", "modulus:by:(number, other)"), ("number", "children.@sum.number"), ("number", "children.@count"),
        ("number", "abs:(number)"), ("number", "TERNARY(number > 1, other, 5)"), ("number", "length:(name)"), ("number", "-number"),
        ("rate", "rate + ratio"), ("rate", "rate * 2"), ("rate", "-rate"), ("rate", "rate / ratio"), ("rate", "number"),
        ("rate", "floor:(rate)"), ("rate", "ceiling:(rate / 2)"), ("rate", "abs:(rate)"), ("rate", "parent.rate"), ("rate", "born - died"),
        ("rate", "number / 2.0"), ("rate", "children.@min.rate"), ("born", "born + number"), ("born", "died"), ("born", "born - 0.5"),
        ("name", "title"), ("name", "parent.name"), ("name", "TERNARY(flag == YES, name, title)"), ("flag", "parent.flag"),
    ]

    @Test("What a batch update computes, to the last bit, or leaves to the core", arguments: [true, false])
    func computations(isOrdinary: Bool) throws {
        try insert(items(60, isOrdinary: isOrdinary))
        var done = 0
        for (key, format) in SameAnswerTests.computations {
            let attribute = try #require(item.attribute(named: key))
            let source = try QueryExpression(format: format).resolved(for: item, in: model)
            func values(_ expression: ResolvedExpression, _ reader: any StoreReader) throws -> [String] {
                guard case .rows(let rows, _) = try reader.execute(FetchPlan(item)) else { return [] }
                var plan = FetchPlan(item)
                plan.result = .values(ValuePlan([expression]))
                guard case .values(let tuples) = try PlanEvaluator.finish(plan, rows, remainder: .nothing, with: reader) else { return [] }
                return tuples.map { "\(attribute.type.coerce($0[0]).map { "\($0)" } ?? "none")" }
            }
            let transaction = try store.beginWrite()
            defer { transaction.rollback() }
            let expected = try transaction.read { try values(source, $0) }
            var writer = RowWriter()
            writer.begin(item, reference: 0, version: 0)
            let assignments = RowAssignments(template: writer.finish(), slots: [], computations: [.init(attribute, source)])
            guard try transaction.update(FetchPlan(item, .count), assignments) != nil else { continue }
            done += 1
            let path = try expression(key)
            #expect(try transaction.read { try values(path, $0) } == expected, "\(key) = \(format)")
        }
        #expect(done > (isOrdinary ? 20 : 5), "\(done) of \(SameAnswerTests.computations.count)")
    }
}
