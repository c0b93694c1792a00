import FoundationEssentials
import Strata

/// A company of the sample model.
public final class SampleCompany: ManagedObject {
    public static let name = Key<String>("name")
    public static let founded = Key<Date>("founded")
    public static let people = ToMany<SamplePerson>("people")
    public static let departments = ToManyOrdered<SampleDepartment>("departments")

    public var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
    public var founded: Date? { get { self[Self.founded] } set { self[Self.founded] = newValue } }
    public var people: Set<SamplePerson> { get { self[Self.people] } set { self[Self.people] = newValue } }
    public var departments: [SampleDepartment] { get { self[Self.departments] } set { self[Self.departments] = newValue } }
}

/// A department, which goes with its company.
public final class SampleDepartment: ManagedObject {
    public static let name = Key<String>("name")
    public static let company = ToOne<SampleCompany>("company")

    public var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
    public var company: SampleCompany? { get { self[Self.company] } set { self[Self.company] = newValue } }
}

/// A person, or a manager of some.
public class SamplePerson: ManagedObject {
    public static let name = Key<String>("name")
    public static let mail = Key<String>("mail")
    public static let age = Key<Int16>("age")
    public static let salary = Key<Decimal>("salary")
    public static let company = ToOne<SampleCompany>("company")
    public static let friends = ToMany<SamplePerson>("friends")
    public static let manager = ToOne<SampleManager>("manager")

    public final var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
    public final var mail: String? { get { self[Self.mail] } set { self[Self.mail] = newValue } }
    public final var age: Int16? { get { self[Self.age] } set { self[Self.age] = newValue } }
    public final var salary: Decimal? { get { self[Self.salary] } set { self[Self.salary] = newValue } }
    public final var company: SampleCompany? { get { self[Self.company] } set { self[Self.company] = newValue } }
    public final var friends: Set<SamplePerson> { get { self[Self.friends] } set { self[Self.friends] = newValue } }
    public final var manager: SampleManager? { get { self[Self.manager] } set { self[Self.manager] = newValue } }
}

/// A person whom others report to.
public final class SampleManager: SamplePerson {
    public static let level = Key<Int32>("level")
    public static let reports = ToMany<SamplePerson>("reports")

    public var level: Int32? { get { self[Self.level] } set { self[Self.level] = newValue } }
    public var reports: Set<SamplePerson> { get { self[Self.reports] } set { self[Self.reports] = newValue } }
}

/// A model that tests share: companies, departments, people and managers.
public enum SampleModel {
    /// A new copy of the model.
    public static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["sample"]) {
            Entity("Company", class: SampleCompany.self) {
                Attribute("name", .string).required
                Attribute("founded", .date)
                Relationship("people", to: "Person", inverse: "company", .toMany)
                Relationship("departments", to: "Department", inverse: "company", .ordered, deleteRule: .cascade)
            }
            Entity("Department", class: SampleDepartment.self) {
                Attribute("name", .string)
                Relationship("company", to: "Company", inverse: "departments")
            }
            Entity("Person", class: SamplePerson.self) {
                Attribute("name", .string)
                Attribute("mail", .string)
                Attribute("age", .integer16, validation: [.range(0...150)])
                Attribute("salary", .decimal)
                Relationship("company", to: "Company", inverse: "people")
                Relationship("friends", to: "Person", inverse: "friends", .toMany)
                Relationship("manager", to: "Manager", inverse: "reports")
                Unique("mail")
                FetchIndex("byAge", on: "age")
            }
            Entity("Manager", parent: "Person", class: SampleManager.self) {
                Attribute("level", .integer32, default: 1)
                Relationship("reports", to: "Person", inverse: "manager", .toMany)
            }
        }
    }

    /// A container over one store of the sample model.
    public static func container(_ store: TestStore, in directory: TemporaryDirectory, name: String = "store") throws -> PersistentContainer {
        try PersistentContainer(name: name, model: make(), stores: [store.description(in: directory.path, name: name)])
    }
}
