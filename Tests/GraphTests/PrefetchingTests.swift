import Strata
import Testing

@Suite("Prefetching and lazy results")
struct PrefetchingTests {
    private let coordinator: RecordingCoordinator
    private let context: ManagedObjectContext

    /// Twenty people with two pets, a tag and a parent each, all but the first.
    init() throws {
        coordinator = try Zoo.coordinator()
        let writer = ManagedObjectContext(coordinator)
        let parent = writer.person("p")
        for number in 0..<19 {
            let person = writer.person("c\(number)")
            person[Person.parent] = parent
            person[Person.pets] = [Pet(context: writer), Pet(context: writer)]
            person[Person.tags] = [Tag(context: writer)]
        }
        try writer.save()
        context = ManagedObjectContext(coordinator)
        coordinator.change { $0 = .init() }
    }

    private func people(_ keyPaths: String...) throws -> [Person] {
        var request = ObjectFetchRequest<Person>(sort: [Person.name.ascending])
        request.relationshipKeyPathsForPrefetching = keyPaths
        return try context.fetch(request)
    }

    @Test("Without prefetching, relationships ask the store for one object, and then for all others")
    func without() throws {
        let people = try people()
        #expect(coordinator.seen.reads == 1)
        #expect(people.map { $0[Person.pets].count }.reduce(0, +) == 38)
        #expect(coordinator.seen.reads == 3)
    }

    @Test("A to-many relationship along its inverse takes one more fetch, and its destinations no other")
    func toMany() throws {
        let people = try people("pets")
        #expect(coordinator.seen.reads == 2)
        let pets = people.flatMap { $0[Person.pets] }
        #expect(pets.count == 38)
        #expect(pets.allSatisfy { $0[Pet.owner] != nil })
        #expect(coordinator.seen.reads == 2)
    }

    @Test("To-one steps take one round trip each; steps that paths share are taken once")
    func steps() throws {
        let people = try people("pets.owner.parent", "parent", "pets")
        // The pets; the owners and their parents are fetched themselves.
        #expect(coordinator.seen.reads == 2)
        #expect(people.filter { $0[Person.parent]?[Person.name] == "p" }.count == 19)
        #expect(coordinator.seen.reads == 2)
    }

    @Test("A many-to-many relationship takes one round trip, whatever the number of objects")
    func links() throws {
        let people = try people("tags")
        #expect(coordinator.seen.reads == 2)
        #expect(people.flatMap { $0[Person.tags] }.count == 19)
        #expect(coordinator.seen.reads == 2)
    }

    @Test("Prefetched rows are for the faults of the state that they came from: a refresh or a save forgets them")
    func forgotten() throws {
        let first = try #require(try people("parent").first { $0[Person.parent] != nil })
        var request = ObjectFetchRequest<Person>(Person.name == "c0")
        request.relationshipKeyPathsForPrefetching = ["pets"]
        let child = try #require(try context.fetch(request).first)
        let pet = try #require(child[Person.pets].first)
        let other = ManagedObjectContext(coordinator)
        let there = try #require(try other.existingObject(with: pet.objectID) as? Pet)
        there[Pet.name] = "Rex"
        try other.save()
        #expect(pet[Pet.name] == nil)
        context.refresh(pet, mergeChanges: false)
        #expect(pet[Pet.name] == "Rex")
        first[Person.age] = 3
        try context.save()
        #expect(first[Person.parent]?[Person.name] == "p")
    }

    @Test("A lazy result reads its IDs at once and its rows batch by batch")
    func lazy() throws {
        var request = ObjectFetchRequest<Person>(sort: [Person.name.ascending])
        request.fetchBatchSize = 5
        let people = try context.fetchLazily(request)
        #expect(people.count == 20)
        #expect(coordinator.seen.reads == 1)
        #expect(context.registeredObjects.isEmpty)
        #expect(people[7][Person.name] == "c15")
        #expect(coordinator.seen.reads == 2)
        #expect(people[5][Person.name] == "c13")
        #expect(people[9][Person.name] == "c17")
        #expect(coordinator.seen.reads == 2)
        #expect(people[11][Person.name] == "c2")
        #expect(people[6][Person.name] == "c14")
        #expect(coordinator.seen.reads == 3)
        #expect(context.registeredObjects.count == 10)
        #expect(people[19][Person.name] == "p")
        #expect(coordinator.seen.reads == 4)
        #expect(context.registeredObjects.count == 10)
        let all = people.map { $0 }
        #expect(all.count == 20)
        #expect(context.registeredObjects.count == 20)
    }

    @Test("A batch that cannot be read leaves faults, and says why")
    func unreadable() throws {
        let people = try context.fetchLazily(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
        coordinator.change { $0.failsReading = true }
        #expect(people[0].isFault)
        #expect(context.lastFaultError is RecordingCoordinator.Failure)
        coordinator.change { $0.failsReading = false }
        #expect(people[0][Person.name] == "c0")
    }

    @Test("Changes of other entities leave the store's answer as it is; related ones have it tested again")
    func overlays() throws {
        _ = context.person("new")
        coordinator.change { $0 = .init() }
        #expect(try context.count(for: ObjectFetchRequest<Pet>(key("name") == "x")) == 0)
        #expect(coordinator.seen.fetches == 1)
        #expect(coordinator.seen.rowRequests == 0)
        #expect(try context.count(for: ObjectFetchRequest<Pet>(key("owner.name") == "c0")) == 2)
        #expect(coordinator.seen.rowRequests > 0)
    }
}
