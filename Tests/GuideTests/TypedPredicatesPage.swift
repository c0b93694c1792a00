import Foundation
import Strata

/// The code of the guide "Typed predicates".
enum TypedPredicatesPage {
    final class Person: ManagedObject {
        static let name = Key<String>("name")
        static let age = Key<Int>("age")
        static let active = Key<Bool>("isActive")
        static let company = ToOne<Company>("company")
        var name: String { self[Self.name] ?? "" }
        var age: Int { self[Self.age] ?? 0 }
        var isActive: Bool { self[Self.active] ?? false }
        var company: Company? { self[Self.company] }
    }

    final class Company: ManagedObject {
        static let name = Key<String>("name")
        var name: String { self[Self.name] ?? "" }
    }

    static func keys(_ context: ManagedObjectContext) throws -> (QueryPredicate, [Person]) {
        let a = Person.age >= 18 && Person.name.beginsWith("A", .caseInsensitive)
        let b = \Person.age >= 18 && (\Person.name).contains("é", [.caseInsensitive, .diacriticInsensitive])
        let adults = try context.fetch(ObjectFetchRequest<Person>(b, sort: [ObjectSort(\Person.name)]))
        return (a, adults)
    }

    static func macro() throws -> (ObjectFetchRequest<Person>, QueryPredicate) {
        let request = try ObjectFetchRequest(#Predicate<Person> { $0.age >= 18 && $0.company?.name == "ACME" })
        let both = try QueryPredicate(#Predicate<Person> { $0.isActive }) && Person.name.contains("an", .caseInsensitive)
        return (request, both)
    }
}
