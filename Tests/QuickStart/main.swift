#if Macros
import Strata
import StrataSQLite

@Model final class Person: ManagedObject {
    var name: String
    var age: Int?
    @Relationship(deleteRule: .cascade, inverse: \Pet.owner) var pets: [Pet] = []
    init(name: String, age: Int) { (self.name, self.age) = (name, age) }
}

@Model final class Pet: ManagedObject {
    var name: String
    var owner: Person?
    init(name: String) { self.name = name }
}

let container = try PersistentContainer(for: Person.self, stores: [StoreDescription(.sqlite, path: "people.sqlite")])
let context = container.viewContext
let ada = Person(name: "Ada", age: 36)
ada.pets = [Pet(name: "Rex")]  // inserted with ada, and its owner is ada then
context.insert(ada)
try context.save()

let adults = try context.fetch(ObjectFetchRequest<Person>(Person.age >= 18 && Person.name.beginsWith("A"), sort: [Person.name.ascending]))
print(adults.map { "\($0.name) has \($0.pets.count) pet(s)" })

let names = try await container.performBackgroundTask { context in
    try context.fetch(ObjectFetchRequest<Pet>(Pet.owner.appending(Person.name) == "Ada")).map(\.name)
}
print(names)
#endif
