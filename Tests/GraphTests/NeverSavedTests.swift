import Strata
import StrataInMemory
import Testing

/// A new object may have a permanent ID, and a saved one a temporary one: nothing but the object itself tells whether it was ever saved.
@Suite("Never saved, and without a permanent ID, are two things")
struct NeverSavedTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext

    init() throws {
        coordinator = try Zoo.coordinator()
        context = ManagedObjectContext(coordinator)
    }

    @Test("An object that was never saved is not looked for in the stores, whatever its ID")
    func nothingIsRead() throws {
        let (bob, rex, job) = (context.person("Bob"), Pet(context: context), Job(context: context))
        try context.obtainPermanentIDs(for: [bob, rex, job])
        bob[Person.pets] = [rex]
        bob[Person.tasks] = [job]
        bob[Person.friends] = [bob]
        context.refresh(bob, mergeChanges: true)
        #expect(rex[Pet.owner] === bob)
        #expect(bob[Person.debts].isEmpty)
        #expect(try context.existingObjects(with: [bob.objectID, rex.objectID]) == [bob, rex])
        #expect(try context.existingObject(with: job.objectID) === job)
        context.delete(bob)
        try context.processPendingChanges()
        #expect(job.isDeleted)
        #expect(rex[Pet.owner] == nil)
        #expect(coordinator.seen.attempts == 0)
    }

    @Test("A plan inserts it under its reference, even if others reference it")
    func plan() throws {
        let (bob, cid, tag) = (context.person("Bob"), context.person("Cid"), Tag(context: context))
        try context.obtainPermanentIDs(for: [bob, tag])
        cid[Person.spouse] = bob
        bob[Person.tags] = [tag]
        let changes = try #require(try context.saveChangesRequest().parts.first).changes
        #expect(Set(changes.inserted.map(\.reference)) == [bob.objectID.reference, cid.objectID.reference, tag.objectID.reference])
        #expect(changes.inserted.count { $0.reference > 0 } == 2)
        #expect(changes.updated.isEmpty)
        #expect(changes.links.map { Set([$0.link.first, $0.link.second]) } == [[bob.objectID.reference, tag.objectID.reference]])
        #expect(coordinator.seen.attempts == 0)
        try context.save()
        let there = context.sibling()
        let saved = try there.here(bob)
        #expect(saved[Person.spouse]?[Person.name] == "Cid")
        #expect(saved[Person.tags].count == 1)
    }

    @Test("It denies no deletion, and deleting it leaves nothing to save")
    func deletion() throws {
        let (ann, debt) = (context.person("Ann"), Debt(context: context))
        try context.save()
        try context.obtainPermanentIDs(for: [context.person("New")])
        let new = try #require(context.insertedObjects.first as? Person)
        new[Person.debts] = [debt]
        ann[Person.idol] = new
        context.delete(new)
        try context.save()
        #expect(new.managedObjectContext == nil)
        #expect(ann[Person.idol] == nil)
        #expect(debt[Debt.person] == nil)
        #expect(try context.sibling().count(for: ObjectFetchRequest<Person>()) == 1)
    }

    @Test("It stays in the store that its permanent ID names")
    func assignment() throws {
        let store = try coordinator.base.addStore(StoreDescription(.inMemory))
        let bob = context.person("Bob")
        try context.assign(bob, to: store)
        try context.obtainPermanentIDs(for: [bob])
        #expect(bob.objectID.storeID == store.id)
        let error = #expect(throws: StoreError.self) { try context.assign(bob, to: coordinator.base.stores[0]) }
        #expect(error?.code == .unsupported)
        try context.save()
        #expect(bob.objectID.storeID == store.id)
    }

    @Test("What a fetched property holds is kept when all of it was saved")
    func fetchedProperty() throws {
        let base = try Zoo.shelves()
        let context = ManagedObjectContext(base)
        let shelf = try context.insert("Shelf")
        try context.save()
        let new = try context.insert("Shelf")
        try context.obtainPermanentIDs(for: [new])
        #expect(try shelf.fetchedObjects("all").count == 2)
        context.rollback()
        #expect(try shelf.fetchedObjects("all") == [shelf])
    }

    @Test("Objects that the coordinator knows under temporary IDs are read, changed, related, deleted and saved like any others")
    func temporaryButSaved() throws {
        let writer = ManagedObjectContext(coordinator.base)
        let (ann, bob, rex) = (writer.person("Ann"), writer.person("Bob"), Pet(context: writer))
        ann[Person.spouse] = bob
        ann[Person.pets] = [rex]
        ann[Person.tasks] = (0..<3).map { _ in Job(context: writer) }
        ann[Person.tags] = [Tag(context: writer)]
        try writer.save()

        let above = TemporaryIDCoordinator(coordinator.base)
        let context = ManagedObjectContext(above)
        let here = try #require(context.object(with: above.id(of: ann.objectID)) as? Person)
        #expect(here.objectID.isTemporary)
        #expect(!here.isInserted)
        #expect(here[Person.name] == "Ann")
        #expect(here[Person.spouse]?[Person.name] == "Bob")
        #expect(here[Person.pets].first?[Pet.owner] === here)
        #expect(here[Person.tasks].count == 3)
        #expect(try context.existingObject(with: here.objectID) === here)
        var request = ObjectFetchRequest<Person>(sort: [Person.name.ascending])
        request.relationshipKeyPathsForPrefetching = ["tags", "pets", "spouse"]
        let people = try context.fetch(request)
        #expect(people.map { $0[Person.name] } == ["Ann", "Bob"])
        #expect(people.first === here)

        let new = context.person("New")
        here[Person.name] = "Anna"
        here[Person.idol] = people[1]
        new[Person.idol] = here
        here[Person.friends] = [new]
        here.add(Job(context: context), to: Person.tasks)
        #expect(try context.fetch(request).map { $0[Person.name] } == ["Anna", "Bob", "New"])
        try context.save()
        #expect(new.objectID.isTemporary)
        #expect(!new.isInserted)
        context.refresh(here, mergeChanges: false)
        #expect(here[Person.name] == "Anna")
        #expect(here[Person.tasks].count == 4)
        context.delete(here)
        try context.save()

        let check = ManagedObjectContext(coordinator.base)
        #expect(try check.fetch(request).map { $0[Person.name] } == ["Bob", "New"])
        #expect(try check.fetch(request).allSatisfy { $0[Person.idol] == nil })
        #expect(try check.count(for: ObjectFetchRequest<Job>()) == 0)
        #expect(try check.fetch(ObjectFetchRequest<Pet>()).map { $0[Pet.owner] } == [nil])
    }
}
