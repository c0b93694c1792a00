import Strata
import StrataModel
import Testing

@testable import StrataGraph

@Suite("Steps among many objects")
struct ManyObjectsTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext
    private let owner: Person
    private let pets: [Pet]

    init() throws {
        coordinator = try Zoo.coordinator()
        let context = ManagedObjectContext(coordinator)
        self.context = context
        owner = context.person("Ada")
        pets = (0..<60).map { number in
            let pet = context.insert(Pet.self)
            pet[Pet.name] = "P\(100 + number)"
            return pet
        }
        for pet in pets.prefix(40) { pet[Pet.owner] = owner }
        try context.save()
    }

    // A condition on a to-one relationship counted as one on the related objects: each change fetched all results.
    @Test("A condition or an order on a reference is decided by the object alone")
    func reference() throws {
        let request = ObjectFetchRequest<Pet>(Pet.owner == owner, sort: [Pet.name.ascending])
        let controller = FetchedResultsController(request, context: context)
        try controller.performFetch()
        var changes: [Int] = []
        controller.onChange = { changes.append($0.objectChanges.count) }
        let fetches = coordinator.seen.fetches
        for pet in pets.suffix(20) {
            pet[Pet.owner] = owner
            try context.processPendingChanges()
        }
        pets[0][Pet.owner] = nil
        try context.processPendingChanges()
        owner[Person.pets].remove(pets[1])
        context.delete(pets[2])
        try context.processPendingChanges()
        #expect(coordinator.seen.fetches == fetches)
        #expect(changes == Array(repeating: 1, count: 21) + [2])
        #expect(controller.fetchedObjects == Array(pets[3...]))
        context.delete(owner)
        try context.processPendingChanges()
        #expect(controller.fetchedObjects == [])
    }

    @Test("An owner that others delete, with members that are not registered, changes the answer for members without owner")
    func mergedOwner() throws {
        context.reset()
        let request = ObjectFetchRequest<Pet>(Pet.owner == nil, sort: [Pet.name.ascending])
        let controller = FetchedResultsController(request, context: context)
        try controller.performFetch()
        let count = try #require(controller.fetchedObjects?.count)
        let other = ManagedObjectContext(coordinator)
        other.delete(other.object(with: owner.objectID))
        context.mergeChanges(fromRemoteContextSave: try other.save().changes)
        let request2 = ObjectFetchRequest<Pet>(Pet.owner == nil)
        #expect(try context.count(for: request2) == controller.fetchedObjects?.count)
        #expect(controller.fetchedObjects?.count != count)
    }

    // A merge passed all registered objects.
    @Test("A merge concerns the registered objects that may reference the changed ones")
    func merge() throws {
        let (people, animals) = (Set([owner.entity.root]), Set([pets[0].entity.root]))
        #expect(context.objects(referencingAnyOf: animals) == [owner])
        #expect(context.objects(referencingAnyOf: animals, isToMany: false).isEmpty)
        #expect(Set(context.objects(referencingAnyOf: people, isToMany: false)) == Set(pets).union([owner]))
        let job = context.insert(Job.self)
        #expect(!context.objects(referencingAnyOf: animals.union(people), isToMany: true).contains(job))
    }

    // Each refreshing passed all changed objects.
    @Test("References to objects that others deleted are taken back among those that may have them")
    func deletedByOthers() throws {
        let other = ManagedObjectContext(coordinator)
        let people = (0..<20).map { context.person("P\($0)") }
        try context.save()
        for (index, pet) in pets.enumerated() { pet[Pet.owner] = people[index % 20] }
        for (index, person) in people.enumerated() {
            person[Person.age] = 7
            if index < 10 { other.delete(other.object(with: person.objectID)) }
        }
        try other.save()
        for person in people { context.refresh(person, mergeChanges: true) }
        #expect(context.tracker.list.indexes.referrers != nil)
        for (index, pet) in pets.enumerated() {
            // Those that had an owner have it again.
            #expect(pet[Pet.owner] === (index % 20 >= 10 ? people[index % 20] : index < 40 ? owner : nil))
        }
        try context.save()
    }

    @Test("Objects of a child that reference new ones get the permanent IDs of these")
    func childReferences() throws {
        let child = ManagedObjectContext(parent: context)
        let (childOwner, childPet) = (try #require(child.object(with: owner.objectID) as? Person), child.insert(Pet.self))
        childPet[Pet.owner] = childOwner
        let idol = child.person("Bob")
        childOwner[Person.idol] = idol
        #expect(childOwner[Person.pets].contains(childPet))
        try child.save()
        try context.save()
        #expect(try child.count(for: ObjectFetchRequest<Pet>(Pet.owner == childOwner)) == 41)
        #expect(!childPet.objectID.isTemporary)
        #expect(!idol.objectID.isTemporary)
        #expect(childOwner[Person.idol] === idol)
        #expect(childOwner[Person.pets].contains(childPet))
        #expect(childPet[Pet.owner] === childOwner)
    }
}
