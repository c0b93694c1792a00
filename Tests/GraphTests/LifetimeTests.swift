import Strata
import StrataTestModels
import Testing

@testable import StrataGraph

@Suite("Who keeps whom alive")
struct LifetimeTests {
    private let coordinator: RecordingCoordinator

    init() throws { coordinator = try Zoo.coordinator() }

    @Test("A context with pending changes of every kind is freed with its objects")
    func contextIsFreed() throws {
        weak var context: ManagedObjectContext?
        weak var kept: Person?
        weak var inserted: Person?
        try {
            let made = ManagedObjectContext(coordinator)
            let (ann, bob) = (made.person("Ann"), made.person("Bob"))
            try made.save()
            ann[Person.spouse] = bob
            ann[Person.friends] = [bob, made.person("New")]
            made.delete(made.person("Gone"))
            made.delete(bob)
            try made.processPendingChanges()
            (context, kept, inserted) = (made, ann, made.person("Other"))
            #expect(context != nil)
            #expect(kept != nil)
            #expect(inserted != nil)
        }()
        #expect(context == nil)
        #expect(kept == nil)
        #expect(inserted == nil)
    }

    @Test("An object without changes is freed when nothing references it, even if others are related to it")
    func objectIsFreed() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = context.person("Ann")
        weak var bob: Person?
        try {
            let made = context.person("Bob")
            ann[Person.spouse] = made
            ann[Person.friends] = [made]
            try context.save()
            bob = made
        }()
        #expect(bob == nil)
        #expect(context.registeredObjects == [ann])
        #expect(ann[Person.spouse]?[Person.name] == "Bob")
        #expect(ann[Person.friends].first?[Person.name] == "Bob")
    }

    @Test("What an object has beside its row is released with it, in a context and without one")
    func valuesAreReleased() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = context.person("Ann")
        try context.save()
        weak var held: ManagedObject?
        weak var extra: ObjectExtra?
        try {
            let person = try Person(entity: coordinator.model.entities[ann.entityIndex], insertInto: nil)
            let spouse = try Person(entity: person.entity, insertInto: nil)
            person[Person.spouse] = spouse
            held = spouse
            ann[Person.name] = "Anna"
            extra = ann.extra
            #expect(extra != nil)
            #expect(ann[Person.name] == "Anna")
        }()
        #expect(held == nil)
        context.rollback()
        #expect(ann[Person.name] == "Ann")
        context.reset()
        #expect(extra == nil)
    }

    @Test("Objects end after a reset as before it")
    func endAfterReset() throws {
        let context = ManagedObjectContext(coordinator)
        for _ in 0..<3 {
            for number in 0..<20 { _ = context.person("Person \(number)") }
            try context.save()
            let people = try context.fetch(ObjectFetchRequest<Person>())
            #expect(Set(people.prefix(10)).count == 10)
            context.reset()
            #expect(context.registeredObjects.isEmpty)
            #expect(people[0].managedObjectContext == nil)
        }
    }

    @Test("A changed object lives until it is saved, though nothing references it")
    func changedObjectStays() throws {
        let context = ManagedObjectContext(coordinator)
        weak var ann: Person?
        do {
            let made = context.person("Ann")
            ann = made
        }
        #expect(ann != nil)
        try context.save()
        #expect(ann == nil)
        #expect(try context.count(for: ObjectFetchRequest<Person>()) == 1)
    }

    @Test("An object that outlives its context keeps its values and what it is given, and throws for what it cannot read")
    func outliving() throws {
        var context: ManagedObjectContext? = ManagedObjectContext(coordinator)
        let (ann, bob) = (try #require(context?.person("Ann")), try #require(context?.person("Bob")))
        ann[Person.spouse] = bob
        try context?.save()
        let fault = try #require(try context?.sibling().here(ann))
        bob[Person.name] = "Pending"
        context = nil
        #expect(ann.managedObjectContext == nil)
        #expect(ann[Person.name] == "Ann")
        #expect(bob[Person.name] == "Pending")
        for (object, key) in [(ann, "spouse"), (ann, "tasks"), (bob, "spouse"), (fault, "name"), (fault, "friends")] {
            #expect(throws: StoreError.self, "\(key)") { try object.value(forKey: key) }
        }
        ann[Person.name] = "Changed"
        #expect(ann[Person.name] == "Changed")
        ann[Person.spouse] = nil
        #expect(ann[Person.spouse] == nil)
        #expect(ann.changedValues().isEmpty)
        try ann.setValue(bob, forKey: "spouse")
        #expect(ann[Person.spouse] === bob)
        #expect(fault.managedObjectContext == nil)
    }

    // It counted as inserted, and the save succeeded without it.
    @Test("An object that was new in a released context is not inserted into another one")
    func insertingOfReleased() throws {
        var released: ManagedObjectContext? = ManagedObjectContext(coordinator)
        let (ann, bob) = (try #require(released?.person("Ann")), try #require(released?.person("Bob")))
        try released?.save()
        let zoe = try #require(released?.person("Zoe"))
        released = nil
        for references in [zoe, bob] {
            let context = ManagedObjectContext(coordinator)
            if references === zoe {
                context.insert(zoe)
            } else {
                let person = try Person(entity: ann.entity, insertInto: nil)
                person[Person.spouse] = bob
                context.insert(person)
            }
            #expect(zoe.managedObjectContext == nil)
            #expect(throws: StoreError.self) { try context.save() }
        }
        #expect(try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<Person>()) == 2)
    }

    @Test("After a reset, objects have no context, and a fetch makes new ones")
    func reset() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = context.person("Ann")
        try context.save()
        ann[Person.name] = "Pending"
        let new = context.person("New")
        context.reset()
        #expect(!context.hasChanges)
        #expect(context.registeredObjects.isEmpty)
        #expect(ann.managedObjectContext == nil)
        #expect(new.managedObjectContext == nil)
        #expect(ann[Person.name] == nil)
        let again = try #require(try context.fetch(ObjectFetchRequest<Person>()).first)
        #expect(again !== ann)
        #expect(again[Person.name] == "Ann")
    }

    @Test("An object whose predecessor of the same record was freed takes its place")
    func successor() throws {
        let context = ManagedObjectContext(coordinator)
        let id = try {
            let ann = context.person("Ann")
            try context.save()
            return ann.objectID
        }()
        #expect(context.registeredObject(for: id) == nil)
        let ann = context.object(with: id)
        #expect(context.registeredObject(for: id) === ann)
    }

    // Its place was looked for by its own entity, which the context had heard of by no other way: it was not found, and led to what was freed.
    @Test("An object that turns out to be of a sub-entity leaves its context when nothing references it")
    func refinedObjectIsFreed() throws {
        let model = try ManagedObjectModel {
            Entity("Animal", attributes: ["name": .string], relationships: ["house": .toOne("House.pet")])
            Entity("Dog", parent: "Animal")
            Entity("House") { Relationship("pet", to: "Animal", inverse: "house") }
        }
        let coordinator = try PersistentStoreCoordinator(inMemory: model)
        let first = ManagedObjectContext(coordinator)
        let dog = try first.insert("Dog")
        try dog.setValue("Rex", forKey: "name")
        try first.insert("House").setValue(dog, forKey: "pet")
        try first.save()
        let context = ManagedObjectContext(coordinator)
        let house = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "House")).first)
        weak var pet: ManagedObject?
        try {
            let found = try #require(try house.value(forKey: "pet") as? ManagedObject)
            #expect(try found.value(forKey: "name") as? String == "Rex")
            #expect(found.entity.name == "Dog")
            pet = found
        }()
        // Until then the context retains what was read over to-one relationships.
        context.refreshAllObjects()
        #expect(pet == nil)
        #expect(context.registeredObjects == [house])
    }
}
