import FoundationEssentials
import Strata
import StrataTestModels

/// A company's people with typed properties of every kind, for typed queries.
enum Rank: String, ValueConvertible, Codable, CaseIterable { case junior, senior, chief }
/// An enumeration that does not list its cases.
enum Shift: String, ValueConvertible, Codable { case day, night, other }
enum Grade: Int16, ValueConvertible, Codable { case low = 1, high = 90 }

final class Company: ManagedObject {
    static let name = Key<String>("name")
    static let employees = ToMany<Employee>("employees")
    static let projects = ToManyOrdered<Project>("projects")

    var name: String {
        get { self[Self.name] ?? "" }
        set { self[Self.name] = newValue }
    }
    var employees: Set<Employee> { self[Self.employees] }
    var projects: [Project] { self[Self.projects] }
    var adults: Set<Employee> { employees.filter { $0.age >= 18 } }
    var byAge: [Employee] { employees.sorted { $0.age < $1.age } }
    var latest: [Project] { projects.reversed() }
    var oldest: Employee? { employees.max { $0.age < $1.age } }
}

final class Project: ManagedObject {
    static let title = Key<String>("title")
    static let budget = Key<Int>("budget")
    static let company = ToOne<Company>("company")
    static let members = ToMany<Employee>("members")

    var title: String? {
        get { self[Self.title] }
        set { self[Self.title] = newValue }
    }
    var budget: Int {
        get { self[Self.budget] ?? 0 }
        set { self[Self.budget] = newValue }
    }
    var company: Company? {
        get { self[Self.company] }
        set { self[Self.company] = newValue }
    }
    var members: Set<Employee> {
        get { self[Self.members] }
        set { self[Self.members] = newValue }
    }
}

class Employee: ManagedObject {
    static let name = Key<String>("name")
    static let nick = Key<String>("nick")
    static let age = Key<Int>("age")
    static let small = Key<Int16>("small")
    static let height = Key<Float>("height")
    static let weight = Key<Double>("weight")
    static let salary = Key<Decimal>("salary")
    static let isActive = Key<Bool>("isActive")
    static let key = Key<UUID>("key")
    static let page = Key<URL>("page")
    static let photo = Key<Data>("photo")
    static let born = Key<Date>("born")
    static let rank = Key<Rank>("rank")
    static let shift = Key<Shift>("shift")
    static let grade = Key<Grade>("grade")
    static let company = ToOne<Company>("company")
    static let boss = ToOne<Employee>("boss")
    static let reports = ToMany<Employee>("reports")
    static let projects = ToMany<Project>("projects")

    final var name: String {
        get { self[Self.name]! }
        set { self[Self.name] = newValue }
    }
    final var nick: String? {
        get { self[Self.nick] }
        set { self[Self.nick] = newValue }
    }
    final var age: Int {
        get { self[Self.age] ?? 0 }
        set { self[Self.age] = newValue }
    }
    final var small: Int16? {
        get { self[Self.small] }
        set { self[Self.small] = newValue }
    }
    final var height: Float? {
        get { self[Self.height] }
        set { self[Self.height] = newValue }
    }
    final var weight: Double? {
        get { self[Self.weight] }
        set { self[Self.weight] = newValue }
    }
    final var salary: Decimal? {
        get { self[Self.salary] }
        set { self[Self.salary] = newValue }
    }
    final var isActive: Bool {
        get { self[Self.isActive] ?? false }
        set { self[Self.isActive] = newValue }
    }
    final var key: UUID? {
        get { self[Self.key] }
        set { self[Self.key] = newValue }
    }
    final var page: URL? {
        get { self[Self.page] }
        set { self[Self.page] = newValue }
    }
    final var photo: Data? {
        get { self[Self.photo] }
        set { self[Self.photo] = newValue }
    }
    final var born: Date? {
        get { self[Self.born] }
        set { self[Self.born] = newValue }
    }
    final var rank: Rank? {
        get { self[Self.rank] }
        set { self[Self.rank] = newValue }
    }
    final var shift: Shift {
        get { self[Self.shift] ?? .other }
        set { self[Self.shift] = newValue }
    }
    final var grade: Grade? {
        get { self[Self.grade] }
        set { self[Self.grade] = newValue }
    }
    final var company: Company? {
        get { self[Self.company] }
        set { self[Self.company] = newValue }
    }
    final var boss: Employee? {
        get { self[Self.boss] }
        set { self[Self.boss] = newValue }
    }
    final var reports: Set<Employee> {
        get { self[Self.reports] }
        set { self[Self.reports] = newValue }
    }
    final var projects: Set<Project> {
        get { self[Self.projects] }
        set { self[Self.projects] = newValue }
    }

    // Computed properties, none of which a query knows.
    final var isAdult: Bool { age >= 18 }
    final var isIdle: Bool { !isActive }
    final var shout: String { name.uppercased() }
    final var trimmed: String { String(name.drop { $0 == " " }) }
    final var fullName: String { name + " " + (nick ?? "") }
    final var shownName: String? { self[Self.nick] ?? self[Self.name] }
    final var positiveAge: Int { max(0, age) }
    final var kilos: Double? { weight.map { ($0 * 10).rounded() / 10 } }
    final var byKey: String? { try? value(forKey: "name") as? String }
    final var constant: Int { 42 }
    final var companyName: String? { company?.name }
    final var wideSmall: Int? { small.map(Int.init) }
}

final class Manager: Employee {
    static let level = Key<Int>("level")
    var level: Int? {
        get { self[Self.level] }
        set { self[Self.level] = newValue }
    }
}

enum Firm {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Company", class: Company.self) {
                Attribute("name", .string)
                Relationships(["employees": .toMany("Employee.company"), "projects": .ordered("Project.company")])
            }
            Entity("Project", class: Project.self) {
                Attributes(["title": .string, "budget": .integer64])
                Relationships(["company": .toOne("Company.projects"), "members": .toMany("Employee.projects")])
            }
            Entity("Employee", class: Employee.self) {
                Attributes([
                    "name": .string, "nick": .string, "age": .integer64, "small": .integer16, "height": .float, "weight": .double,
                    "salary": .decimal, "isActive": .boolean, "key": .uuid, "page": .uri, "photo": .binary, "born": .date,
                    "rank": .string, "shift": .string, "grade": .integer16,
                ])
                Relationships([
                    "company": .toOne("Company.employees"), "boss": .toOne("Employee.reports"), "reports": .toMany("Employee.boss"),
                    "projects": .toMany("Project.members"),
                ])
            }
            Entity("Manager", parent: "Employee", class: Manager.self) { Attribute("level", .integer64) }
        }
    }

    static func context() throws -> ManagedObjectContext {
        let coordinator = try PersistentStoreCoordinator(inMemory: model())
        return ManagedObjectContext(coordinator)
    }
}
