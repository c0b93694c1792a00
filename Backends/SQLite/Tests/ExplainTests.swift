import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataSQLite

@Suite("How a store explains its answers")
struct ExplainTests {
    private let firm: Firm

    init() throws { firm = try Firm() }

    private func explain(_ plan: FetchPlan) throws -> PlanExplanation { try firm.store.read { try $0.explain(plan) } }

    @Test("A condition on an indexed attribute follows its index, and reads the rows that meet it only")
    func index() throws {
        let plan = try firm.plan("Person", "age == 3")
        let found = try explain(plan)
        #expect(found.access == [.index("Z_Person_byAge")])
        #expect(found.rowsRead == (try firm.fetchInCore(plan).count))
        #expect(found.decided.count == 1)
        #expect(found.remaining.isEmpty)
    }

    @Test("A condition without an index reads every row")
    func scan() throws {
        let found = try explain(try firm.plan("Person", "name CONTAINS 'a'"))
        #expect(found.access == [.scan])
        #expect(found.rowsRead == 60)
    }

    @Test("References are looked up")
    func references() throws {
        let ids = ObjectIDScopes(model: firm.model, storeID: firm.store.id)
        let id = ObjectID(scope: ids[firm.person.index], reference: 7)
        let found = try explain(try firm.plan("Person", .comparison(.init(.evaluatedObject, .equal, .constant(.objectID(id))))))
        #expect(found.access == [.references])
        #expect(found.rowsRead == 1)
    }

    @Test("What the core decides is distinguished from what SQL decides")
    func remaining() throws {
        var plan = try firm.plan("Person", "age > 1 AND pay * rate < 3")
        plan.sort = [try ResolvedSort(QuerySort("pay"), of: firm.person, in: firm.model)]
        plan.limit = 3
        let found = try explain(plan)
        #expect(found.decided.count == 1)
        #expect(found.remaining.count == 1)
        #expect(found.isSorted)
        #expect(!found.isSliced)
    }

    @Test("A limit ends the reading, a condition on a collection does not count its rows")
    func limit() throws {
        var plan = try firm.plan("Person", "ANY dept.people.age >= 0")
        plan.limit = 2
        let found = try explain(plan)
        #expect(found.isSliced)
        #expect(found.rowsRead < 60)
        plan.limit = nil
        #expect(try explain(plan).rowsRead == 60)
    }

    @Test("The statement has placeholders instead of values")
    func statement() throws {
        let found = try explain(try firm.plan("Person", "name == 'secret' AND age == 12345"))
        let statement = try #require(found.statement)
        #expect(statement.contains("?"))
        #expect(!statement.contains("secret"))
        #expect(!statement.contains("12345"))
        #expect(!statement.contains("strata_count"))
    }

    // The statement with placeholders could not be tried in another tool.
    @Test(
        "The statement with its values answers the same in SQLite alone",
        arguments: ["name == 'it\\'s' OR age == 3", "age BETWEEN {2, 4} AND name != NULL", "dept.name == 'x' OR age > 40", "TRUEPREDICATE"])
    func literal(_ format: String) throws {
        let plan = try firm.plan("Person", format)
        let statement = try #require(try explain(plan).literalStatement)
        #expect(!statement.contains("?"))
        let path = try #require(firm.store.path)
        #expect(try raw(path, statement).count == firm.fetchInCore(plan).count)
    }

    @Test("A statement that calls functions of the store's own is not offered to others")
    func notLiteral() throws {
        #expect(try explain(try firm.plan("Person", "name CONTAINS[c] 'a'")).literalStatement == nil)
    }

    @Test("Counts, tuples and groups are computed by the store")
    func computed() throws {
        var plan = try firm.plan("Person", "age > 1")
        for result in [
            .count, .references, .values(ValuePlan([.path(try PropertyPath("name", of: firm.person, in: firm.model))])),
            .groups(GroupPlan(keys: [.path(try PropertyPath("name", of: firm.person, in: firm.model))], aggregates: [.init(.count, nil)])),
        ] as [FetchPlan.Result] {
            plan.result = result
            let found = try explain(plan)
            #expect(found.isComputed)
            #expect(found.rowsRead == (try firm.count(plan)))
        }
    }
}
