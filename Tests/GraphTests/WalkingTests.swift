import Strata
import Testing

@Suite("Walking relationships of many objects")
struct WalkingTests {
    private static let count = 300
    private let coordinator: RecordingCoordinator

    /// People, each with a parent, a pet, tasks, friends and a club of their own.
    init() throws {
        coordinator = try Zoo.coordinator()
        let writer = ManagedObjectContext(coordinator)
        for number in 0..<Self.count {
            let person = writer.person("\(number)")
            person[Person.age] = 1
            let parent = writer.person("parent of \(number)")
            person[Person.parent] = parent
            person[Person.pets] = [Pet(context: writer)]
            person[Person.tasks] = [Job(context: writer), Job(context: writer)]
            person[Person.friends] = [parent]
            let club = Club(context: writer)
            club[Club.members] = [person, parent]
        }
        try writer.save()
        coordinator.change { $0 = .init() }
    }

    private func people(_ context: ManagedObjectContext) throws -> [Person] {
        try context.fetch(ObjectFetchRequest<Person>(Person.age == 1))
    }

    /// The round trips of a walk, and what it came to.
    private func walk(_ context: ManagedObjectContext, _ body: (Person) -> Int) throws -> (reads: Int, sum: Int) {
        let people = try people(context)
        #expect(people.count == Self.count)
        let before = coordinator.seen.reads
        let sum = people.reduce(0) { $0 + body($1) }
        return (coordinator.seen.reads - before, sum)
    }

    static let ways: [(name: String, sum: Int, body: @Sendable (Person) -> Int)] = [
        ("to-one", count, { $0[Person.parent]?[Person.name] == nil ? 0 : 1 }),
        ("to-many", count, { $0[Person.pets].filter { !$0.isDeleted && $0[Pet.name] == nil }.count }),
        ("ordered", 2 * count, { $0[Person.tasks].filter { $0[Job.title] == nil && !$0.isFault }.count }),
        ("many-to-many", count, { $0[Person.friends].filter { $0[Person.name] != nil }.count }),
        ("many-to-many, ordered", count, { $0[Person.clubs].filter { $0[Club.name] == nil && !$0.isFault }.count }),
    ]

    @Test("A walk over hundreds of objects takes a handful of round trips", arguments: ways.indices, [false, true])
    func bounded(way: Int, isChild: Bool) throws {
        let parent = ManagedObjectContext(coordinator)
        let context = isChild ? ManagedObjectContext(parent: parent) : parent
        let (reads, sum) = try walk(context, Self.ways[way].body)
        #expect(sum == Self.ways[way].sum, "\(Self.ways[way].name)")
        #expect(reads <= 8, "\(Self.ways[way].name)")
        #expect(context.faultingDiagnostics.isEmpty)
        withExtendedLifetime(parent) {}
    }

    @Test("What came along is not what is there after a refresh")
    func refreshed() throws {
        let (context, other) = (ManagedObjectContext(coordinator), ManagedObjectContext(coordinator))
        let people = try people(context)
        for person in people.prefix(3) { #expect(person[Person.parent]?[Person.age] == 0) }
        for person in try self.people(other) { person[Person.parent]?[Person.age] = 7 }
        try other.save()
        context.refreshAllObjects()
        #expect(people.allSatisfy { $0[Person.parent]?[Person.age] == 7 })
    }

    @Test("A loop that has one object at a time is told by name")
    func defeated() throws {
        let ids = try people(ManagedObjectContext(coordinator)).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        for id in ids {
            let person = try #require(context.existingObject(with: id) as? Person)
            #expect(person[Person.pets].count == 1)
        }
        let diagnostic = try #require(context.faultingDiagnostics.first { $0.relationship == "pets" })
        #expect(diagnostic.entity == "Person")
        #expect(diagnostic.roundTrips >= FaultingDiagnostic.threshold)
        #expect(diagnostic.description.contains("Person.pets"))
        context.forgetFaultingDiagnostics()
        #expect(context.faultingDiagnostics.isEmpty)
    }

    @Test("Faults of IDs that fire one by one are told by their entity")
    func faults() throws {
        let ids = try people(ManagedObjectContext(coordinator)).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        for id in ids { #expect((context.object(with: id) as? Person)?[Person.age] == 1) }
        #expect(context.faultingDiagnostics == [FaultingDiagnostic(entity: "Person", relationship: nil, roundTrips: Self.count)])
    }
}
