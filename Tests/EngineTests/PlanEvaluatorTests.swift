import FoundationEssentials
import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Finishing plans in the core")
struct PlanEvaluatorTests: CompanySuite {
    let tables: CompanyTables

    init() throws {
        tables = try CompanyTables()
        let (company, engine) = (tables.company, tables.engine)
        try engine.save { changes in
            changes.inserted = [
                try company.row("Department", 1, ["name": "Sales"]),
                try company.row("Person", 1, ["name": "Cy", "age": 30, "department": 1]),
                try company.row("Person", 2, ["name": "Ann", "age": 20, "score": 1.5]),
                try company.row("Person", 3, ["age": 40, "department": 1]),
                try company.row("Person", 4, ["name": "Ann", "score": 2.5]),
            ]
        }
    }

    private func finish(_ plan: FetchPlan, _ remainder: Remainder) throws -> StoreAnswer {
        try engine.read { reader in
            let rows = try reader.rows(root: plan.entity.root, references: [1, 2, 3, 4])
            return try PlanEvaluator.finish(plan, rows, remainder: remainder, with: reader)
        }
    }

    private func references(_ plan: FetchPlan, _ remainder: Remainder) throws -> [Int64] {
        guard case .rows(let rows, _) = try finish(plan, remainder) else { return [] }
        return rows.map(\.reference)
    }

    private func path(_ text: String) throws -> PropertyPath { try PropertyPath(text, of: company.entity("Person"), in: company.model) }

    private func groups(
        _ keys: [String], _ functions: [(GroupPlan.Function, String?)], _ predicate: QueryPredicate? = nil
    ) throws -> [Group] {
        let plan = GroupPlan(
            keys: try keys.map { .path(try path($0)) }, aggregates: try functions.map { .init($0.0, try $0.1.map { .path(try path($0)) }) })
        let fetch = try company.plan("Person", predicate, .groups(plan))
        guard case .groups(let groups) = try engine.read({ try $0.execute(fetch) }) else { return [] }
        return groups
    }

    @Test("What remains of a plan is done, and nothing else")
    func remainder() throws {
        var plan = try company.plan("Person", Key<Int>("age") >= 20)
        plan.sort = [try company.sort("Person", "name", ascending: false)]
        plan.limit = 2
        #expect(try references(plan, .nothing) == [1, 2, 3, 4])
        #expect(try references(plan, Remainder(predicate: plan.predicate)) == [1, 2, 3])
        #expect(try references(plan, Remainder(needsSort: true)) == [1, 2, 4, 3])
        #expect(try references(plan, Remainder(needsSlice: true)) == [1, 2])
        #expect(try references(plan, Remainder(predicate: plan.predicate, needsSort: true, needsSlice: true)) == [1, 2])
    }

    @Test("A count and references come of rows")
    func results() throws {
        var plan = try company.plan("Person", nil, .count)
        plan.offset = 3
        guard case .count(let count) = try finish(plan, Remainder(needsSlice: true)) else {
            Issue.record("there is no count")
            return
        }
        #expect(count == 1)
        plan.result = .references
        guard case .references(let references) = try finish(plan, Remainder(needsSlice: true)) else {
            Issue.record("there are no references")
            return
        }
        #expect(references == [ObjectReference(entity: try company.entity("Person").index, reference: 4)])
    }

    @Test(
        "Offset and limit leave what lies between, also beyond the end and below zero",
        arguments: [(0, nil), (1, 2), (4, 1), (9, nil), (-1, 0)] as [(Int, Int?)])
    func slices(offset: Int, limit: Int?) throws {
        var plan = try company.plan("Person")
        plan.offset = offset
        plan.limit = limit
        let expected = Array([10, 20, 30, 40].dropFirst(max(0, offset)).prefix(limit ?? 4))
        #expect(plan.slice([10, 20, 30, 40]) == expected)
        #expect(plan.slice(4) == expected.count)
    }

    @Test("Groups are of equal keys, nil among them, with what was asked for of each")
    func grouping() throws {
        let groups = try groups(["name"], [(.count, nil), (.sum, "age"), (.average, "score"), (.min, "age"), (.max, "score")])
        #expect(groups.map(\.keys) == [[.string("Cy")], [.string("Ann")], [.null]])
        let ann = groups[1].partials
        #expect(try ann[0].value(of: .count) == .int(2))
        #expect(try ann[1].value(of: .sum) == .int(20))
        #expect(try ann[2].value(of: .average) == .double(2))
        #expect(try ann[3].value(of: .min) == .int(20))
        #expect(try ann[4].value(of: .max) == .double(2.5))
        #expect(try groups[2].partials[2].value(of: .average) == .null)
    }

    @Test("A key may lie at the end of a path")
    func keyPath() throws {
        let groups = try groups(["department.name"], [(.count, nil)])
        #expect(groups.map(\.keys) == [[.string("Sales")], [.null]])
        #expect(try groups.map { try $0.partials[0].value(of: .count) } == [.int(2), .int(2)])
    }

    @Test("Without keys there is one group, also of no rows")
    func oneGroup() throws {
        let groups = try groups([], [(.count, nil), (.sum, "age"), (.max, "age")], Key<String>("name") == "nobody")
        #expect(groups.count == 1)
        #expect(groups[0].partials.map(\.count) == [0, 0, 0])
        #expect(try groups[0].partials[1].value(of: .sum) == .int(0))
        #expect(try groups[0].partials[2].value(of: .max) == .null)
    }

    @Test("The groups of several stores combine to those of all their rows")
    func combining() throws {
        func group(_ key: Value, _ numbers: [Int64]) -> Group {
            var partials = [AggregatePartial(), AggregatePartial(), AggregatePartial()]
            for number in numbers {
                partials[0].add(.int(number), for: .average)
                partials[1].add(.int(number), for: .min)
                partials[2].add(.int(number), for: .max)
            }
            return Group(keys: [key], partials: partials)
        }
        let combined = PlanEvaluator.combine([
            [group("a", [1, 2]), group(.null, [5])], [group("b", [7]), group("a", [9])], [group(.null, [])],
        ])
        #expect(combined.map(\.keys) == [["a"], [.null], ["b"]])
        #expect(try combined[0].partials[0].value(of: .average) == .double(4))
        #expect(try combined[0].partials[1].value(of: .min) == .int(1))
        #expect(try combined[0].partials[2].value(of: .max) == .int(9))
        #expect(combined[1].partials[0].count == 1)
        #expect(PlanEvaluator.combine([]).isEmpty)
    }

    @Test("A sum of integers beyond 64 bits goes on as a floating-point number")
    func overflow() throws {
        var partial = AggregatePartial()
        partial.add(.int(.max), for: .sum)
        partial.add(.int(.max), for: .sum)
        #expect(try partial.value(of: .sum) == .double(0x1p64))
    }

    // Sums went on as floating-point numbers once they had left 64 bits, so that the order of rows and stores decided.
    @Test("A sum of integers is exact in whatever order they come, also where partial sums are added")
    func order() throws {
        func partial(_ numbers: [Int64]) -> AggregatePartial {
            numbers.reduce(into: AggregatePartial()) { $0.add(.int($1), for: .average) }
        }
        for numbers in [[.max, .max, -.max, -.max, 3], [-.max, 3, .max, -.max, .max], [.min, .min, .max, 5, .max]] as [[Int64]] {
            var tally = AggregateTally()
            for number in numbers { tally.add(number) }
            var sum = partial(Array(numbers[..<2]))
            sum.add(partial(Array(numbers[2...])))
            for partial in [partial(numbers), tally.partial(for: .average), sum] {
                #expect(try partial.value(of: .sum) == .int(3))
                #expect(try partial.value(of: .average) == .double(0.6))
            }
        }
        #expect(try partial([.min, .min, .min]).value(of: .sum) == .double(-0x1.8p64))
    }

    // MARK: - Tuples of values

    private func tuples(_ plan: FetchPlan, _ remainder: Remainder) throws -> [[Value]] {
        guard case .values(let tuples) = try finish(plan, remainder) else {
            Issue.record("there are no tuples")
            return []
        }
        return tuples
    }

    private func valuePlan(_ columns: [ResolvedExpression], isDistinct: Bool = false) throws -> FetchPlan {
        try company.plan("Person", nil, .values(ValuePlan(columns, isDistinct: isDistinct)))
    }

    @Test("Each row gives a tuple, in the order of the plan; objects are references")
    func values() throws {
        var plan = try valuePlan([
            .path(try path("name")), .path(try path("department")), .path(try path("department.name")),
            .function(.add, [.path(try path("age")), .constant(1)]),
        ])
        #expect(
            try tuples(plan, .nothing) == [
                ["Cy", 1, "Sales", 31], ["Ann", .null, .null, 21], [.null, 1, "Sales", 41], ["Ann", .null, .null, .null],
            ])
        plan.sort = [try company.sort("Person", "age", ascending: false)]
        plan.limit = 2
        plan.offset = 1
        let sliced = try tuples(plan, Remainder(needsSort: true, needsSlice: true))
        #expect(sliced.map { $0[3] } == [31, 21])
        plan.predicate = try (Key<Int>("age") > 20).resolved(for: plan.entity, in: company.model)
        #expect(try tuples(plan, Remainder(predicate: plan.predicate, needsSort: true, needsSlice: true)).map { $0[3] } == [31])
    }

    @Test("Equal tuples become one before offset and limit apply; the first in the order stays in its place")
    func distinctValues() throws {
        var plan = try valuePlan([.path(try path("name"))], isDistinct: true)
        #expect(try tuples(plan, Remainder(needsSort: true, needsSlice: true)) == [["Cy"], ["Ann"], [.null]])
        plan.sort = [try company.sort("Person", "name")]
        #expect(try tuples(plan, Remainder(needsSort: true, needsSlice: true)) == [[.null], ["Ann"], ["Cy"]])
        plan.offset = 2
        plan.limit = 5
        #expect(try tuples(plan, Remainder(needsSort: true, needsSlice: true)) == [["Cy"]])
        plan.offset = 1
        plan.limit = 1
        #expect(try tuples(plan, Remainder(needsSort: true, needsSlice: true)) == [["Ann"]])
        plan.limit = 0
        #expect(try tuples(plan, Remainder(needsSort: true, needsSlice: true)).isEmpty)
        plan.limit = .max
        #expect(try tuples(plan, Remainder(needsSort: true, needsSlice: true)).count == 2)
    }

    @Test("Groups have all aggregates, over attributes and over what is computed")
    func allAggregates() throws {
        let age = ResolvedExpression.path(try path("age"))
        let twice = ResolvedExpression.function(.multiply, [age, .constant(2)])
        let functions: [GroupPlan.Function] = [.count, .sum, .average, .min, .max, .countDistinct, .median, .standardDeviation]
        let plan = GroupPlan(keys: [], aggregates: functions.map { .init($0, twice) } + functions.map { .init($0, age) })
        let fetch = try company.plan("Person", nil, .groups(plan))
        guard case .groups(let groups) = try finish(fetch, .nothing), groups.count == 1 else {
            Issue.record("there is not one group")
            return
        }
        let values = try zip(groups[0].partials, functions + functions).map { try $0.value(of: $1) }
        let deviation = (200.0 / 3).squareRoot()
        #expect(values[..<7] == [3, 180, 60.0, 40, 80, 3, 60.0])
        #expect(values[8..<15] == [3, 90, 30.0, 20, 40, 3, 30.0])
        #expect(
            [(values[7], 2 * deviation), (values[15], deviation)].allSatisfy { value, expected in
                if case .double(let number) = value { abs(number - expected) < 1e-9 } else { false }
            })
    }

    @Test("A key may be computed, and an aggregate may be over the aggregate of a collection")
    func computedGroups() throws {
        let count = try QueryExpression.keyPath("staff.@count").resolved(for: company.entity("Department"), in: company.model)
        let plan = GroupPlan(keys: [count], aggregates: [.init(.sum, count), .init(.count, nil)])
        let fetch = try company.plan("Department", nil, .groups(plan))
        guard case .groups(let groups) = try engine.read({ try $0.execute(fetch) }) else {
            Issue.record("something else than groups was answered")
            return
        }
        try #require(groups.map(\.keys) == [[2]])
        #expect(try groups[0].partials[0].value(of: .sum) == 2)
        #expect(try groups[0].partials[1].value(of: .count) == 1)
    }
}
