import Strata
import Testing

@Suite("Deleting")
struct DeleteRuleTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext
    private let (ann, bob): (Person, Person)

    init() throws {
        coordinator = try Zoo.coordinator()
        context = ManagedObjectContext(coordinator)
        (ann, bob) = (context.person("Ann"), context.person("Bob"))
        try context.save()
    }

    private func count(_ entity: String) throws -> Int {
        try context.sibling().count(for: ObjectFetchRequest<ManagedObject>(entityName: entity))
    }

    @Test("A deleted object is not in the store after the save, and not in its context")
    func plain() throws {
        let id = ann.objectID
        context.delete(ann)
        #expect(ann.isDeleted)
        #expect(context.deletedObjects == [ann])
        #expect(context.hasChanges)
        try context.save()
        #expect(ann.managedObjectContext == nil)
        #expect(!context.hasChanges)
        #expect(ann[Person.name] == nil)
        #expect(throws: StoreError.self) { try context.existingObject(with: id) }
        #expect(try count("Person") == 1)
    }

    @Test("A new object that is deleted is never saved")
    func neverSaved() throws {
        let pet = Pet(context: context)
        context.delete(pet)
        #expect(!context.hasChanges)
        #expect(context.insertedObjects.isEmpty)
        #expect(context.deletedObjects.isEmpty)
        try context.save()
        #expect(try count("Pet") == 0)
        #expect(coordinator.seen.saves.count == 1)
        #expect(pet.managedObjectContext == nil)
    }

    @Test("Nullify: destinations forget the object")
    func nullify() throws {
        let (rex, tag) = (Pet(context: context), Tag(context: context))
        ann[Person.pets] = [rex]
        ann[Person.tags] = [tag]
        ann[Person.spouse] = bob
        ann[Person.friends] = [bob]
        try context.save()
        context.delete(ann)
        try context.processPendingChanges()
        #expect(rex[Pet.owner] == nil)
        #expect(tag[Tag.people].isEmpty)
        #expect(bob[Person.spouse] == nil)
        #expect(bob[Person.friends].isEmpty)
        try context.save()
        let other = context.sibling()
        #expect(try other.here(rex)[Pet.owner] == nil)
        #expect(try other.here(tag)[Tag.people].isEmpty)
        #expect(try other.here(bob)[Person.spouse] == nil)
        #expect(try other.here(bob)[Person.friends].isEmpty)
    }

    @Test("Cascade: destinations are deleted too, though they were never loaded")
    func cascade() throws {
        ann[Person.passport] = Passport(context: context)
        ann[Person.tasks] = (0..<3).map { _ in Job(context: context) }
        try context.save()
        let other = context.sibling()
        other.delete(try other.here(ann))
        try other.processPendingChanges()
        #expect(other.deletedObjects.count == 5)
        try other.save()
        #expect(try count("Passport") == 0)
        #expect(try count("Job") == 0)
        #expect(try count("Person") == 1)
    }

    @Test("Deny: the save fails with code 1600 while there are destinations, and succeeds once these go too")
    func deny() throws {
        let debt = Debt(context: context)
        ann[Person.debts] = [debt]
        try context.save()
        context.delete(ann)
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.cocoaCode == 1600)
        #expect(error?.failures.first?.key == "debts")
        #expect(error?.failures.first?.objectID == ann.objectID)
        #expect(try count("Person") == 2)
        context.delete(debt)
        try context.save()
        #expect(try count("Person") == 1)
        #expect(try count("Debt") == 0)
    }

    @Test("No action: destinations stay as they are until the save, which leaves no reference to deleted objects")
    func noAction() throws {
        ann[Person.children] = [bob]
        try context.save()
        let id = ann.objectID
        context.delete(ann)
        try context.processPendingChanges()
        #expect(try bob.objectIDs(forRelationshipNamed: "parent") == [id])
        #expect(!bob.hasChanges)
        try context.save()
        #expect(try bob.objectIDs(forRelationshipNamed: "parent").isEmpty)
        #expect(try context.elsewhere { try $0.here(bob).objectIDs(forRelationshipNamed: "parent") }.isEmpty)
    }

    @Test("A required relationship that nullify empties fails the save with code 1570")
    func nullifiedRequired() throws {
        let passport = Passport(context: context)
        passport[Passport.owner] = ann
        try context.save()
        ann[Person.passport] = nil
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.cocoaCode == 1570)
        #expect(error?.failures.first?.key == "owner")
        #expect(error?.failures.first?.entity == "Passport")
    }

    @Test("An owner that is loaded after its member was deleted or moved does not have it")
    func ownerLoadedLater() throws {
        let (rex, tom, ada, eve) = (Pet(context: context), Pet(context: context), Job(context: context), Job(context: context))
        ann[Person.pets] = [rex, tom]
        ann[Person.tasks] = [ada, eve]
        let tag = Tag(context: context)
        ann[Person.tags] = [tag]
        try context.save()
        let other = context.sibling()
        other.delete(try other.here(rex))
        other.delete(try other.here(tag))
        try other.here(tom)[Pet.owner] = try other.here(bob)
        try other.here(ada)[Job.person] = nil
        try other.processPendingChanges()
        let owner = try other.here(ann)
        let left = try other.here(eve)
        #expect(owner[Person.pets].isEmpty)
        #expect(owner[Person.tags].isEmpty)
        #expect(owner[Person.tasks] == [left])
        other.rollback()
        #expect(owner[Person.pets].count == 2)
        #expect(owner[Person.tags].count == 1)
        #expect(owner[Person.tasks].count == 2)
    }

    @Test("A delete within a cycle of cascades ends")
    func cycle() throws {
        let model = try ManagedObjectModel {
            Entity("Node") {
                Relationship("next", to: "Node", inverse: "previous", deleteRule: .cascade)
                Relationship("previous", to: "Node", inverse: "next", deleteRule: .cascade)
            }
        }
        let coordinator = try PersistentStoreCoordinator(inMemory: model)
        let context = ManagedObjectContext(coordinator)
        let nodes = try (0..<4).map { _ in try context.insert("Node") }
        for (index, node) in nodes.enumerated() { try node.setValue(nodes[(index + 1) % 4], forKey: "next") }
        try context.save()
        context.delete(nodes[2])
        try context.save()
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Node")) == 0)
    }

    @Test("A deletion whose row cannot be read fails the save, and follows the delete rules the next time")
    func unreadable() throws {
        ann[Person.tasks] = [Job(context: context)]
        try context.save()
        let other = context.sibling()
        other.delete(try other.here(ann))
        coordinator.change { $0.failsReading = true }
        #expect(throws: RecordingCoordinator.Failure.self) { try other.save() }
        coordinator.change { $0.failsReading = false }
        try other.save()
        #expect(try count("Person") == 1)
        #expect(try count("Job") == 0)
    }

    @Test("Rolling back restores deleted objects, and removes new ones")
    func rollback() throws {
        let rex = Pet(context: context)
        context.delete(ann)
        bob[Person.name] = "Bobby"
        context.rollback()
        #expect(!ann.isDeleted)
        #expect(ann[Person.name] == "Ann")
        #expect(bob[Person.name] == "Bob")
        #expect(!context.hasChanges)
        #expect(rex.managedObjectContext == nil)
        #expect(context.insertedObjects.isEmpty)
        try context.save()
        #expect(coordinator.seen.saves.count == 1)
    }
}
