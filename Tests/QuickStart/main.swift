import Strata
import StrataSQLite

final class Person: ManagedObject {
    static let name = Key<String>("name")
    static let age = Key<Int>("age")
    static let pets = ToMany<Pet>("pets")

    var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
    var age: Int? { get { self[Self.age] } set { self[Self.age] = newValue } }
    var pets: Set<Pet> { get { self[Self.pets] } set { self[Self.pets] = newValue } }
}

final class Pet: ManagedObject {
    static let name = Key<String>("name")
    static let owner = ToOne<Person>("owner")

    var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
    var owner: Person? { get { self[Self.owner] } set { self[Self.owner] = newValue } }
}

let model = try ManagedObjectModel {
    Entity("Person", class: Person.self) {
        Attribute(Person.name, .string).required
        Attribute(Person.age, .integer16, default: 0, validation: [.range(0...150)])
        Relationship(Person.pets, to: "Pet", inverse: "owner", deleteRule: .cascade)
        FetchIndex("byName", on: "name")
    }
    Entity("Pet", class: Pet.self) {
        Attribute(Pet.name, .string).required
        Relationship(Pet.owner, to: "Person", inverse: "pets")
    }
}

let container = try PersistentContainer(model: model, stores: [StoreDescription(.sqlite, path: "people.sqlite")])
let context = container.viewContext

let ada = Person(context: context)
ada.name = "Ada"
ada.age = 36
let rex = Pet(context: context)
rex.name = "Rex"
rex.owner = ada  // and ada.pets contains rex
try context.save()

let adults = try context.fetch(ObjectFetchRequest<Person>(Person.age >= 18 && Person.name.beginsWith("A"), sort: [Person.name.ascending]))
print(adults.map { "\($0.name ?? "?") has \($0.pets.count) pet(s)" })

let names = try await container.performBackgroundTask { context in
    try context.fetch(ObjectFetchRequest<Pet>(Pet.owner.appending(Person.name) == "Ada")).compactMap(\.name)
}
print(names)
