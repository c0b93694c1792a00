import Strata
import Testing

@testable import StrataGraph

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

    @Test("A loop that has one object at a time is reported by name")
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

    @Test("Faults of IDs that fire one by one are reported by their entity")
    func faults() throws {
        let ids = try people(ManagedObjectContext(coordinator)).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        for id in ids { #expect((context.object(with: id) as? Person)?[Person.age] == 1) }
        #expect(context.faultingDiagnostics == [FaultingDiagnostic(entity: "Person", relationship: nil, roundTrips: Self.count)])
    }

    // MARK: - Faults that are held

    @Test("Faults that were collected fire together, and so do their relationships", arguments: [false, true])
    func collected(isChild: Bool) throws {
        let parent = ManagedObjectContext(coordinator)
        let context = isChild ? ManagedObjectContext(parent: parent) : parent
        let parents = try people(context).compactMap { $0[Person.parent] }
        let before = coordinator.seen.reads
        #expect(parents.count == Self.count)
        #expect(parents.allSatisfy { $0[Person.name]?.hasPrefix("parent of") == true })
        #expect(coordinator.seen.reads - before <= 3)
        for person in parents {
            #expect(person[Person.clubs].count == 1)
            #expect(person[Person.clubs].first?[Club.name] == nil)
        }
        #expect(coordinator.seen.reads - before <= 12)
        withExtendedLifetime(parent) {}
    }

    @Test("The first of collected faults fires alone")
    func first() throws {
        let context = ManagedObjectContext(coordinator)
        let parents = try people(context).compactMap { $0[Person.parent] }
        #expect(parents[0][Person.age] == 0)
        let other = ManagedObjectContext(coordinator)
        for parent in parents.prefix(2) { try other.here(parent)[Person.age] = 7 }
        try other.save()
        #expect(parents.prefix(2).map { $0[Person.age] } == [0, 7])
    }

    @Test("Collected faults fire with the second")
    func second() throws {
        let context = ManagedObjectContext(coordinator)
        let parents = try people(context).compactMap { $0[Person.parent] }
        for parent in parents.prefix(2) { #expect(parent[Person.age] == 0) }
        let before = coordinator.seen.reads
        #expect(parents.allSatisfy { $0[Person.age] == 0 })
        #expect(coordinator.seen.reads == before)
    }

    @Test("A collected fault whose row was deleted counts as deleted, and does not keep the others from their rows")
    func gone() throws {
        let context = ManagedObjectContext(coordinator)
        let parents = try people(context).compactMap { $0[Person.parent] }
        let other = ManagedObjectContext(coordinator)
        for parent in parents[3...4] {
            let gone = try other.here(parent)
            for club in gone[Person.clubs] { other.delete(club) }
            other.delete(gone)
        }
        try other.save()
        #expect(parents.map { $0[Person.name] == nil }.enumerated().filter(\.element).map(\.offset) == [3, 4])
        #expect(parents[3].isDeleted)
    }

    @Test("What came along with collected faults is not what is there after a refresh")
    func refreshedMembers() throws {
        let (context, other) = (ManagedObjectContext(coordinator), ManagedObjectContext(coordinator))
        let parents = try people(context).compactMap { $0[Person.parent] }
        for parent in parents.prefix(5) { #expect(parent[Person.clubs].first?[Club.name] == nil) }
        for person in try people(other) { person[Person.clubs].first?[Club.name] = "new" }
        let left = try #require(other.existingObject(with: parents[20].objectID) as? Person)
        let club = try #require(left[Person.clubs].first)
        left.add(Club(context: other), to: Person.clubs, at: 0)
        left[Person.clubs].first?[Club.members] = try Array(people(other).prefix(1)) + [left]
        try other.save()
        context.refreshAllObjects()
        #expect(parents.allSatisfy { $0[Person.clubs].last?[Club.name] == "new" })
        #expect(parents[20][Person.clubs].map(\.objectID).last == club.objectID)
        #expect(parents[20][Person.clubs].count == 2)
    }

    // MARK: - Members with their rows

    private func each(_ ids: [ObjectID], _ context: ManagedObjectContext, _ body: (Person) -> Void) throws {
        for id in ids { body(try #require(context.existingObject(with: id) as? Person)) }
    }

    @Test("Where members are read of one object after the other, their rows come with them", arguments: [Self.count, 6])
    func membersWithRows(count: Int) throws {
        let ids = try people(ManagedObjectContext(coordinator)).prefix(count).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        let before = coordinator.seen
        try each(ids, context) { person in
            #expect(person[Person.tasks].count == 2)
            for job in person[Person.tasks] {
                #expect(job[Job.title] == nil)
                #expect(job[Job.person] === person)
            }
            for pet in person[Person.pets] {
                #expect(pet[Pet.name] == nil)
                #expect(pet[Pet.owner] === person)
            }
        }
        // A round trip for each person, one for the pets, one for the tasks; the first two take another one each for what was not foreseen.
        #expect(coordinator.seen.reads - before.reads <= 3 * count + 4)
        #expect(coordinator.seen.rowsAlong == 3 * (count - 2))
    }

    @Test("Members that are only counted come without rows")
    func counted() throws {
        let ids = try people(ManagedObjectContext(coordinator)).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        try each(ids, context) { #expect($0[Person.tasks].count == 2) }
        #expect(coordinator.seen.rowsAlong == 0)
    }

    @Test("Rows come no longer where members are no longer read")
    func countedAfterwards() throws {
        let ids = try people(ManagedObjectContext(coordinator)).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        try each(Array(ids.prefix(5)), context) { #expect($0[Person.tasks].allSatisfy { $0[Job.title] == nil }) }
        let before = coordinator.seen.rowsAlong
        #expect(before == 6)
        try each(Array(ids.dropFirst(5)), context) { #expect($0[Person.tasks].count == 2) }
        #expect(coordinator.seen.rowsAlong - before <= 2)
    }

    @Test("Rows do not come along with the members of owners who have very many of them")
    func manyMembers() throws {
        let writer = ManagedObjectContext(coordinator)
        let owners = (0..<4).map { writer.person("owner \($0)") }
        for number in 0..<4 * 2001 { Job(context: writer)[Job.person] = owners[number % 4] }
        try writer.save()
        let context = ManagedObjectContext(coordinator)
        try each(owners.map(\.objectID), context) { #expect($0[Person.tasks].allSatisfy { $0[Job.title] == nil }) }
        #expect(coordinator.seen.rowsAlong == 0)
    }

    @Test("A context that wants its rows to be young has none come along with members")
    func staleness() throws {
        let ids = try people(ManagedObjectContext(coordinator)).map(\.objectID)
        let context = ManagedObjectContext(coordinator)
        context.stalenessInterval = .seconds(60)
        try each(ids, context) { #expect($0[Person.tasks].allSatisfy { $0[Job.title] == nil }) }
        #expect(coordinator.seen.rowsAlong == 0)
    }

    @Test("Rows come with the members of retained owners, too, once members are read", arguments: ["pets", "tasks", "friends"])
    func membersOfRetainedOwners(name: String) throws {
        let context = ManagedObjectContext(coordinator)
        let people = try people(context)
        let before = coordinator.seen
        for person in people {
            switch name {
            case "pets": #expect(person[Person.pets].allSatisfy { $0[Pet.name] == nil })
            case "tasks": #expect(person[Person.tasks].map { $0[Job.title] } == [nil, nil])
            default: #expect(person[Person.friends].allSatisfy { $0[Person.name]?.hasPrefix("parent of") == true })
            }
        }
        #expect(coordinator.seen.rowsAlong == (name == "tasks" ? 2 : 1) * (Self.count - 1))
        #expect(coordinator.seen.reads - before.reads <= 4)
    }

    @Test("Members that were moved, added and removed since their rows were read have their own values")
    func changedMembers() throws {
        let writer = ManagedObjectContext(coordinator)
        for person in try people(writer) { for (index, job) in person[Person.tasks].enumerated() { job[Job.title] = "\(index)" } }
        try writer.save()
        let context = ManagedObjectContext(coordinator)
        let people = try people(context)
        for person in people.prefix(2) { #expect(person[Person.tasks].map { $0[Job.title] } == ["0", "1"]) }
        // The rows of all others wait now.
        let job = Job(context: context)
        job[Job.title] = "new"
        people[5].add(job, to: Person.tasks)
        #expect(people[5][Person.tasks].map { $0[Job.title] } == ["0", "1", "new"])
        let moved = try #require(context.object(with: people[6][Person.tasks][1].objectID) as? Job)
        people[6].add(moved, to: Person.tasks, at: 0)
        #expect(people[6][Person.tasks].map { $0[Job.title] } == ["1", "0"])
        people[7].remove(people[7][Person.tasks][0], from: Person.tasks)
        #expect(people[7][Person.tasks].map { $0[Job.title] } == ["1"])
        for person in people.dropFirst(8) { #expect(person[Person.tasks].map { $0[Job.title] } == ["0", "1"]) }
    }

    @Test("Rows that wait for members are not used after a refresh of a member, or of all")
    func waitingRowsAfterRefresh() throws {
        let context = ManagedObjectContext(coordinator)
        let people = try people(context)
        for person in people.prefix(3) { #expect(person[Person.tasks].first?[Job.title] == nil) }
        let other = ManagedObjectContext(coordinator)
        for job in try other.fetch(ObjectFetchRequest<Job>()) { job[Job.title] = "changed" }
        try other.save()
        let id = try #require(try other.here(people[9])[Person.tasks].first).objectID
        context.refresh(context.object(with: id), mergeChanges: false)
        #expect(people[9][Person.tasks].first?[Job.title] == "changed")
        context.refreshAllObjects()
        #expect(people.allSatisfy { $0[Person.tasks].allSatisfy { $0[Job.title] == "changed" } })
    }

    @Test("A second traversal of members that were released reads their current rows")
    func secondTraversal() throws {
        let context = ManagedObjectContext(coordinator)
        let people = try people(context)
        let names = { people.flatMap { $0[Person.tasks].map { $0[Job.title] } } }
        #expect(names().allSatisfy { $0 == nil })
        let other = ManagedObjectContext(coordinator)
        for job in try other.fetch(ObjectFetchRequest<Job>()) { job[Job.title] = "changed" }
        try other.save()
        #expect(names().allSatisfy { $0 == "changed" })
    }
}
