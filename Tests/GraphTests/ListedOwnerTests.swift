import Strata
import Testing

@testable import StrataGraph

// A merge searched all registered objects for to-many relationships to unload.
@Suite("Objects with to-many relationships that a context lists")
struct ListedOwnerTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext

    init() throws {
        coordinator = try Zoo.coordinator()
        context = ManagedObjectContext(coordinator)
    }

    private func addPet(to owner: Person) throws {
        let other = ManagedObjectContext(coordinator)
        Pet(context: other)[Pet.owner] = try other.existingObject(with: owner.objectID) as? Person
        context.mergeChanges(fromRemoteContextSave: try other.save().changes)
    }

    @Test("A merge unloads the relationships of an owner that was read before its first save, and of one that was fetched")
    func savedOwner() throws {
        let owner = context.person("Ada")
        owner[Person.pets] = [Pet(context: context)]
        try context.save()
        try addPet(to: owner)
        #expect(owner[Person.pets].count == 2)
        try addPet(to: owner)
        #expect(owner[Person.pets].count == 3)
        #expect(context.identity.owners == [owner])
    }

    @Test("An owner of permanent ID that was obtained before its save is listed by it")
    func renamedOwner() throws {
        let owner = context.person("Ada")
        #expect(owner[Person.pets].isEmpty)
        try context.obtainPermanentIDs(for: [owner])
        #expect(context.identity.owners == [owner])
        try context.save()
        try addPet(to: owner)
        #expect(owner[Person.pets].count == 1)
    }

    @Test("Owners that are released, discarded or forgotten are not listed")
    func releasedOwner() throws {
        _ = context.person("Ada")
        try context.save()
        let count = try context.fetch(ObjectFetchRequest<Person>()).reduce(0) { $0 + $1[Person.pets].count }
        #expect(count == 0)
        #expect(context.identity.owners.isEmpty)
        let discarded = context.person("Bob")
        #expect(discarded[Person.pets].isEmpty)
        context.delete(discarded)
        try context.save()
        #expect(context.identity.owners.isEmpty)
        let forgotten = context.person("Cleo")
        #expect(forgotten[Person.pets].isEmpty)
        context.reset()
        #expect(context.identity.owners.isEmpty)
    }
}
