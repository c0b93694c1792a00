import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

@Suite("Resolving paths to several objects")
struct CollectionResolvingTests {
    let office: Office

    init() throws { office = try Office() }

    private func resolve(_ predicate: QueryPredicate) throws -> ResolvedPredicate { try office.resolve(predicate) }

    private func comparison(
        _ left: QueryExpression, _ op: QueryComparison.Operator, _ right: QueryExpression, _ modifier: QueryComparison.Modifier = .direct
    ) -> QueryPredicate { .comparison(QueryComparison(left, op, right, modifier: modifier)) }

    @Test("ANY asks for an element that meets the comparison")
    func any() throws {
        guard case .exists(let collection) = try resolve(comparison(.keyPath("staff.boss.age"), .greater, .constant(3), .any)) else {
            Issue.record("not an existence")
            return
        }
        #expect(collection.steps.map(\.relationship.name) == ["staff"])
        guard case .comparison(let test)? = collection.filter else {
            Issue.record("no comparison of the element")
            return
        }
        #expect(test.left.variable == collection.variable)
        #expect(test.left.steps.map(\.relationship.name) == ["boss"])
        #expect(test.left.attribute?.name == "age")
    }

    @Test("ALL asks that no element fails the comparison")
    func all() throws {
        guard case .not(.exists(let collection)) = try resolve(comparison(.keyPath("staff.age"), .greater, .constant(3), .all)),
            case .not(.comparison)? = collection.filter
        else {
            Issue.record("not the absence of a failure")
            return
        }
    }

    @Test("A path with several to-many steps goes through all of them")
    func severalSteps() throws {
        guard case .exists(let collection) = try resolve(comparison(.keyPath("company.people.staff"), .contains, .evaluatedObject)) else {
            Issue.record("not an existence")
            return
        }
        #expect(collection.steps.map(\.relationship.name) == ["company", "people", "staff"])
        #expect(collection.steps.map { $0.slot == nil } == [false, true, true])
    }

    @Test("An operator in the middle of a path and one at its end mean the same", arguments: ["staff.@sum.age", "staff.age.@sum"])
    func operators(path: String) throws {
        guard
            case .aggregate(.sum, let collection, .path(let value)?) = try QueryExpression.keyPath(path).resolved(
                for: office.person, in: office.model)
        else {
            Issue.record("not a sum")
            return
        }
        #expect(collection.steps.map(\.relationship.name) == ["staff"])
        #expect(value.attribute?.name == "age")
        #expect(value.variable == collection.variable)
    }

    @Test("A subquery's condition sees its element, those around it and the object itself")
    func subqueries() throws {
        let inner = QueryExpression.subquery(
            .path(.variable("x"), "staff"), variable: "y",
            comparison(.path(.variable("y"), "age"), .less, .path(.variable("x"), "age"))
                && comparison(.path(.variable("y"), "name"), .equal, .keyPath("name")))
        let outer = QueryExpression.subquery(.keyPath("staff"), variable: "x", comparison(.path(inner, "@count"), .greater, .constant(0)))
        guard
            case .aggregate(.count, let staff, nil) = try QueryExpression.path(outer, "@count").resolved(
                for: office.person, in: office.model),
            case .exists(let ofStaff)? = staff.filter, case .variable(let start) = ofStaff.origin, case .and(let parts)? = ofStaff.filter,
            case .comparison(let first) = parts[0], case .comparison(let second) = parts[1]
        else {
            Issue.record("not a count of those that have one")
            return
        }
        #expect(start == staff.variable)
        #expect(first.left.variable == ofStaff.variable)
        #expect(first.right.path?.variable == staff.variable)
        #expect(second.right.path?.variable == 0)
    }

    @Test("Whether there are any is not counted")
    func existence() throws {
        let count = QueryExpression.keyPath("staff.@count")
        for op in [QueryComparison.Operator.greater, .notEqual] {
            guard case .exists = try resolve(comparison(count, op, .constant(0))) else {
                Issue.record("\(op) counts")
                continue
            }
        }
        for op in [QueryComparison.Operator.equal, .lessOrEqual] {
            guard case .not(.exists) = try resolve(comparison(count, op, .constant(0))) else {
                Issue.record("\(op) counts")
                continue
            }
        }
        guard case .test = try resolve(comparison(count, .greater, .constant(1))) else {
            Issue.record("a number is counted")
            return
        }
    }

    @Test("A variable means nothing outside of its subquery")
    func unbound() throws {
        let subquery = QueryExpression.path(.subquery(.keyPath("staff"), variable: "x", .constant(true)), "@count")
        let error = #expect(throws: QueryError.self) {
            try resolve(comparison(subquery, .equal, .constant(1)) && comparison(.path(.variable("x"), "age"), .equal, .constant(1)))
        }
        #expect(error?.reason == .unboundVariable)
    }

    @Test(
        "A path to several objects where one value is required is refused with a hint",
        arguments: ["staff", "staff.age", "company.people.name"])
    func several(path: String) throws {
        let error = #expect(throws: QueryError.self) { try resolve(comparison(.keyPath(path), .equal, .constant(1))) }
        #expect(error?.reason == .illegalKeyPath)
        #expect(error?.message.contains("ANY") == true)
    }

    @Test("ANY of one value is refused")
    func anyOfOne() throws {
        let error = #expect(throws: QueryError.self) { try resolve(comparison(.keyPath("boss.age"), .equal, .constant(1), .any)) }
        #expect(error?.reason == .illegalOperator)
    }

    @Test("A tree beyond the greatest depth is refused, one at it is not")
    func depth() throws {
        func nested(_ levels: Int) -> QueryPredicate {
            (1..<levels).reduce(.constant(true)) { tree, _ in .not(tree) }
        }
        _ = try resolve(nested(QueryPredicate.greatestDepth))
        let error = #expect(throws: QueryError.self) { try resolve(nested(10_000)) }
        #expect(error?.reason == .tooDeep)
    }
}
