import FoundationEssentials
import Strata
import StrataTestSupport
import Testing

/// Each test opens with what went wrong once.
@Suite("Dictionary fetches that went wrong once")
struct DictionaryRegressionTests {
    /// A store in which Acme employs Ann, 30, and Bob, 17, and Bolt employs Eve, 45, a manager.
    private func firm(_ store: TestStore, _ directory: TemporaryDirectory) throws -> ManagedObjectContext {
        let container = try PersistentContainer(model: try Firm.model(), stores: [store.description(in: directory.path, name: "firm")])
        let context = ManagedObjectContext(container.coordinator)
        let (acme, bolt) = (Company(context: context), Company(context: context))
        (acme.name, bolt.name) = ("Acme", "Bolt")
        let people: [(String, Int, Double?, Company)] = [("Ann", 30, 61.5, acme), ("Bob", 17, .nan, acme), ("Eve", 45, nil, bolt)]
        for (name, age, weight, company) in people {
            let employee = name == "Eve" ? Manager(context: context) : Employee(context: context)
            (employee.name, employee.age, employee.weight, employee.company) = (name, age, weight, company)
            employee.page = URL(string: "https://example.org/\(name)")
            employee.born = Date(timeIntervalSinceReferenceDate: Double(age))
        }
        try context.save()
        return context
    }

    private func expression(_ format: String, _ name: String, _ type: AttributeType? = nil) throws -> ExpressionDescription {
        try QueryExpression(format: format).named(name, type)
    }

    @Test("A dictionary fetch is sorted by any value that it computes", arguments: TestStore.allCases)
    func sorting(_ store: TestStore) throws {
        // Whatever was written as a key path was to be an attribute of the store: "Employee has no property @count".
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        func companies(_ result: ExpressionDescription, by name: String, ascending: Bool) throws -> [String] {
            let request = ObjectFetchRequest<Company>(sort: [QuerySort(name, ascending: ascending)]).fetching("name", result)
            return try context.fetchDictionaries(request).compactMap { $0[Company.name] }
        }
        let results: [(ExpressionDescription, name: String, smallest: String)] = [
            (try expression("employees.@count", "n"), "n", "Bolt"),
            (try expression("employees.@count", "n"), "employees.@count", "Bolt"),
            ("employees.@count", "employees.@count", "Bolt"),
            (Company.employees.count.expression.named("cnt"), "cnt", "Bolt"),
            (try expression("employees.@min.age", "youngest"), "youngest", "Acme"),
            (try expression("employees.@sum.age", "sum"), "sum", "Bolt"),
            (try expression("name", "title"), "title", "Acme"),
        ]
        for (result, name, smallest) in results {
            let largest = smallest == "Acme" ? "Bolt" : "Acme"
            #expect(try companies(result, by: name, ascending: true) == [smallest, largest], "\(name)")
            #expect(try companies(result, by: name, ascending: false) == [largest, smallest], "\(name)")
        }
        let entities = ObjectFetchRequest<Employee>(sort: [QuerySort("entity.name", ascending: false), QuerySort("name", ascending: false)])
            .fetching("name", "entity.name")
        #expect(try context.fetchDictionaries(entities).compactMap { $0[Employee.name] } == ["Eve", "Bob", "Ann"])
        let bySize = ObjectFetchRequest<Company>(sort: [QuerySort("employees.@count")]).fetching("name")
        #expect(try context.fetchDictionaries(bySize).compactMap { $0[Company.name] } == ["Bolt", "Acme"])
        #expect(throws: QueryError.self) {
            try context.fetchDictionaries(ObjectFetchRequest<Company>(sort: [QuerySort("employees.@none")]).fetching("name"))
        }
    }

    @Test("An aggregate over a group may end its path", arguments: TestStore.allCases)
    func terminalAggregates(_ store: TestStore) throws {
        // Only an operator at the beginning was one: `age.@sum` was neither grouped by nor within an aggregate.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let all = ObjectFetchRequest<Employee>().fetching(
            try expression("age.@sum", "sum"), try expression("@max.age", "max"), "SELF.@count")
        #expect(try context.fetchDictionaries(all).map(\.values) == [[.int(92), .int(45), .int(3)]])
        let groups = ObjectFetchRequest<Employee>(sort: [QuerySort("oldest", ascending: false)]).grouped(
            by: ["company.name"], computing: [try expression("age.@max", "oldest")], having: try QueryPredicate(format: "age.@sum > 45"))
        #expect(try context.fetchDictionaries(groups).map(\.values) == [[.string("Acme"), .int(30)]])
        // Of each object, as before.
        let each = ObjectFetchRequest<Company>(sort: [QuerySort("name")]).fetching("employees.@count", "employees.age.@sum")
        #expect(try context.fetchDictionaries(each).map(\.values) == [[.int(2), .int(47)], [.int(1), .int(45)]])
        let error = #expect(throws: QueryError.self) {
            try context.fetchDictionaries(ObjectFetchRequest<Company>().grouped(by: ["name"], computing: ["employees.@count"]))
        }
        #expect(error?.reason == .notGrouped)
    }

    @Test("A type of one's own holds the ID of an object, and whatever else is fetched", arguments: TestStore.allCases)
    func decoding(_ store: TestStore) throws {
        // An ID was asked to decode itself from a single value, and found none.
        struct Line: Decodable {
            var name: String
            var company: ObjectID?
            var boss: ObjectID?
            var page: URL
            var born: Date
        }
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let request = ObjectFetchRequest<Employee>(Employee.name == "Bob").fetching("name", "company", "boss", "page", "born")
        let line = try #require(try context.fetch(request, as: Line.self).first)
        let acme = try #require(try context.fetch(ObjectFetchRequest<Company>(Company.name == "Acme")).first)
        #expect(line.company == acme.objectID)
        #expect(line.boss == nil)
        #expect(line.page.absoluteString == "https://example.org/Bob")
        #expect(line.born == Date(timeIntervalSinceReferenceDate: 17))
        struct Wrong: Decodable { var name: ObjectID }
        let error = #expect(throws: QueryError.self) { try context.fetch(request, as: Wrong.self) }
        #expect(error?.message == "\"Bob\" is no ObjectID")
        struct Picky: Decodable {
            init(from decoder: any Decoder) throws {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not this one"))
            }
        }
        let refused = #expect(throws: QueryError.self) { try context.fetch(request, as: Picky.self) }
        #expect(refused?.message == "Picky does not take the value: not this one")
        struct Odd: Decodable {
            init(from decoder: any Decoder) throws {
                throw DecodingError.typeMismatch(Int.self, .init(codingPath: [], debugDescription: "odd"))
            }
        }
        let odd = #expect(throws: QueryError.self) { try context.fetch(request, as: Odd.self) }
        #expect(odd?.message.hasPrefix("it cannot be decoded: ") == true)
    }

    @Test("NaN is no integer, and any value is text", arguments: TestStore.allCases)
    func resultTypes(_ store: TestStore) throws {
        // One such value made the whole fetch an error.
        let directory = try TemporaryDirectory()
        let context = try firm(store, directory)
        let request = ObjectFetchRequest<Employee>(sort: [QuerySort("name")])
            .fetching(try expression("weight", "w", .integer32), try expression("age", "a", .string))
        #expect(
            try context.fetchDictionaries(request).map(\.values)
                == [[.int(61), .string("30")], [.null, .string("17")], [.null, .string("45")]])
        let error = #expect(throws: QueryError.self) {
            try context.fetchDictionaries(ObjectFetchRequest<Employee>().fetching(try expression("name", "n", .integer32)))
        }
        #expect(error?.reason == .typeMismatch)
    }
}
