import FoundationEssentials
import Strata
import StrataEvaluation
import StrataTestSupport
import Testing

/// Each test opens with what went wrong once.
@Suite("Comparisons that went wrong once")
struct ComparisonRegressionTests {
    private let model: ManagedObjectModel

    init() throws { model = try Firm.model() }

    private func fetch(
        _ store: TestStore, _ directory: TemporaryDirectory, _ predicates: [QueryPredicate], fill: (ManagedObjectContext) throws -> Void
    ) throws -> [[String]] {
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path, name: "firm")])
        let context = ManagedObjectContext(container.coordinator)
        try fill(context)
        try context.save()
        return try predicates.map { try context.fetch(ObjectFetchRequest<Employee>($0, sort: [Employee.name.ascending])).map(\.name) }
    }

    @Test("A number compares with a truth value, and text with a URL, also where both are properties", arguments: TestStore.allCases)
    func kinds(_ store: TestStore) throws {
        // Constants of the other kind were taken, properties refused.
        let directory = try TemporaryDirectory()
        let formats = [
            "age == isActive", "isActive == age", "age != isActive", "age > isActive", "weight >= isActive", "isActive < salary",
            "name == page", "page ==[c] name", "name < page", "page BEGINSWITH name",
        ]
        let found = try fetch(store, directory, try formats.map { try QueryPredicate(format: $0) }) { context in
            let people: [(String, Int, Double, Decimal?, Bool, String?)] = [
                ("a", 1, 0.5, 2, true, "a"), ("b", 0, .nan, nil, true, "B"), ("c", 0, 0, -1, false, "cc"), ("d", 7, 1, 1, true, nil),
            ]
            for (name, age, weight, salary, isActive, page) in people {
                let employee = Employee(context: context)
                (employee.name, employee.age, employee.weight, employee.salary, employee.isActive) = (name, age, weight, salary, isActive)
                employee.page = page.flatMap { URL(string: $0) }
            }
        }
        #expect(
            found == [
                ["a", "c"], ["a", "c"], ["b", "d"], ["d"], ["c", "d"], ["a"],
                ["a"], ["a", "b"], ["c"], ["a", "c"],
            ])
    }

    @Test("A #Predicate counts the characters of text", arguments: TestStore.allCases)
    func characters(_ store: TestStore) throws {
        // It counted Unicode scalars, so that the same predicate said another thing of the objects in Swift.
        let directory = try TemporaryDirectory()
        let names = ["abc", "e\u{301}te\u{301}", "👩‍👩‍👧", "ab"]
        let predicates = [
            try QueryPredicate(#Predicate<Employee> { $0.name.count == 3 }), try QueryPredicate(#Predicate<Employee> { $0.name.count < 2 }),
            Employee.name.characterCount == 3, Employee.name.length == 5,
        ]
        let found = try fetch(store, directory, predicates) { context in
            for name in names { Employee(context: context).name = name }
        }
        #expect(found == [["abc", names[1]], [names[2]], ["abc", names[1]], [names[1], names[2]]])
    }

    @Test("An error names the objects of a comparison as they were written, and repeats no more than the beginning of a long text")
    func texts() throws {
        // The elements of a path went by the name of the object that is fetched, and a path of a megabyte came back whole, twice.
        let entity = try #require(model.entity(named: "Employee"))
        func error(_ predicate: QueryPredicate) -> QueryError? {
            #expect(throws: QueryError.self) { try predicate.resolved(for: entity, in: model) }
        }
        for (format, text) in [
            ("ANY reports == 'x'", "\"x\" is not what reports holds"), ("'x' IN reports", "\"x\" is not what reports holds"),
            ("SELF == 'x'", "\"x\" is not what SELF holds"), ("boss == 'x'", "\"x\" is not what boss holds"),
        ] {
            #expect(error(try QueryPredicate(format: format))?.message == text, "\(format)")
        }
        for path in [String(repeating: "x", count: 1_000_000), String(repeating: "boss.", count: 200_000) + "name"] {
            let error = try #require(error(key(path) == "x"))
            #expect(error.description.count < 1000)
            #expect(path.hasPrefix(error.subject.dropLast()))
            #expect(error.subject.count == 201)
        }
    }
}
