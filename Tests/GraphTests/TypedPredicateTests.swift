import FoundationEssentials
import Strata
import Testing

@Suite("Predicates from key paths and typed keys")
struct TypedPredicateTests {
    private let name = QueryExpression.keyPath("name")
    private let age = QueryExpression.keyPath("age")

    private func expect(_ typed: some QueryCondition, is named: QueryPredicate, at location: SourceLocation = #_sourceLocation) {
        #expect(typed.predicate == named, sourceLocation: location)
    }

    @Test("Comparisons with constants")
    func comparisons() {
        expect(\Employee.age >= 18, is: (age >= 18))
        expect(\Employee.nick == nil, is: (key("nick") == nil))
        expect(\Employee.nick != "x", is: (key("nick") != "x"))
        expect(\Employee.rank == .chief, is: (key("rank") == "chief"))
        expect(\Employee.grade < .high, is: (key("grade") < 90))
        expect(\Employee.company?.name == "ACME", is: (key("company.name") == "ACME"))
        expect((\Employee.age).isIn([1, 2]), is: age.isIn([1, 2]))
        expect((\Employee.age).between(1...3), is: age.between(1, 3))
        expect((18...30 ~= \Employee.age), is: age.between(18, 30))
        expect((18..<30 ~= Employee.age), is: age >= 18 && age < 30)
    }

    @Test("Operators of text, with options")
    func text() {
        let options: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]
        expect((\Employee.name).contains("é", options), is: name.contains("é", options))
        expect((\Employee.nick).beginsWith("A"), is: key("nick").beginsWith("A"))
        expect((\Employee.name).endsWith("a", .caseInsensitive), is: name.endsWith("a", .caseInsensitive))
        expect((\Employee.name).like("A*"), is: name.like("A*"))
        #expect(Employee.name.matches("A.*") == name.matches("A.*"))
        expect((\Employee.page).beginsWith("https:"), is: key("page").beginsWith("https:"))
        let folded = QueryPredicate.comparison(.init(name, .equal, .constant("ann"), .caseInsensitive))
        expect((\Employee.name).compared(.equal, "ann", options: .caseInsensitive), is: folded)
    }

    @Test("Two properties are compared")
    func properties() {
        expect(\Employee.name == \Employee.nick, is: .comparison(.init(name, .equal, key("nick"))))
        expect(Employee.name < Employee.nick, is: .comparison(.init(name, .less, key("nick"))))
        expect(\Employee.company == \Employee.boss?.company, is: .comparison(.init(key("company"), .equal, key("boss.company"))))
    }

    @Test("Arithmetic and functions")
    func arithmetic() {
        let product = QueryExpression.function(.multiply, [age, .constant(2)])
        expect(\Employee.age * 2 > 60, is: (product > 60))
        expect(2 * Employee.age > 60, is: (QueryExpression.function(.multiply, [.constant(2), age]) > 60))
        let sum = QueryExpression.function(.add, [.function(.multiply, [key("weight"), age]), .constant(1.5)])
        #expect((Employee.weight * Employee.age + 1.5).expression == sum)
        #expect((-Employee.age % 7).expression == .function(.modulus, [.function(.negate, [age]), .constant(7)]))
        #expect(abs(\Employee.age).expression == .function(.abs, [age]))
        expect((\Employee.name).lowercased.length > 3, is: (QueryExpression.function(.length, [.function(.lowercase, [name])]) > 3))
        #expect((\Employee.age).ifNil(7).expression == .conditional(age == nil, .constant(7), age))
        #expect((TypedExpression.now - Employee.born).expression == .function(.subtract, [.function(.now, []), key("born")]))
    }

    @Test("Conditions on the destinations of a relationship")
    func collections() {
        let employees = QueryExpression.keyPath("employees")
        let isOld = QueryExpression.path(.variable("x"), "age") > 30
        let old = QueryExpression.subquery(employees, variable: "x", isOld)
        let young = QueryExpression.subquery(employees, variable: "x", !isOld)
        #expect(Company.employees.any(Employee.age > 30) == (QueryExpression.path(old, "@count") > 0))
        expect((\Company.employees).any(\Employee.age > 30), is: QueryExpression.path(old, "@count") > 0)
        expect((\Company.employees).all(\Employee.age > 30), is: QueryExpression.path(young, "@count") == 0)
        expect((\Company.employees).none(\Employee.age > 30), is: QueryExpression.path(old, "@count") == 0)
        expect((\Company.employees).count > 3, is: (key("employees.@count") > 3))
        expect((\Company.employees).isEmpty, is: key("employees.@count") == 0)
        expect(Company.employees.sum(Employee.salary) > 100, is: (key("employees.salary.@sum") > .decimal(100)))
        #expect(Company.employees.filter(Employee.age > 30).max(\Employee.age).expression == .path(old, "age.@max"))
        #expect(Company.employees.min(Employee.name).expression == key("employees.name.@min"))
        #expect(Employee.company.appending(Company.projects).average(Project.budget).expression == key("company.projects.budget.@avg"))
    }

    @Test("Objects are compared by their IDs")
    func objects() throws {
        let context = try Firm.context()
        let acme = Company(context: context)
        let ann = Employee(context: context)
        expect(\Employee.company == acme, is: (key("company") == .objectID(acme.objectID)))
        expect(Employee.company != nil, is: (key("company") != nil))
        expect(\Employee.self == ann, is: (QueryExpression.evaluatedObject == .objectID(ann.objectID)))
        expect((\Employee.objectID).isIn([ann.objectID]), is: QueryExpression.evaluatedObject.isIn([.objectID(ann.objectID)]))
        expect((\Employee.company).isIn([acme]), is: key("company").isIn([.objectID(acme.objectID)]))
        expect((\Company.employees).contains(ann), is: .comparison(.init(key("employees"), .contains, .constant(.objectID(ann.objectID)))))
        #expect(Employee.company.meets(Company.name == "ACME") == (key("company.name") == "ACME"))
    }

    @Test("An object ID is coded as its URI and decoded with the model")
    func coding() throws {
        let context = try Firm.context()
        let acme = Company(context: context)
        try context.save()
        let data = try JSONEncoder().encode([acme.objectID])
        let decoder = JSONDecoder()
        #expect(throws: DecodingError.self) { try decoder.decode([ObjectID].self, from: data) }
        let key = try #require(CodingUserInfoKey.queryModel)
        decoder.userInfo[key] = context.coordinator.model
        #expect(try decoder.decode([ObjectID].self, from: data) == [acme.objectID])
        #expect(throws: DecodingError.self) { try decoder.decode([ObjectID].self, from: Data(#"["x-coredata://a/Nobody/p1"]"#.utf8)) }
    }

    @Test("Sort keys from key paths")
    func sorting() {
        #expect(QuerySort(\Employee.name) == QuerySort("name"))
        let folded = QuerySort("company.name", ascending: false, .caseInsensitive)
        #expect(QuerySort(\Employee.company?.name, ascending: false, .caseInsensitive) == folded)
        #expect((\Employee.age).descending.sort == Employee.age.descending)
        #expect(ObjectSort(\Employee.age, ascending: false) == (\Employee.age).descending)
    }

    @Test("A fetch by key paths finds the objects")
    func fetching() throws {
        let context = try Firm.context()
        for (name, age) in [("Ann", 30), ("Bob", 17), ("Cid", 45)] {
            let employee = Employee(context: context)
            employee.name = name
            employee.age = age
        }
        try context.save()
        let adults = ObjectFetchRequest<Employee>(\Employee.age >= 18 && \Employee.name != "Cid", sort: [QuerySort(\Employee.name)])
        #expect(try context.fetch(adults).map(\.name) == ["Ann"])
        #expect(throws: QueryError.self) { try context.fetch(ObjectFetchRequest<Employee>(\Employee.isAdult == true)) }
    }
}
