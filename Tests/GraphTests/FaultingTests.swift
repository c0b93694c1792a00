import Strata
import Testing

@Suite("Faulting")
struct FaultingTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext
    private let ann: Person
    private let id: ObjectID

    /// Ann and her pets are in the store; the context has seen nothing.
    init() throws {
        coordinator = try Zoo.coordinator()
        let writer = ManagedObjectContext(coordinator)
        let saved = writer.person("Ann")
        saved[Person.pets] = [Pet(context: writer), Pet(context: writer)]
        try writer.save()
        id = saved.objectID
        context = ManagedObjectContext(coordinator)
        ann = try #require(context.object(with: id) as? Person)
        coordinator.change { $0 = .init() }
    }

    @Test("Making a fault, and asking for its ID and state, reads nothing")
    func noRead() {
        #expect(ann.isFault)
        #expect(!ann.hasChanges)
        #expect(ann.objectID == id)
        #expect(ann.description.contains("fault"))
        #expect(ann.changedValues().isEmpty)
        #expect(ann.hasFault(forRelationshipNamed: "pets"))
        #expect(coordinator.seen.reads == 0)
    }

    @Test("The first access reads the row once, and awakes the object once")
    func firstAccess() {
        #expect(ann[Person.name] == "Ann")
        #expect(ann[Person.age] == 0)
        #expect(!ann.isFault)
        #expect(ann.heard == ["fetch"])
        #expect(coordinator.seen.reads == 1)
    }

    @Test("Fetched objects are faults with data: touching them reads nothing more")
    func fetched() throws {
        let people = try context.fetch(ObjectFetchRequest<Person>())
        #expect(people == [ann])
        #expect(ann.isFault)
        #expect(ann.heard.isEmpty)
        #expect(ann[Person.name] == "Ann")
        #expect(ann.heard == ["fetch"])
        #expect(coordinator.seen.reads == 1)
    }

    @Test("A to-many relationship is read at its first use and not again")
    func toMany() {
        #expect(ann[Person.pets].count == 2)
        #expect(ann[Person.pets].count == 2)
        #expect(coordinator.seen.destinationRequests == 1)
        #expect(!ann.hasFault(forRelationshipNamed: "pets"))
    }

    @Test("Adding to a to-many relationship does not read it")
    func blindAdd() {
        let rex = Pet(context: context)
        ann.add(rex, to: Person.pets)
        #expect(coordinator.seen.destinationRequests == 0)
        #expect(ann[Person.pets].count == 3)
    }

    @Test("Refreshing forgets the changes, or keeps them over the values read anew")
    func refresh() throws {
        let other = ManagedObjectContext(coordinator)
        let there = try #require(other.existingObject(with: id) as? Person)
        ann[Person.age] = 5
        there[Person.name] = "Anna"
        try other.save()
        #expect(ann[Person.name] == "Ann")
        context.refresh(ann, mergeChanges: true)
        #expect(ann[Person.name] == "Anna")
        #expect(ann[Person.age] == 5)
        #expect(ann.isUpdated)
        context.refresh(ann, mergeChanges: false)
        #expect(ann.isFault)
        #expect(ann[Person.age] == 0)
        #expect(!context.hasChanges)
    }

    @Test("A fault whose row was deleted has no values, counts as deleted, and has an error")
    func gone() throws {
        try delete()
        #expect(ann[Person.name] == nil)
        #expect(ann.isDeleted)
        #expect(ann[Person.pets].isEmpty)
        #expect(ann[Person.spouse] == nil)
        #expect((context.lastFaultError as? StoreError)?.code == .notFound)
        ann[Person.name] = "Ghost"
        #expect(ann[Person.name] == "Ghost")
        #expect(!context.hasChanges)
        try context.save()
        #expect(throws: StoreError.self) { try context.existingObject(with: id) }
    }

    @Test("A fault whose row was deleted does not count as deleted where the context says so")
    func goneButKept() throws {
        try delete()
        context.shouldDeleteInaccessibleFaults = false
        #expect(ann[Person.name] == nil)
        #expect(!ann.isDeleted)
        #expect(context.lastFaultError != nil)
    }

    @Test("A fault that could not be read for now has no values, and fires again later")
    func readError() {
        coordinator.change { $0.failsReading = true }
        #expect(ann[Person.name] == nil)
        #expect(ann[Person.pets].isEmpty)
        #expect(!ann.isDeleted)
        #expect(context.lastFaultError is RecordingCoordinator.Failure)
        coordinator.change { $0.failsReading = false }
        #expect(ann[Person.name] == "Ann")
        #expect(ann[Person.pets].count == 2)
        #expect(!ann.isFault)
        ann[Person.name] = "Anna"
        #expect(ann.isUpdated)
    }

    @Test("What a fetch cannot read, it throws, and nothing is registered")
    func fetchError() {
        coordinator.change { $0.failsReading = true }
        let other = ManagedObjectContext(coordinator)
        #expect(throws: RecordingCoordinator.Failure.self) { try other.fetch(ObjectFetchRequest<Person>()) }
        #expect(other.registeredObjects.isEmpty)
    }

    @Test("An unknown entity or class, and an object that is not there, are errors")
    func unknown() throws {
        #expect(throws: StoreError.self) { try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Shoe")) }
        #expect(throws: StoreError.self) { try context.fetch(ObjectFetchRequest<ManagedObject>()) }
        #expect(throws: StoreError.self) { try context.fetch(ObjectFetchRequest<Pet>(entityName: "Person")) }
        #expect(throws: StoreError.self) { try context.insert("Shoe") }
        #expect(throws: StoreError.self) { try context.insert("Animal") }
        #expect(throws: QueryError.self) { try context.fetch(ObjectFetchRequest<Person>(key("shoe") == 1)) }
        #expect(throws: StoreError.self) {
            try context.existingObject(with: ObjectID(scope: id.scope, reference: 999))
        }
    }

    private func delete() throws {
        let other = ManagedObjectContext(coordinator)
        other.delete(try other.existingObject(with: id))
        try other.save()
    }
}
