import FoundationEssentials
import Strata
import StrataEvaluation
import StrataTestSupport
import Testing

/// Each test opens with what went wrong once.
@Suite("What explanations of fetches say")
struct QueryExplanationTests {
    /// Ann and Bob of Acme, of whom Ann is the boss and a manager, and Eve.
    private func firm(_ store: TestStore, _ directory: TemporaryDirectory) throws -> ManagedObjectContext {
        let container = try PersistentContainer(model: try Firm.model(), stores: [store.description(in: directory.path, name: "firm")])
        let context = ManagedObjectContext(container.coordinator)
        let acme = Company(context: context)
        acme.name = "Acme"
        let ann = Manager(context: context)
        (ann.name, ann.age, ann.company) = ("Ann", 30, acme)
        for (name, age) in [("Bob", 17), ("Eve", 45)] {
            let employee = Employee(context: context)
            (employee.name, employee.age) = (name, age)
            if name == "Bob" { (employee.company, employee.boss) = (acme, ann) }
        }
        try context.save()
        return context
    }

    @Test("The parts of a dictionary fetch that the core sorts and limits are explained", arguments: TestStore.allCases)
    func computedOrder(_ store: TestStore) throws {
        // An order by a computed name was in no plan, so that neither it nor the limit was mentioned.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let request = ObjectFetchRequest<Employee>(sort: [QuerySort("twice", ascending: false)], limit: 2)
            .fetching("name", try QueryExpression(format: "age * 2").named("twice"))
        let explanation = try context.explain(request)
        let uuid = try #require(explanation.stores.first?.id)
        #expect(explanation.warnings == [.sortedInCore(store: uuid)])
        #expect(explanation.steps == ["sorted in the core by -twice", "limit 2 applied in the core"])
        let values = try #require(explanation.stores.first?.steps.first)
        #expect(values.hasPrefix("values computed in the "))
        #expect(values.hasSuffix(": name, (age * 2)"))
        let stored = try context.explain(ObjectFetchRequest<Employee>(sort: [QuerySort("name")], limit: 2, offset: 1))
        let steps = try #require(stored.stores.first).steps
        try #require(steps.count == 2)
        #expect(steps[0].hasSuffix(" by name"))
        #expect(steps[1].hasPrefix("limit 2 and offset 1 applied in the "))
        #expect(steps.allSatisfy { stored.description.contains($0) })
    }

    @Test("The grouping of a fetch, its conditions and its order are explained", arguments: TestStore.allCases)
    func groups(_ store: TestStore) throws {
        // The explanation spoke of rows only.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let request = ObjectFetchRequest<Employee>(sort: [QuerySort("total", ascending: false)], limit: 5).grouped(
            by: ["company.name"], computing: [.sum("age", as: "total"), .count()], having: try QueryPredicate(format: "total > 20"))
        let explanation = try context.explain(request)
        let label = try #require(explanation.stores.first).plan.isComputed ? "store" : "core"
        #expect(explanation.stores.first?.steps == ["grouped in the \(label) by company.name: sum(age), count"])
        #expect(
            explanation.steps
                == ["groups tested in the core: total > 20", "groups sorted in the core by -total", "limit 5 applied in the core"])
        #expect(explanation.steps.allSatisfy { explanation.description.contains($0) })
    }

    @Test("Conditions that a scan decides are tested row by row, on every store", arguments: TestStore.allCases)
    func scans(_ store: TestStore) throws {
        // SQLite told of none.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let request = ObjectFetchRequest<Employee>(Employee.name.contains("n") && Employee.age > 3)
        let plan = try #require(try context.explain(request).stores.first).plan
        #expect(plan.access == [.scan])
        #expect(plan.decided == [#"name CONTAINS "n""#, "age > 3"])
        #expect(plan.tested == plan.decided)
    }

    @Test("Conditions on the name of the entity are the store's, and read as written", arguments: TestStore.allCases)
    func entityNames(_ store: TestStore) throws {
        // They read `entity.name.entity.name == …`, and SQLite left them to the core, with all rows.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let cases: [(String, [String])] = [
            ("entity.name == 'Manager'", ["Ann"]), ("entity.name != 'Manager'", ["Bob", "Eve"]),
            ("NOT entity.name == 'Manager'", ["Bob", "Eve"]),
            ("entity.name IN {'Manager', 'Company'}", ["Ann"]), ("entity.name CONTAINS[c] 'EMP'", ["Bob", "Eve"]),
            ("entity.name > 'Employee'", ["Ann"]), ("entity.name == nil", []), ("entity.name == 'Nobody'", []),
            ("boss.entity.name == 'Manager'", ["Bob"]), ("boss.entity.name != 'Manager'", ["Ann", "Eve"]),
            ("NOT boss.entity.name IN {'Manager'}", ["Ann", "Eve"]), ("boss.entity.name == nil", ["Ann", "Eve"]),
            ("boss.entity.name < 'Z'", ["Bob"]), ("ANY reports.entity.name == 'Employee'", ["Ann"]),
            ("ANY company.employees.entity.name == 'Manager'", ["Ann", "Bob"]), ("entity.name == boss.entity.name", []),
            ("lowercase:(entity.name) == 'manager'", ["Ann"]),
        ]
        for (format, names) in cases {
            let request = ObjectFetchRequest<Employee>(try QueryPredicate(format: format), sort: [QuerySort("name")])
            #expect(try context.fetch(request).map(\.name) == names, "\(format)")
            #expect(try context.explain(request).stores.first?.plan.remaining == [], "\(format)")
        }
        let request = ObjectFetchRequest<Employee>(try QueryPredicate(format: "entity.name == 'Manager'"))
        #expect(try context.explain(request).stores.first?.plan.decided == [#"entity.name == "Manager""#])
        if store == .sqlite { #expect(try context.explain(request).rowsRead == 1) }
        let values = ObjectFetchRequest<Employee>(sort: [QuerySort("name")]).fetching("entity.name", "boss.entity.name")
        #expect(
            try context.fetchDictionaries(values).map(\.values)
                == [[.string("Manager"), .null], [.string("Employee"), .string("Manager")], [.string("Employee"), .null]])
    }

    @Test("Resolved conditions read like the language: parsed again, they are the same")
    func descriptions() throws {
        // There was `values(…)` in them, functions without names, and other text that no parser takes.
        QueryFunctionTable.register("explained:") { $0.first ?? .null }
        let model = try Firm.model()
        let entity = try #require(model.entity(named: "Company"))
        for format in [
            "employees.@sum.age > 3", "employees.@avg.age > 3", "employees.@stddev.age > 3", "employees.@count == 2",
            "employees.age.@distinctUnionOfObjects.@count > 1", "projects[FIRST].title == 'x'", "projects[LAST] == nil",
            "projects[2].budget == 1", "'x' IN employees.@unionOfObjects.name", "ANY (employees.name UNION projects.title) == 'x'",
            "FUNCTION(name, 'explained:', 1) == 'x'",
            "uppercase:(name) == 'X'", "CAST(name, 'NSNumber') == 3", "SUBQUERY(employees, $e, $e.age > 3 AND $e.boss != nil).@count > 3",
            "SUBQUERY(employees, $e, $e.age > 3 AND $e.boss != nil).@max.age > 3",
            "SUBQUERY(employees, $e, $e.age > 3 AND $e.boss != nil).boss.age.@max > 3",
            "TERNARY(name == 'x', 1, 2) + 1 == 2", "modulus:by:(employees.@count, 2) == 1", "bitwiseAnd:with:(employees.@count, 1) == 1",
            "ANY employees.entity.name == 'Manager'", "abs:(employees.@min.age) BETWEEN {1, 3}",
        ] {
            let text = try QueryPredicate(format: format).resolved(for: entity, in: model).description
            let again = try #require(try? QueryPredicate(format: text), "\(format) reads \(text)")
            let textAgain = try again.resolved(for: entity, in: model).description
            #expect(textAgain == text, "\(format)")
        }
    }

    @Test("Where no object meets a condition on a to-one relationship, the path to it is explained", arguments: TestStore.allCases)
    func nobody(_ store: TestStore) throws {
        // Tables and LMDB said that the conditions contradict each other.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        for age in 0..<100 { Employee(context: context).age = age }
        try context.save()
        for format in ["company.name == 'Nobody'", "company.name == 'Nobody' AND age > 3"] {
            let explanation = try context.explain(ObjectFetchRequest<Employee>(try QueryPredicate(format: format)))
            let access = try #require(explanation.stores.first).plan.access
            #expect(!access.isEmpty, "\(explanation)")
            #expect(!access.contains(.nothing), "\(explanation)")
        }
        let contradiction = try context.explain(ObjectFetchRequest<Employee>(Employee.age == 3 && Employee.age == 4))
        #expect(contradiction.stores.first?.plan.rowsRead == 0)
    }

    @Test("Several stores are explained one by one, and how their answers merge")
    func severalStores() throws {
        // Nothing said that limit and offset wait for the answers of all.
        let directory = try TemporaryDirectory()
        let stores = [TestStore.sqlite, .inMemory, .lmdb].map { $0.description(in: directory.path, name: "\($0)") }
        let container = try PersistentContainer(model: try Firm.model(), stores: stores)
        let context = ManagedObjectContext(container.coordinator)
        let request = ObjectFetchRequest<Employee>(Employee.age > 3, sort: [QuerySort("name")], limit: 3, offset: 2)
        let explanation = try context.explain(request)
        #expect(explanation.stores.map(\.id) == container.coordinator.stores.map(\.id))
        for store in explanation.stores {
            #expect(store.plan.decided == ["age > 3"])
            try #require(store.steps.count == 2)
            #expect(store.steps[0].hasSuffix(" by name"))
            #expect(store.steps[1].hasPrefix("limit 5 applied in the "))
            #expect(explanation.description.contains(store.id.rawValue))
        }
        #expect(explanation.steps == ["answers of 3 stores merged in the core", "limit 3 and offset 2 applied in the core"])
        #expect(explanation.description.hasPrefix("Fetch of Employee: 0 rows read in 3 stores"))
        let groups = try context.explain(ObjectFetchRequest<Employee>().grouped(by: ["name"], computing: [.count()]))
        #expect(groups.steps == ["answers of 3 stores merged in the core"])
        let values = try context.explain(ObjectFetchRequest<Employee>().fetching("name", distinct: true))
        #expect(values.steps == ["answers of 3 stores merged in the core", "distinct values computed in the core: name"])
    }
}
