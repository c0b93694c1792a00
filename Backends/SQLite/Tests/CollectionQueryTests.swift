import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore
import StrataTestRandom
import StrataText
import Testing

@testable import StrataSQLite

@Suite("What SQL decides of collections and expressions")
struct CollectionQueryTests {
    private let firm: Firm

    init() throws { firm = try Firm() }

    @Test("What leads through relationships runs in SQL and finds what the core finds", arguments: Firm.collectionFormats)
    func collections(format: String) throws { try check(format) }

    @Test("What computes runs in SQL and finds what the core finds", arguments: Firm.expressionFormats)
    func expressions(format: String) throws { try check(format) }

    private func check(_ format: String) throws {
        for text in [format, "NOT (\(format))", "age > 2 OR (\(format))"] {
            let plan = try firm.plan("Person", text)
            let compiled = try firm.compiled(plan)
            #expect(compiled.remaining.isEmpty, "\(text) is left to the core")
            #expect(try firm.fetch(plan) == firm.fetchInCore(plan), "\(text)")
        }
    }

    @Test(
        "What SQL does not decide is left to the core, and finds the same",
        arguments: [
            "reports.age.@median > 1", "reports[FIRST].name == 'a'", "pay * rate < 3 AND age > 1", "CAST(age, 'NSDecimalNumber') > 1",
            "ANY reports.rate > pay",
        ]
    )
    func remainders(format: String) throws {
        let plan = try firm.plan("Person", format)
        #expect(try firm.compiled(plan).remaining.count == 1)
        #expect(try firm.fetch(plan) == firm.fetchInCore(plan), "\(format)")
    }

    @Test("Lists of 40,000 values of any kind find what the core finds")
    func longLists() throws {
        let texts = ["a", "b\u{0}c", "quo\"te", "back\\slash", "\u{1}\u{1F}\n", "ä"] + (0..<40_000).map { "no \($0)" }
        let lists: [(String, [Value])] = [
            ("name", texts.map { .string($0) }), ("name", texts.filter { !$0.contains("\u{0}") }.map { .string($0) } + [.null]),
            ("rate", (0..<40_000).map { .double(Double($0) / 2) }), ("age", (0..<40_000).map { .int($0 - 3) }),
            ("age", (0..<40_000).map { .double(Double($0) / 4) }),
            (
                "tag",
                (0..<40_000).map {
                    .uuid(UUID(uuid: (UInt8($0 & 1), UInt8($0 >> 8), UInt8($0 & 255), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
                }
            ),
            ("born", (0..<40_000).map { .date(Date(timeIntervalSinceReferenceDate: Double($0))) }),
        ]
        for (path, values) in lists {
            for predicate in [key(path).isIn(values), !key(path).isIn(values)] {
                let plan = try firm.plan("Person", predicate)
                #expect(try firm.compiled(plan).remaining.isEmpty, "\(path) is left to the core")
                let (found, expected) = (try firm.fetch(plan), try firm.fetchInCore(plan))
                #expect(found == expected, "\(path)")
            }
        }
    }

    @Test("Every order of text is the core's", arguments: 0..<32)
    func orders(options: Int) throws {
        for ascending in [true, false] {
            var plan = try firm.plan("Person", "age != 1")
            let sorts = [QuerySort("name", ascending: ascending, .init(rawValue: options)), QuerySort("dept.name", .caseInsensitive)]
            plan.sort = try sorts.map { try ResolvedSort($0, of: firm.person, in: firm.model) }
            plan.limit = 20
            plan.offset = 3
            #expect(try !firm.compiled(plan).remainder.needsSort)
            #expect(try firm.fetch(plan) == firm.fetchInCore(plan))
        }
    }

    @Test("Tuples of values are the core's", arguments: [true, false])
    func values(isDistinct: Bool) throws {
        let columns = [
            ["name"], ["age", "dept.name"], ["rate"], ["born", "active"], ["pay"], ["tag"], ["dept"], ["boss.boss.age"],
            ["age + 1", "name"],
            ["reports.@count"], ["reports.age.@sum", "projects.title.@max"], ["uppercase(name)"], ["reports.rate.@sum"], ["SELF", "age"],
        ]
        for texts in columns {
            for sort in [[], ["name"], ["age", "dept.name"]] {
                for (limit, offset) in [(nil, 0), (5, 0), (4, 3), (nil, 7)] as [(Int?, Int)] {
                    var plan = try firm.plan("Person", "age != 2")
                    plan.result = .values(
                        ValuePlan(
                            try texts.map { try QueryExpression(format: $0).resolved(for: firm.person, in: firm.model) },
                            isDistinct: isDistinct))
                    plan.sort = try sort.map { try ResolvedSort(QuerySort($0), of: firm.person, in: firm.model) }
                    (plan.limit, plan.offset) = (limit, offset)
                    guard case .values(_) = try firm.compiled(plan).output else {
                        Issue.record("\(texts) is left to the core")
                        continue
                    }
                    let (found, expected) = (try firm.values(plan), try firm.valuesInCore(plan))
                    #expect(found == expected, "\(texts) by \(sort) \(String(describing: limit)) \(offset)")
                }
            }
        }
    }

    @Test("Groups by expressions, with every function, are the core's")
    func groups() throws {
        let keys = [[], ["dept"], ["dept.name", "active"], ["modulus:by:(age, 2)"], ["pay"], ["reports.@count"], ["rate"]]
        let operands = ["age", "rate", "pay", "name", "born", "age * 2", "reports.@count", "dept.budget", "active"]
        for keys in keys {
            for operand in operands {
                for function in [AggregateFunction.count, .sum, .average, .min, .max, .countDistinct, .median, .standardDeviation] {
                    func resolved(_ text: String) throws -> ResolvedExpression {
                        try QueryExpression(format: text).resolved(for: firm.person, in: firm.model)
                    }
                    let grouping = GroupPlan(
                        keys: try keys.map(resolved), aggregates: [.init(.count, nil), .init(function, try resolved(operand))])
                    var plan = try firm.plan("Person", "name != 'zz'")
                    plan.result = .groups(grouping)
                    guard case .groups(_) = try firm.compiled(plan).output else {
                        Issue.record("\(operand) by \(keys) is left to the core")
                        continue
                    }
                    let (found, expected) = (try firm.groups(plan, function), try firm.groupsInCore(plan, function))
                    #expect(found == expected, "\(function) of \(operand) by \(keys)")
                }
            }
        }
    }

    @Test("Plans that differ in their constants only share a statement, and each gets its own answer")
    func shapes() throws {
        let formats = [
            "age == %@", "age > %@ AND name == 'a'", "dept.budget < %@", "ANY reports.age == %@",
            "SUBQUERY(projects, $p, $p.cost > %@).@count == 1",
            "age BETWEEN {%@, 3}", "NOT rate < %@", "name != 'a' OR age == %@",
        ]
        for format in formats {
            for constant in [0, 1, 2, nil, 2.5, Double.nan] as [Double?] {
                for limit in [nil, 1, 4] as [Int?] {
                    var plan = try firm.plan("Person", QueryPredicate(format: format, constant))
                    plan.limit = limit
                    // Once more, from the statement kept.
                    for _ in 0..<2 { #expect(try firm.fetch(plan) == firm.fetchInCore(plan), "\(format) \(String(describing: constant))") }
                }
            }
        }
    }
}
