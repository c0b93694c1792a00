import Strata
import StrataTestRandom
import Testing

@Suite("One object per record")
struct UniquingTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext
    private let ann: Person

    init() throws {
        coordinator = try Zoo.coordinator()
        context = ManagedObjectContext(coordinator)
        ann = context.person("Ann")
        try context.save()
    }

    @Test("A fetch gives the registered object, twice the same, by whatever request")
    func fetches() throws {
        let first = try context.fetch(ObjectFetchRequest<Person>())
        let second = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person", key("name") == "Ann"))
        #expect(first == [ann])
        #expect(second == [ann])
        #expect(context.object(with: ann.objectID) === ann)
        #expect(context.registeredObject(for: ann.objectID) === ann)
        #expect(try context.existingObject(with: ann.objectID) === ann)
    }

    @Test("Two contexts have an object each for one record")
    func twoContexts() throws {
        let other = context.sibling()
        let there = try #require(try other.fetch(ObjectFetchRequest<Person>()).first)
        #expect(there !== ann)
        #expect(there.objectID == ann.objectID)
        there[Person.name] = "Bob"
        #expect(ann[Person.name] == "Ann")
    }

    @Test("An ID with an ancestor's entity identifies the same object")
    func ancestorID() throws {
        let pet = Pet(context: context)
        try context.save()
        let animal = try #require(context.model.entity(named: "Animal"))
        let uuid = try #require(pet.objectID.storeID)
        let id = ObjectID(scope: try coordinator.scopes(ofStore: uuid)[animal.index], reference: pet.objectID.reference)
        #expect(context.object(with: id) === pet)
        #expect(context.registeredObject(for: id) === pet)
        #expect(try context.sibling().existingObject(with: id) is Pet)
    }

    @Test("A URI leads back to the object")
    func uri() throws {
        let id = try #require(coordinator.objectID(forURI: ann.objectID.uriRepresentation))
        #expect(context.object(with: id) === ann)
        #expect(coordinator.objectID(forURI: "x-coredata://nowhere/Person/p1") == nil)
    }

    @Test("A fetched object keeps its pending values")
    func pendingValues() throws {
        ann[Person.name] = "Changed"
        #expect(try context.fetch(ObjectFetchRequest<Person>()).first?[Person.name] == "Changed")
    }

    @Test("A new object has a temporary ID that a save replaces, in the context too")
    func temporaryIDs() throws {
        let bob = context.person("Bob")
        let temporary = bob.objectID
        #expect(temporary.isTemporary)
        #expect(context.object(with: temporary) === bob)
        try context.save()
        #expect(!bob.objectID.isTemporary)
        #expect(bob.objectID != temporary)
        #expect(context.registeredObject(for: bob.objectID) === bob)
        #expect(context.registeredObject(for: temporary) == nil)
    }

    @Test("Permanent IDs obtained before the save stay, and the temporary ones still identify the objects")
    func obtainedIDs() throws {
        let bob = context.person("Bob")
        let temporary = bob.objectID
        try context.obtainPermanentIDs(for: [bob])
        let permanent = bob.objectID
        #expect(!permanent.isTemporary)
        #expect(bob.isInserted)
        #expect(context.object(with: temporary) === bob)
        try context.save()
        #expect(bob.objectID == permanent)
        #expect(try context.sibling().fetch(ObjectFetchRequest<Person>(Person.name == "Bob")).map(\.objectID) == [permanent])
    }

    @Test("Relationships to new objects survive that these get permanent IDs")
    func obtainedIDsInRelationships() throws {
        let (bob, rex, club) = (context.person("Bob"), Pet(context: context), Club(context: context))
        bob.add(rex, to: Person.pets)
        bob[Person.clubs] = [club]
        ann[Person.spouse] = bob
        bob[Person.guest] = ann
        ann[Person.guest] = bob
        try context.obtainPermanentIDs(for: [rex, bob, club])
        #expect(ann[Person.spouse] === bob)
        #expect(rex[Pet.owner] === bob)
        #expect(bob[Person.pets] == [rex])
        #expect(ann[Person.guest] === bob)
        bob.remove(rex, from: Person.pets)
        bob.remove(club, from: Person.clubs)
        #expect(bob[Person.pets].isEmpty)
        #expect(rex[Pet.owner] == nil)
        #expect(bob[Person.clubs].isEmpty)
        #expect(club[Club.members].isEmpty)
        ann[Person.spouse] = nil
        #expect(bob[Person.spouse] == nil)
    }

    @Test("The view of registered objects holds what is alive, and no more")
    func registered() throws {
        let other = context.sibling()
        var found: [Person]? = try other.fetch(ObjectFetchRequest<Person>())
        #expect(other.registeredObjects == Set(found ?? []))
        found = nil
        #expect(other.registeredObjects.isEmpty)
    }

    @Test("Many objects that come and go keep the identity map right")
    func manyObjects() throws {
        for number in 0..<300 { _ = context.person("p\(number)") }
        try context.save()
        let other = context.sibling()
        var held = try other.fetch(ObjectFetchRequest<Person>())
        var random = SeededGenerator(seed: 20)
        for _ in 0..<20 {
            held.shuffle(using: &random)
            held.removeLast(held.count / 2)
            let again = try other.fetch(ObjectFetchRequest<Person>())
            #expect(again.count == 301)
            #expect(Set(again.map(\.objectID)).count == 301)
            #expect(Set(again).isSuperset(of: held))
            #expect(other.registeredObjects.count == 301)
            held = again
        }
    }
}
