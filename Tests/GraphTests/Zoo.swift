import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestModels

final class Person: ManagedObject, PropertyValidating {
    static let name = Key<String>("name")
    static let age = Key<Int>("age")
    static let scratch = Key<String>("scratch")
    static let spouse = ToOne<Person>("spouse")
    static let passport = ToOne<Passport>("passport")
    static let pets = ToMany<Pet>("pets")
    static let tasks = ToManyOrdered<Job>("tasks")
    static let tags = ToMany<Tag>("tags")
    static let clubs = ToManyOrdered<Club>("clubs")
    static let friends = ToMany<Person>("friends")
    static let parent = ToOne<Person>("parent")
    static let children = ToMany<Person>("children")
    static let favourites = ToMany<Pet>("favourites")
    static let idol = ToOne<Person>("idol")
    static let guest = ToOne<Person>("guest")
    static let debts = ToMany<Debt>("debts")

    /// What the object heard, for tests of the life cycle.
    var heard: [String] = []
    var onWillSave: ((Person) -> Void)?
    var complaint: (any Error)?

    override func awakeFromInsert() { heard.append("insert") }
    override func awakeFromFetch() { heard.append("fetch") }
    override func prepareForDeletion() { heard.append("delete") }
    override func didSave() { heard.append("saved") }
    override func willSave() { onWillSave?(self) }
    override func validateForUpdate() throws { if let complaint { throw complaint } }
    func validate(_ value: Value, forKey key: String) throws {
        if key == "name", value == "nobody" {
            throw ValidationFailure(.custom, self, key: key, message: "nobody is nobody's name")
        }
    }
}

final class Passport: ManagedObject { static let owner = ToOne<Person>("owner") }
final class Pet: ManagedObject {
    static let name = Key<String>("name")
    static let owner = ToOne<Person>("owner")
}
final class Job: ManagedObject {
    static let title = Key<String>("title")
    static let person = ToOne<Person>("person")
}
final class Tag: ManagedObject { static let people = ToMany<Person>("people") }
final class Club: ManagedObject {
    static let name = Key<String>("name")
    static let members = ToManyOrdered<Person>("members")
}
final class Debt: ManagedObject { static let person = ToOne<Person>("person") }

/// A model with a relationship of every kind.
enum Zoo {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person", class: Person.self) {
                Attribute("name", .string).required
                Attribute("age", .integer16, default: 0, validation: [.range(0...150)])
                Attribute("email", .string, validation: [.pattern(#"[^@]+@[^@]+"#), .length(3...20)])
                Attributes([
                    "height": .float, "weight": .double, "salary": .decimal, "paid": .boolean, "key": .uuid, "page": .uri,
                    "photo": .binary,
                ])
                Attribute("notes", .transformable, transformer: .codable([String].self))
                Attribute("born", .date, validation: [.range(min: .date(Date(timeIntervalSinceReferenceDate: 0)), max: nil)])
                Attribute("scratch", .string, default: "blank").transient
                Relationship("spouse", to: "Person", inverse: "spouse")
                Relationship("passport", to: "Passport", inverse: "owner", deleteRule: .cascade)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany, maxCount: 50)
                Relationship("tasks", to: "Job", inverse: "person", .ordered, deleteRule: .cascade)
                Relationships([
                    "tags": .toMany("Tag.people"), "clubs": .ordered("Club.members"), "friends": .toMany("Person.friends"),
                    "parent": .toOne("Person.children"),
                ])
                Relationship("children", to: "Person", inverse: "parent", .toMany, deleteRule: .noAction)
                Relationships(["favourites": .toMany("Pet"), "idol": .toOne("Person")])
                Relationship("guest", to: "Person").with { $0.isTransient = true }
                Relationship("debts", to: "Debt", inverse: "person", .toMany, deleteRule: .deny)
            }
            Entity("Passport", class: Passport.self) { Relationship("owner", to: "Person", inverse: "passport").required }
            Entity("Animal", isAbstract: true) { Attribute("name", .string) }
            Entity("Pet", parent: "Animal", class: Pet.self) { Relationship("owner", to: "Person", inverse: "pets") }
            Entity("Job", class: Job.self, attributes: ["title": .string], relationships: ["person": .toOne("Person.tasks")])
            Entity("Tag", class: Tag.self) { Relationship("people", to: "Person", inverse: "tags", .toMany) }
            Entity("Club", class: Club.self) {
                Attribute("name", .string)
                Relationship("members", to: "Person", inverse: "clubs", .ordered, minCount: 2, maxCount: 3)
            }
            Entity("Debt", class: Debt.self) { Relationship("person", to: "Person", inverse: "debts") }
        }
    }

    /// A coordinator over an empty store in memory that keeps count of what contexts ask of it.
    static func coordinator() throws -> RecordingCoordinator {
        let coordinator = try PersistentStoreCoordinator(inMemory: model())
        return RecordingCoordinator(coordinator)
    }

    static func context() throws -> ManagedObjectContext { ManagedObjectContext(try coordinator()) }

    /// A coordinator over shelves, each of which has all of them in a fetched property.
    static func shelves() throws -> PersistentStoreCoordinator {
        let model = try ManagedObjectModel {
            Entity("Shelf") {
                Attribute("count", .integer64)
                FetchedProperty("all", to: "Shelf")
            }
        }
        return try PersistentStoreCoordinator(inMemory: model)
    }
}

extension PersistentStoreCoordinator {
    /// Creates a coordinator over an empty store in memory.
    convenience init(inMemory model: ManagedObjectModel) throws {
        self.init(model: model)
        try addStore(StoreDescription(.inMemory))
    }
}

extension ManagedObjectContext {
    func person(_ name: String) -> Person {
        let person = Person(context: self)
        person[Person.name] = name
        return person
    }

    /// A context over the same stores that has seen nothing yet.
    func sibling() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

    /// Looks at the stores through a context that has seen nothing yet.
    func elsewhere<T>(_ body: (ManagedObjectContext) throws -> T) rethrows -> T {
        let context = sibling()
        return try withExtendedLifetime(context) { try body(context) }
    }

    /// The object of another context here, as a fault.
    func here<T: ManagedObject>(_ object: T) throws -> T {
        guard let found = self.object(with: object.objectID) as? T else {
            throw StoreError(.notFound, .fetch, "\(object) is of another class here")
        }
        return found
    }
}
