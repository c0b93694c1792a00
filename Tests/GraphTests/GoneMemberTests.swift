import Strata
import Testing

@Suite("Objects that another context deleted after they were given an owner here")
struct GoneMemberTests {
    private let here: ManagedObjectContext
    private let there: ManagedObjectContext

    init() throws {
        let coordinator = try PersistentStoreCoordinator(inMemory: Zoo.model())
        here = ManagedObjectContext(coordinator)
        there = ManagedObjectContext(coordinator)
        here.automaticallyMergesChangesFromParent = true
    }

    // What led to the owner went with the member's values, and the owner kept the member: also after a save, which had nothing to store of
    // either, the context showed a member that no store has.
    @Test("The owner is without them, whether it is saved or new", arguments: [false, true])
    func owner(isNew: Bool) throws {
        let (pet, job) = (Pet(context: here), Job(context: here))
        if isNew { try here.save() }
        let ann = here.person("Ann")
        if !isNew { try here.save() }
        pet[Pet.owner] = ann
        job[Job.person] = ann

        there.delete(there.object(with: pet.objectID))
        there.delete(there.object(with: job.objectID))
        try there.save()
        _ = try here.fetch(ObjectFetchRequest<Person>())

        #expect(pet.isDeleted)
        #expect(job.isDeleted)
        #expect(ann[Person.pets].isEmpty)
        #expect(ann[Person.tasks].isEmpty)
        try here.save()
        #expect(ann[Person.pets].isEmpty)
        #expect(ann[Person.tasks].isEmpty)
    }
}
