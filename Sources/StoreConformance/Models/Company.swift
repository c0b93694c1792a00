import Strata
import StrataTestModels

/// The model of most cases: companies with departments and people.
final class Company: ManagedObject {
    static let name = Key<String>("name")
    static let city = Key<String>("city")
    static let people = ToMany<Person>("people")
    static let departments = ToManyOrdered<Department>("departments")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var city: String? {
        get { self[Self.city] }
        set { self[Self.city] = newValue }
    }
    var people: Set<Person> {
        get { self[Self.people] }
        set { self[Self.people] = newValue }
    }
    var departments: [Department] {
        get { self[Self.departments] }
        set { self[Self.departments] = newValue }
    }
}

final class Department: ManagedObject {
    static let name = Key<String>("name")
    static let company = ToOne<Company>("company")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var company: Company? {
        get { self[Self.company] }
        set { self[Self.company] = newValue }
    }
}

final class Person: ManagedObject {
    static let name = Key<String>("name")
    static let age = Key<Int16>("age")
    static let salary = Key<Double>("salary")
    static let company = ToOne<Company>("company")
    static let boss = ToOne<Person>("boss")
    static let reports = ToMany<Person>("reports")
    static let friends = ToMany<Person>("friends")
    static let skills = ToMany<Skill>("skills")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var age: Int16? {
        get { self[Self.age] }
        set { self[Self.age] = newValue }
    }
    var salary: Double? {
        get { self[Self.salary] }
        set { self[Self.salary] = newValue }
    }
    var company: Company? {
        get { self[Self.company] }
        set { self[Self.company] = newValue }
    }
    var boss: Person? {
        get { self[Self.boss] }
        set { self[Self.boss] = newValue }
    }
    var reports: Set<Person> {
        get { self[Self.reports] }
        set { self[Self.reports] = newValue }
    }
    var friends: Set<Person> {
        get { self[Self.friends] }
        set { self[Self.friends] = newValue }
    }
    var skills: Set<Skill> {
        get { self[Self.skills] }
        set { self[Self.skills] = newValue }
    }

    convenience init(_ name: String, _ context: ManagedObjectContext, age: Int16? = nil, company: Company? = nil) {
        self.init(context: context)
        self.name = name
        self.age = age
        self.company = company
    }
}

final class Skill: ManagedObject {
    static let name = Key<String>("name")
    static let people = ToMany<Person>("people")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var people: Set<Person> {
        get { self[Self.people] }
        set { self[Self.people] = newValue }
    }
}

extension Models {
    /// Companies, departments, people and skills.
    static let company: ModelResult = Result { try ManagedObjectModel(entities: companyEntities, versionIdentifiers: ["1"]) }

    static var companyEntities: [Entity] {
        [
            Entity("Company", class: Company.self) {
                Attributes(["name": .string, "city": .string])
                Relationship("people", to: "Person", inverse: "company", .toMany)
                Relationship("departments", to: "Department", inverse: "company", .ordered, deleteRule: .cascade)
            },
            Entity("Department", class: Department.self) {
                Attribute("name", .string)
                Relationship("company", to: "Company", inverse: "departments")
            },
            Entity("Person", class: Person.self) {
                Attributes(["name": .string, "age": .integer16, "salary": .double])
                Relationships([
                    "company": .toOne("Company.people"), "boss": .toOne("Person.reports"), "reports": .toMany("Person.boss"),
                    "friends": .toMany("Person.friends"), "skills": .toMany("Skill.people"),
                ])
                FetchIndex("byAge", on: "age")
            },
            Entity("Skill", class: Skill.self, attributes: ["name": .string], relationships: ["people": .toMany("Person.skills")]),
        ]
    }
}

extension ManagedObjectContext {
    /// The one object of a class with a name.
    func named<T: ManagedObject>(_ name: String, _ type: T.Type = T.self, line: Int = #line) throws -> T {
        let found = try fetch(ObjectFetchRequest<T>(key("name") == .string(name)))
        try expectEqual(found.count, 1, "objects \(T.self) named \(name)", line: line)
        return found[0]
    }

    /// The names of all objects of a class, sorted.
    func names<T: ManagedObject>(of type: T.Type, _ predicate: QueryPredicate? = nil) throws -> [String] {
        try fetch(ObjectFetchRequest<T>(predicate, sort: [QuerySort("name")])).map { try $0.value(forKey: "name") as? String ?? "nil" }
    }

    /// The objects of an entity by their names.
    func all(_ entity: String, _ predicate: QueryPredicate? = nil, sort: [QuerySort] = []) throws -> [ManagedObject] {
        try fetch(ObjectFetchRequest<ManagedObject>(entityName: entity, predicate, sort: sort))
    }
}

/// The names of objects, sorted.
func names(_ objects: some Sequence<ManagedObject>) throws -> [String] { try inOrder(objects).sorted() }

/// The names of objects, as they come.
func inOrder(_ objects: some Sequence<ManagedObject>) throws -> [String] {
    try objects.map { try $0.value(forKey: "name") as? String ?? "nil" }
}
