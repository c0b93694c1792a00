import Strata
import Testing

@testable import StrataGraph

@Suite("Destinations of to-one relationships that the context retains")
struct RecentDestinationTests {
    private let coordinator: RecordingCoordinator

    /// 100 pets of three people.
    init() throws {
        coordinator = try Zoo.coordinator()
        let writer = ManagedObjectContext(coordinator)
        let owners = (0..<3).map { writer.person("owner \($0)") }
        for number in 0..<100 { Pet(context: writer)[Pet.owner] = owners[number % 3] }
        try writer.save()
        coordinator.change { $0 = .init() }
    }

    private func pets(_ context: ManagedObjectContext) throws -> [Pet] { try context.fetch(ObjectFetchRequest<Pet>()) }

    @Test("A loop over objects that share destinations reads each of them once")
    func sharedDestinations() throws {
        let context = ManagedObjectContext(coordinator)
        let pets = try pets(context)
        let before = coordinator.seen.reads
        for pet in pets { #expect(pet[Pet.owner]?[Person.name]?.hasPrefix("owner") == true) }
        #expect(coordinator.seen.reads - before <= 3)
        #expect(context.registeredObjects.count == 103)
    }

    enum Ending: CaseIterable {
        case save, refresh, rollback, merge, reset, deallocation
    }

    @Test("They are released when the context saves, refreshes, rolls back, merges or ends", arguments: Ending.allCases)
    func released(ending: Ending) throws {
        var context: ManagedObjectContext? = ManagedObjectContext(coordinator)
        var pets = try pets(try #require(context))
        weak let owner = pets[0][Pet.owner]
        #expect(owner != nil)
        switch ending {
        case .save:
            pets[1][Pet.name] = "Rex"
            try context?.save()
        case .refresh: context?.refreshAllObjects()
        case .rollback: context?.rollback()
        case .merge:
            context?.mergeChanges(fromRemoteContextSave: RemoteChanges(updated: [pets[1].objectID]))
        case .reset: context?.reset()
        case .deallocation:
            pets = []
            context = nil
        }
        #expect(owner == nil)
    }

    @Test("A deleted destination is released with the save of its deletion")
    func deletedDestination() throws {
        let context = ManagedObjectContext(coordinator)
        let pets = try pets(context)
        weak let owner = pets[0][Pet.owner]
        context.delete(try #require(pets[0][Pet.owner]))
        try context.save()
        #expect(owner == nil)
        #expect(pets[0][Pet.owner] == nil)
    }

    @Test("The least recently made object is released for one more than the greatest number")
    func limit() throws {
        let context = ManagedObjectContext(coordinator)
        let people = (0...PrefetchPolicy.retainedDestinations).map { context.person("\($0)") }
        var recent = RecentDestinations()
        for person in people.dropLast() { #expect(recent.add(person) == nil) }
        #expect(recent.add(people[0]) === people[0])
        #expect(recent.add(people[0]) === people[1])
        #expect(recent.takeAll().count == PrefetchPolicy.retainedDestinations)
        #expect(recent.takeAll().isEmpty)
    }

    @Test("With a staleness interval none are retained")
    func staleness() throws {
        let context = ManagedObjectContext(coordinator)
        context.stalenessInterval = .seconds(60)
        let pets = try pets(context)
        weak let owner = pets[0][Pet.owner]
        #expect(owner == nil)
    }

    @Test("They are read again after a reset, which forgot their objects")
    func afterReset() throws {
        let context = ManagedObjectContext(coordinator)
        for _ in 0..<3 {
            for pet in try pets(context) { #expect(pet[Pet.owner]?[Person.name]?.hasPrefix("owner") == true) }
            context.reset()
        }
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("They are read again after a batch request that the context does not merge")
    func afterBatch() throws {
        let context = ManagedObjectContext(coordinator.base)
        let pets = try pets(context)
        for pet in pets { #expect(pet[Pet.owner]?[Person.age] == 0) }
        var request = BatchUpdateRequest(entityName: "Person", set: ["age": 7])
        request.mergesIntoContexts = false
        try context.execute(request)
        for pet in pets { #expect(pet[Pet.owner]?[Person.age] == 7) }
    }

    @Test("A destination whose other end was changed is read as that end has it")
    func changedInverse() throws {
        let writer = ManagedObjectContext(coordinator)
        let (ann, bob) = (writer.person("Ann"), writer.person("Bob"))
        ann[Person.spouse] = bob
        try writer.save()
        let context = ManagedObjectContext(coordinator)
        let (wife, husband) = (try context.here(ann), try context.here(bob))
        for _ in 0..<3 { #expect(wife[Person.spouse] === husband) }
        husband[Person.spouse] = nil
        for _ in 0..<3 { #expect(wife[Person.spouse] == nil) }
    }

    @Test("A destination that is deleted or changed is read as it is now")
    func changedDestination() throws {
        let context = ManagedObjectContext(coordinator)
        let pets = try pets(context)
        for pet in pets { #expect(pet[Pet.owner]?[Person.age] == 0) }
        pets[0][Pet.owner]?[Person.age] = 3
        #expect(pets[3][Pet.owner]?[Person.age] == 3)
        pets[3][Pet.owner] = pets[1][Pet.owner]
        #expect(pets[3][Pet.owner]?[Person.age] == 0)
        context.delete(try #require(pets[0][Pet.owner]))
        try context.processPendingChanges()
        #expect(pets[0][Pet.owner] == nil)
    }
}
