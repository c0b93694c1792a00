import Foundation
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

@Suite("The README's queries")
struct ReadmeQueryTests {
    final class Person: ManagedObject {
        static let name = Key<String>("name")
        static let age = Key<Int>("age")

        var name: String? {
            get { self[Self.name] }
            set { self[Self.name] = newValue }
        }
        var age: Int? {
            get { self[Self.age] }
            set { self[Self.age] = newValue }
        }
    }

    @Test("They are the code below")
    func text() throws {
        let example = try #require(try PageExamples(onPage: "README.md").all.first { $0.contains("QueryPredicate(format:") })
        let missing = try PageExamples.lines(of: [example], missingIn: #filePath)
        #expect(missing.isEmpty)
    }

    @Test("All three ways find the same people")
    func run() throws {
        let model = try ManagedObjectModel {
            Entity("Person", class: Person.self) {
                Attribute("name", .string).required
                Attribute("age", .integer16, default: 0)
            }
        }
        let container = try PersistentContainer(name: "readme", model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        for (name, age) in [("Ada", 36), ("Bob", 40), ("Ann", 12), ("Ann", 18)] {
            let person = Person(context: context)
            person.name = name
            person.age = age
        }
        try context.save()

        let text = try QueryPredicate(format: "age >= %d AND name BEGINSWITH %@", 18, "A")
        let keys = Person.age >= 18 && Person.name.beginsWith("A")
        let macro = try QueryPredicate(#Predicate<Person> { ($0.age ?? 0) >= 18 && ($0.name ?? "").starts(with: "A") })
        print(try context.explain(ObjectFetchRequest<Person>(text)))

        for predicate in [text, keys, macro] {
            let found = try context.fetch(ObjectFetchRequest<Person>(predicate, sort: [Person.name.ascending]))
            #expect(found.map(\.name) == ["Ada", "Ann"], "\(predicate)")
        }
    }
}
