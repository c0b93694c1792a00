import Strata
import StrataInMemory
import Testing

/// Each message of a context or an object that refuses an entity, a key, a value or a request.
@Suite("Messages of contexts and objects")
struct ContextMessageTests {
    private let context: ManagedObjectContext

    init() throws { context = try Zoo.context() }

    private func message(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as StoreError { return error.message } catch let error as QueryError { return error.message } catch {
            return "\(error)"
        }
    }

    @Test("Of an entity")
    func entities() throws {
        #expect(message { try context.insert("Unicorn") } == "the model has no entity Unicorn")
        #expect(message { try context.insert("Animal") } == "the entity is abstract")
        #expect(
            message { _ = try context.fetch(ObjectFetchRequest<Unmodelled>()) } == "no entity, or more than one, names the class Unmodelled"
        )
        let lazy = ObjectFetchRequest<Pet>(entityName: "Person")
        #expect(message { _ = try context.fetchLazily(lazy) } == "objects of Person are no Pet")
    }

    @Test("Of a key")
    func keys() throws {
        let person = context.person("Ada")
        #expect(message { _ = try person.value(forKey: "shoe") } == "shoe is no property of Person")
        #expect(message { _ = try person.fetchedObjects("shoes") } == "shoes is no fetched property of Person")
        #expect(message { _ = try person.mutableSetValue(forKey: "name") } == "name is no to-many relationship of Person")
        #expect(message { _ = try person.mutableOrderedSetValue(forKey: "pets") } == "pets is no ordered relationship of Person")
    }

    @Test("Of a value")
    func values() throws {
        let person = context.person("Ada")
        #expect(
            message { try person.setValue(1, forKey: "pets") } == "a to-many relationship takes a set or an array of managed objects")
        #expect(message { try person.setValue("Rex", forKey: "idol") } == "\"Rex\" is no managed object")
        #expect(message { try person.setValue(Pet(context: context), forKey: "idol") } == "Pet is no Person")
        let other = try Zoo.context()
        #expect(
            message { try person.setValue(other.person("Bob"), forKey: "idol") } == "objects of different contexts cannot be related")
        let gone = context.person("Bob")
        try context.save()
        context.delete(gone)
        try context.save()
        #expect(
            message { try person.setValue(gone, forKey: "idol") }
                == "\(gone.objectID) was deleted, or its context forgot it: nothing can be related to it")
    }

    @Test("Of an object that is not there, or is saved already")
    func objects() throws {
        let person = context.person("Ada")
        try context.save()
        let store = try #require((context.coordinator as? RecordingCoordinator)?.base.stores.first)
        #expect(message { try context.assign(person, to: store) } == "a saved object stays in its store")
        let pending = context.person("Bob")
        try context.obtainPermanentIDs(for: [pending])
        #expect(message { try context.assign(pending, to: store) } == "the object's permanent ID names its store")
        let id = person.objectID
        context.delete(person)
        try context.save()
        #expect(message { _ = try context.existingObject(with: id) } == "there is no object \(id)")
    }

    @Test("Of a query generation")
    func generations() throws {
        let child = ManagedObjectContext(parent: context)
        #expect(message { try child.setQueryGenerationFrom(.current) } == "a child reads the generation of its parent")
        #expect(message { try context.setQueryGenerationFrom(.current) } == "the context's coordinator holds no generations")
        let (first, second) = (ManagedObjectContext(try Zoo.coordinator().base), ManagedObjectContext(try Zoo.coordinator().base))
        try first.setQueryGenerationFrom(.current)
        _ = try first.fetch(ObjectFetchRequest<Person>())
        let token = try #require(first.queryGenerationToken)
        #expect(message { try second.setQueryGenerationFrom(token) } == "the generation is of another coordinator")
    }

    @Test("Of a fetch of groups and columns")
    func groups() throws {
        var request = ObjectFetchRequest<Person>()
        func message() -> String? { self.message { _ = try context.fetchDictionaries(request) } }
        request.propertiesToGroupBy = ["age"]
        request.propertiesToFetch = ["name"]
        #expect(message() == "it is neither among the properties to group by nor within an aggregate")
        request.propertiesToFetch = [ExpressionDescription(name: "self", expression: .evaluatedObject)]
        #expect(message() == "a group is no object: count them, or group by it")
        request.propertiesToFetch = [ExpressionDescription(name: "sum", expression: .function(.sum, [.keyPath("name")]))]
        #expect(message() == "sum does not apply to what it holds")
        request.propertiesToGroupBy = []
        request.propertiesToFetch = ["age", "age"]
        #expect(message() == "each property to fetch has a name of its own")
        request.propertiesToFetch = [ExpressionDescription(name: "pets", expression: .list([.keyPath("age"), .keyPath("name")]))]
        #expect(message() == "a column holds one value: aggregate the others")
    }

    @Test("Of a fetch template")
    func templates() throws {
        let model = try ManagedObjectModel {
            Entity("A") { Attribute("x", .integer16) }
            FetchTemplate("t", entity: "A", predicate: "x == $X")
        }
        #expect(
            message { let _: ObjectFetchRequest<ManagedObject> = try model.fetchRequest(fromTemplate: "u") }
                == "the model has no fetch template u")
        #expect(
            message { let _: ObjectFetchRequest<ManagedObject> = try model.fetchRequest(fromTemplate: "t") }
                == "nothing gives the variable a value")
    }

    @Test("Of a save within a save")
    func savingWhileSaving() throws {
        let person = context.person("Ada")
        var inner: String?
        person.onWillSave = { person in
            person.onWillSave = nil
            inner = message { try person.managedObjectContext?.save() }
        }
        try context.save()
        #expect(inner == "an object saves its context in willSave(), which is saving already")
    }

    @Test("Of an object that breaks a rule")
    func rules() throws {
        let passport = Passport(context: context)
        let job = context.person("")
        job[Person.name] = nil
        let failures = (#expect(throws: ValidationError.self) { try context.save() })?.failures ?? []
        withExtendedLifetime(passport) {
            #expect(failures.map(\.message).sorted() == ["a destination is required", "a value is required"])
        }
    }
}

private final class Unmodelled: ManagedObject {}
