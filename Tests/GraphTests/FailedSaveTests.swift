import Strata
import Testing

@Suite("Saves that fail")
struct FailedSaveTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext
    private let (ann, bob, rex): (Person, Person, Pet)

    init() throws {
        coordinator = try Zoo.coordinator()
        context = ManagedObjectContext(coordinator)
        (ann, bob, rex) = (context.person("Ann"), context.person("Bob"), Pet(context: context))
        ann[Person.pets] = [rex]
        try context.save()
    }

    /// Changes something of every kind.
    private func change() -> Person {
        let new = context.person("New")
        ann[Person.name] = "Anna"
        ann[Person.friends] = [new]
        bob[Person.tasks] = [Job(context: context), Job(context: context)]
        rex[Pet.owner] = new
        return new
    }

    private func expectChanged(_ new: Person, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(new.isInserted, sourceLocation: sourceLocation)
        #expect(new.objectID.isTemporary, sourceLocation: sourceLocation)
        #expect(new[Person.pets] == [rex], sourceLocation: sourceLocation)
        #expect(ann.isUpdated, sourceLocation: sourceLocation)
        #expect(ann[Person.name] == "Anna", sourceLocation: sourceLocation)
        #expect(ann[Person.friends] == [new], sourceLocation: sourceLocation)
        #expect(ann[Person.pets].isEmpty, sourceLocation: sourceLocation)
        #expect(bob[Person.tasks].count == 2, sourceLocation: sourceLocation)
        #expect(bob[Person.tasks].allSatisfy { $0.isInserted }, sourceLocation: sourceLocation)
        #expect(context.insertedObjects.count == 3, sourceLocation: sourceLocation)
        #expect(context.hasChanges, sourceLocation: sourceLocation)
    }

    private func expectStored(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let stored = try context.elsewhere {
            try $0.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending])).map { $0[Person.name] }
        }
        #expect(stored == names, sourceLocation: sourceLocation)
    }

    @Test("When the stores refuse, the context is as it was, and the next save stores everything")
    func storeError() throws {
        let new = change()
        coordinator.change { $0.failsSaving = StoreError(.full, .save, "the disk is full") }
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .full)
            expectChanged(new)
            try expectStored(["Ann", "Bob"])
        }
        coordinator.change { $0.failsSaving = nil }
        try context.save()
        #expect(!context.hasChanges)
        #expect(!new.objectID.isTemporary)
        try expectStored(["Anna", "Bob", "New"])
        #expect(try context.elsewhere { try $0.here(new)[Person.pets].map(\.objectID) } == [rex.objectID])
    }

    /// The save threw `noStore` although everything was saved: who tried again saved it twice.
    @Test("A save whose store is removed as soon as it is over has not failed")
    func removedStore() throws {
        let other = ManagedObjectContext(coordinator)
        let new = other.person("New")
        coordinator.change { $0.losesStores = true }
        try other.save()
        #expect(!other.hasChanges)
        #expect(!new.objectID.isTemporary)
        #expect(new[Person.name] == "New")
        other.delete(new)
        #expect(throws: StoreError.self) { try other.save() }
    }

    @Test("When something is invalid, nothing is sent to the stores")
    func invalid() throws {
        let new = change()
        new[Person.age] = 1000
        #expect(throws: ValidationError.self) { try context.save() }
        #expect(coordinator.seen.saves.count == 1)
        expectChanged(new)
        new[Person.age] = 1
        try context.save()
        try expectStored(["Anna", "Bob", "New"])
    }

    @Test("When another context was faster, the save names the object, and stores nothing")
    func conflict() throws {
        let other = context.sibling()
        try other.here(ann)[Person.age] = 7
        try other.save()
        let new = change()
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [ann.objectID])
        #expect(error?.cocoaCode == 133020)
        expectChanged(new)
        try expectStored(["Ann", "Bob"])
        context.refresh(ann, mergeChanges: true)
        try context.save()
        #expect(try context.elsewhere { try $0.here(ann)[Person.age] } == 7)
        try expectStored(["Anna", "Bob", "New"])
    }

    @Test("When another context deleted the object, the save names it")
    func deletedElsewhere() throws {
        let other = context.sibling()
        other.delete(try other.here(bob))
        try other.save()
        bob[Person.age] = 3
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.first?.objectID == bob.objectID)
        guard case .deleted? = error?.conflicts.first?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("After a failed save everything can be rolled back")
    func rollback() throws {
        let new = change()
        coordinator.change { $0.failsSaving = RecordingCoordinator.Failure() }
        #expect(throws: RecordingCoordinator.Failure.self) { try context.save() }
        context.rollback()
        #expect(!context.hasChanges)
        #expect(new.managedObjectContext == nil)
        #expect(ann[Person.name] == "Ann")
        #expect(ann[Person.friends].isEmpty)
        #expect(ann[Person.pets] == [rex])
        #expect(rex[Pet.owner] === ann)
    }

    @Test("A deletion that failed to be saved is still pending, and saved the next time")
    func deletion() throws {
        context.delete(ann)
        coordinator.change { $0.failsSaving = RecordingCoordinator.Failure() }
        #expect(throws: RecordingCoordinator.Failure.self) { try context.save() }
        #expect(ann.isDeleted)
        #expect(ann.managedObjectContext === context)
        #expect(rex[Pet.owner] == nil)
        coordinator.change { $0.failsSaving = nil }
        try context.save()
        try expectStored(["Bob"])
    }
}
