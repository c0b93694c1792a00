import StrataModel
import StrataQuery
import Testing

@Suite("Rebasing")
struct RebasingTests {
    private let x = QueryExpression.variable("x")

    @Test("Paths and SELF start from the new base")
    func paths() {
        let predicate = key("age") > 3 && QueryExpression.evaluatedObject != nil && key("boss.name").beginsWith("A")
        let rebased = QueryExpression.path(x, "age") > 3 && x != nil && QueryExpression.path(x, "boss.name").beginsWith("A")
        #expect(predicate.rebased(onto: x) == rebased)
        #expect(predicate.rebased(onto: .evaluatedObject) == predicate)
        #expect((key("name") == "a").rebased(onto: key("boss")) == (key("boss.name") == "a"))
    }

    @Test("Every kind of expression is rebased, constants and fetches are not")
    func expressions() {
        let path = key("age")
        let inner = QueryExpression.path(x, "age")
        let fetch = QueryExpression.fetch(QueryFetch("Person", key("age") > 3))
        let pairs: [(QueryExpression, QueryExpression)] = [
            (.list([path, .constant(1)]), .list([inner, .constant(1)])),
            (.function(.add, [path, path]), .function(.add, [inner, inner])),
            (.custom(path, "f:", [path]), .custom(inner, "f:", [inner])),
            (.conditional(path > 3, path, .constant(1)), .conditional(inner > 3, inner, .constant(1))),
            (.combined(.union, path, path), .combined(.union, inner, inner)),
            (.element(path, .at(path)), .element(inner, .at(inner))), (.element(path, .first), .element(inner, .first)),
            (.assignment("a", path), .assignment("a", inner)), (.path(.evaluatedObject, "age"), inner), (fetch, fetch),
            (.path(.element(path, .last), "b"), .path(.element(inner, .last), "b")),
        ]
        for (before, after) in pairs {
            let rebased = QueryPredicate.comparison(.init(before, .equal, .constant(1))).rebased(onto: x)
            #expect(rebased == .comparison(.init(after, .equal, .constant(1))))
        }
    }

    @Test("A bound variable that the base mentions is renamed, and only in its subquery")
    func capture() {
        func subquery(_ collection: QueryExpression, _ name: String, _ outer: QueryExpression) -> QueryPredicate {
            let condition = QueryPredicate.comparison(.init(.path(.variable(name), "age"), .greater, outer))
            return QueryExpression.path(.subquery(collection, variable: name, condition), "@count") > 0
        }
        let before = subquery(key("reports"), "x", key("age"))
        #expect(before.rebased(onto: x) == subquery(.path(x, "reports"), "x1", .path(x, "age")))
        #expect(before.rebased(onto: .variable("y")) == subquery(.path(.variable("y"), "reports"), "x", .path(.variable("y"), "age")))
    }

    @Test("A subquery's variable is one that neither the collection nor the condition has")
    func fresh() {
        let reports = QueryExpression.elements(of: key("reports"), where: key("age") > 3)
        #expect(reports == .subquery(key("reports"), variable: "x", QueryExpression.path(x, "age") > 3))
        let inner = QueryExpression.path(reports, "@count") > 0
        let x1 = QueryExpression.variable("x1")
        let nested = QueryExpression.subquery(.path(x1, "reports"), variable: "x", QueryExpression.path(x, "age") > 3)
        #expect(
            QueryExpression.elements(of: key("staff"), where: inner)
                == .subquery(key("staff"), variable: "x1", QueryExpression.path(nested, "@count") > 0))
        #expect((inner && QueryExpression.variable("free") == nil).variableNames == ["x", "free"])
    }

    @Test("ANYKEY is about the attributes of the new object")
    func anyKey() throws {
        // It became a property of the name ANYKEY.
        let office = try Office()
        try office.add(1, ["name": "Ann", "age": 50])
        try office.add(2, ["name": "Bob", "age": 40, "boss": 1])
        try office.add(3, ["nick": "Bob", "boss": 2])
        let isBob = QueryPredicate.comparison(.init(.anyKey, .equal, .constant("Bob")))
        #expect(try office.matching(isBob) == [2, 3])
        #expect(try office.matching(isBob.rebased(onto: key("boss"))) == [3])
        let reports = QueryExpression.elements(of: key("staff"), where: isBob)
        #expect(try office.matching(QueryExpression.path(reports, "@count") > 0) == [1, 2])
        #expect(try office.matching(isBob.rebased(onto: .evaluatedObject)) == [2, 3])
        let parsed = try QueryPredicate(format: "ANY staff.@anyKey == 'Bob' OR boss.@anyKey == 50")
        #expect(try office.matching(parsed) == [1, 2])
        #expect(try QueryPredicate(format: parsed.predicateFormat) == parsed)
        let error = #expect(throws: QueryError.self) { try office.resolve(QueryPredicate(format: "name.@anyKey == 1")) }
        #expect(error?.reason == .illegalKeyPath)
    }
}
