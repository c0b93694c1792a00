import Strata
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: what the server decides", .server)
struct QueryTests {
    @Test(
        "Conditions over relationships, on parts of texts and on entities are decided by the server",
        arguments: [
            "owner.name == 'a'", "owner.name == nil", "owner.age > 3", "NOT owner.name BEGINSWITH 'a'", "ANY owner.friends.age > 3",
            "owner.pets.@count > 1", "name CONTAINS 'a'", "name ENDSWITH 'a'",
            "SUBQUERY(owner.friends, $f, $f.age > 1 AND $f.name CONTAINS 'a').@count == 2", "entity.name == 'Pet'",
        ])
    func decided(_ format: String) throws {
        let scratch = try Scratch()
        let model = try Sample.model()
        let description = scratch.description
        let store = try description.driver.open(description, model: model)
        let pet = try #require(model.entity(named: "Pet"))
        var plan = FetchPlan(pet)
        plan.predicate = try QueryPredicate(format: format).resolved(for: pet, in: model)
        plan.sort = [try ResolvedSort(QuerySort("owner.name"), of: pet, in: model)]
        plan.limit = 2
        let found = try store.read { try $0.explain(plan) }
        #expect(found.remaining.isEmpty)
        #expect(found.isSorted && found.isSliced)
    }
}
