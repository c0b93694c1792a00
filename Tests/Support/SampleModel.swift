package import FoundationEssentials
package import Strata
import StrataTestModels

/// A company of the sample model.
package final class SampleCompany: ManagedObject {
    package static let name = Key<String>("name")
    package static let founded = Key<Date>("founded")
    package static let people = ToMany<SamplePerson>("people")
    package static let departments = ToManyOrdered<SampleDepartment>("departments")

    package var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    package var founded: Date? {
        get { self[Self.founded] }
        set { self[Self.founded] = newValue }
    }
    package var people: Set<SamplePerson> {
        get { self[Self.people] }
        set { self[Self.people] = newValue }
    }
    package var departments: [SampleDepartment] {
        get { self[Self.departments] }
        set { self[Self.departments] = newValue }
    }
}

/// A department, which goes with its company.
package final class SampleDepartment: ManagedObject {
    package static let name = Key<String>("name")
    package static let company = ToOne<SampleCompany>("company")

    package var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    package var company: SampleCompany? {
        get { self[Self.company] }
        set { self[Self.company] = newValue }
    }
}

/// A person, or a manager of some.
package class SamplePerson: ManagedObject {
    package static let name = Key<String>("name")
    package static let mail = Key<String>("mail")
    package static let age = Key<Int16>("age")
    package static let salary = Key<Decimal>("salary")
    package static let company = ToOne<SampleCompany>("company")
    package static let friends = ToMany<SamplePerson>("friends")
    package static let manager = ToOne<SampleManager>("manager")

    package final var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    package final var mail: String? {
        get { self[Self.mail] }
        set { self[Self.mail] = newValue }
    }
    package final var age: Int16? {
        get { self[Self.age] }
        set { self[Self.age] = newValue }
    }
    package final var salary: Decimal? {
        get { self[Self.salary] }
        set { self[Self.salary] = newValue }
    }
    package final var company: SampleCompany? {
        get { self[Self.company] }
        set { self[Self.company] = newValue }
    }
    package final var friends: Set<SamplePerson> {
        get { self[Self.friends] }
        set { self[Self.friends] = newValue }
    }
    package final var manager: SampleManager? {
        get { self[Self.manager] }
        set { self[Self.manager] = newValue }
    }
}

/// A person whom others report to.
package final class SampleManager: SamplePerson {
    package static let level = Key<Int32>("level")
    package static let reports = ToMany<SamplePerson>("reports")

    package var level: Int32? {
        get { self[Self.level] }
        set { self[Self.level] = newValue }
    }
    package var reports: Set<SamplePerson> {
        get { self[Self.reports] }
        set { self[Self.reports] = newValue }
    }
}

/// A model that tests share: companies, departments, people and managers.
package enum SampleModel {
    /// A new copy of the model.
    package static func make() throws -> ManagedObjectModel {
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
                Attributes(["name": .string, "mail": .string])
                Attribute("age", .integer16, validation: [.range(0...150)])
                Attribute("salary", .decimal)
                Relationships([
                    "company": .toOne("Company.people"), "friends": .toMany("Person.friends"), "manager": .toOne("Manager.reports"),
                ])
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
    package static func container(_ store: TestStore, in directory: TemporaryDirectory, name: String = "store") throws
        -> PersistentContainer
    {
        try PersistentContainer(name: name, model: make(), stores: [store.description(in: directory.path, name: name)])
    }
}
