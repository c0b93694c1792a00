import FoundationEssentials
import Strata
import StrataEvaluation
import Testing

@Suite("Names of properties from key paths")
struct KeyPathNameTests {
    @Test("A key path names its property, whatever the property's type")
    func names() {
        #expect((\Employee.name).path == "name")
        #expect((\Employee.nick).path == "nick")
        #expect((\Employee.age).path == "age")
        #expect((\Employee.small).path == "small")
        #expect((\Employee.height).path == "height")
        #expect((\Employee.weight).path == "weight")
        #expect((\Employee.salary).path == "salary")
        #expect((\Employee.isActive).path == "isActive")
        #expect((\Employee.key).path == "key")
        #expect((\Employee.page).path == "page")
        #expect((\Employee.photo).path == "photo")
        #expect((\Employee.born).path == "born")
    }

    @Test("Enumerations are identified by their cases, listed or not")
    func enumerations() {
        #expect((\Employee.rank).path == "rank")
        #expect((\Employee.shift).path == "shift")
        #expect((\Employee.grade).path == "grade")
    }

    @Test("A key path leads through relationships")
    func relationships() {
        #expect((\Employee.company).expression == .keyPath("company"))
        #expect((\Company.employees).expression == .keyPath("employees"))
        #expect((\Company.projects).expression == .keyPath("projects"))
        #expect((\Employee.company?.name).path == "company.name")
        #expect((\Employee.company!.name).path == "company.name")
        #expect((\Employee.boss?.boss?.company?.name).path == "boss.boss.company.name")
        #expect((\Employee.self).expression == .evaluatedObject)
        #expect((\Employee.objectID).expression == .evaluatedObject)
        #expect((\Employee.company?.objectID).expression == .keyPath("company"))
    }

    @Test("Properties of a parent class, and of a subclass")
    func inheritance() {
        #expect((\Manager.level).path == "level")
        #expect((\Manager.name).path == "name")
    }

    @Test("A computed property that gives the value of another in a wider type, or of a path, counts as that")
    func transparent() {
        #expect((\Employee.wideSmall).path == "small")
        #expect((\Employee.companyName).path == "company.name")
    }

    struct Computed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entity: String
        let predicate: QueryPredicate
        let reads: String

        init(_ name: String, of entity: String = "Employee", _ condition: some QueryCondition, reads: String) {
            testDescription = name
            self.entity = entity
            predicate = condition.predicate
            self.reads = reads
        }
    }

    @Test(
        "A computed property is an error that says what it reads",
        arguments: [
            Computed("a comparison", \Employee.isAdult == true, reads: "from age"),
            Computed("a negation", \Employee.isIdle == true, reads: "from isActive"),
            Computed("capitals", \Employee.shout == "A", reads: "from name"),
            Computed("trimmed text", \Employee.trimmed == "A", reads: "from name"),
            Computed("joined text", \Employee.fullName == "A", reads: "from name, nick"),
            Computed("one or another", \Employee.shownName == "A", reads: "from nick"),
            Computed("a clamped number", \Employee.positiveAge == 1, reads: "from age"),
            Computed("a rounded number", \Employee.kilos == 1, reads: "from weight"),
            Computed("by name", \Employee.byKey == "A", reads: "it reads no typed key"),
            Computed("a constant", \Employee.constant == 42, reads: "it reads no typed key"),
            Computed("state", \Employee.hasChanges == true, reads: "it reads no typed key"),
            Computed("some members", of: "Company", (\Company.adults).count > 1, reads: "from employees"),
            Computed("sorted members", of: "Company", (\Company.byAge).count > 1, reads: "from employees"),
            Computed("reversed members", of: "Company", (\Company.latest).count > 1, reads: "from projects"),
            Computed("one member", of: "Company", \Company.oldest == nil, reads: "from employees"),
            Computed("a number of members", of: "Company", \Company.employees.count > 1, reads: "from employees"),
        ])
    func computed(_ property: Computed) throws {
        let model = try Firm.model()
        let entity = try #require(model.entity(named: property.entity))
        let error = #expect(throws: QueryError.self) { _ = try property.predicate.resolved(for: entity, in: model) }
        #expect(error?.reason == .unknownKey, "\(error?.message ?? "")")
        #expect(error?.message.contains(property.reads) == true, "\(error?.message ?? "")")
    }
}
