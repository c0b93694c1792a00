import Strata
import Testing

/// A balance of 100 plus 10 was stored as 10 where the read of the 100 failed: the accessor answered nothing, and the save took that for data.
@Suite("Reads that fail")
struct FailedReadTests {
    private let coordinator: RecordingCoordinator
    private let ids: [String: ObjectID]

    /// Ann owns two pets and has two tasks; Bob is married to Cid; Ann is Bob's parent.
    init() throws {
        coordinator = try Zoo.coordinator()
        let writer = ManagedObjectContext(coordinator)
        let people = ["Ann", "Bob", "Cid"].map { writer.person($0) }
        for person in people { person[Person.age] = 100 }
        people[0][Person.pets] = [Pet(context: writer), Pet(context: writer)]
        people[0][Person.tasks] = [Job(context: writer), Job(context: writer)]
        people[1][Person.spouse] = people[2]
        people[1][Person.parent] = people[0]
        try writer.save()
        ids = Dictionary(uniqueKeysWithValues: zip(["Ann", "Bob", "Cid"], people.map(\.objectID)))
    }

    private func person(_ name: String, _ context: ManagedObjectContext) throws -> Person {
        let id = try #require(ids[name])
        return try #require(context.object(with: id) as? Person)
    }

    private func stored<T>(_ body: (ManagedObjectContext) throws -> T) throws -> T { try body(ManagedObjectContext(coordinator)) }

    @Test(
        "What is made of a read that failed is refused, every save says so, and doing it all again gives the sum", arguments: [false, true])
    func balance(isTransient: Bool) throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try person("Ann", context)
        func deposit() { ann[Person.age] = (ann[Person.age] ?? 0) + 10 }
        if isTransient {
            // The read before the assignment fails, and the one of the assignment would not.
            coordinator.change { $0.failingAttempts = $0.attempts + 1..<$0.attempts + 2 }
            deposit()
        } else {
            coordinator.failing { deposit() }
        }
        RecordingCoordinator.expectRefused(context, "age")
        RecordingCoordinator.expectRefused(context, "age")
        #expect(!ann.hasChanges)
        #expect(context.lastFaultError is RecordingCoordinator.Failure)
        #expect(try stored { try person("Ann", $0)[Person.age] } == 100)
        deposit()
        try context.save()
        #expect(try stored { try person("Ann", $0)[Person.age] } == 110)
    }

    @Test("An assignment to an object that cannot be read is never dropped in silence")
    func assignment() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try person("Ann", context)
        coordinator.failing { ann[Person.name] = "Anna" }
        // Reading alone does not bring the assignment back.
        #expect(ann[Person.name] == "Ann")
        RecordingCoordinator.expectRefused(context, "name")
        ann[Person.name] = "Anna"
        try context.save()
        #expect(try stored { try person("Ann", $0)[Person.name] } == "Anna")
    }

    @Test("A set that could not be read and is set with one more loses no member")
    func members() throws {
        let context = ManagedObjectContext(coordinator)
        let (ann, rex) = (try person("Ann", context), Pet(context: context))
        coordinator.change { $0.failingAttempts = $0.attempts + 1..<$0.attempts + 2 }
        ann[Person.pets] = ann[Person.pets].union([rex])
        RecordingCoordinator.expectRefused(context, "pets")
        #expect(try stored { try person("Ann", $0)[Person.pets].count } == 2)
        ann[Person.pets] = ann[Person.pets].union([rex])
        try context.save()
        #expect(try stored { try person("Ann", $0)[Person.pets].count } == 3)
    }

    @Test("A member is added without reading the others, also while they cannot be read")
    func blindAdd() throws {
        let context = ManagedObjectContext(coordinator)
        let (ann, rex) = (try person("Ann", context), Pet(context: context))
        coordinator.failing { rex[Pet.owner] = ann }
        try context.save()
        #expect(try stored { try person("Ann", $0)[Person.pets].count } == 3)
    }

    @Test("What was read after all stands against no save, whichever way it was read", arguments: 0..<4)
    func readAfterAll(way: Int) throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try person("Ann", context)
        coordinator.failing {
            #expect(ann[Person.age] == nil)
            #expect(ann.isFault)
        }
        switch way {
        case 0: #expect(ann[Person.age] == 100)
        case 1: context.refresh(ann, mergeChanges: false)
        case 2: _ = try context.existingObject(with: ann.objectID)
        default: _ = try context.fetch(ObjectFetchRequest<Person>())
        }
        ann[Person.age] = 1
        try context.save()
        #expect(try stored { try person("Ann", $0)[Person.age] } == 1)
    }

    @Test("A change between a read that failed and one that succeeded may result from the first: a save throws")
    func changedInBetween() throws {
        let context = ManagedObjectContext(coordinator)
        let (ann, bob) = (try person("Ann", context), try person("Bob", context))
        #expect(bob[Person.age] == 100)
        coordinator.failing { bob[Person.age] = (ann[Person.age] ?? 0) + 1 }
        #expect(ann[Person.age] == 100)
        RecordingCoordinator.expectRefused(context, "age")
        bob[Person.age] = (ann[Person.age] ?? 0) + 1
        try context.save()
        #expect(try stored { try person("Bob", $0)[Person.age] } == 101)
    }

    @Test("Rolling back and resetting forget what failed", arguments: [false, true])
    func forgetting(resets: Bool) throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try person("Ann", context)
        coordinator.failing { ann[Person.age] = (ann[Person.age] ?? 0) + 10 }
        if resets { context.reset() } else { context.rollback() }
        _ = context.person("New")
        try context.save()
        #expect(try stored { try person("Ann", $0)[Person.age] } == 100)
    }

    @Test("Pending changes survive a refresh that cannot read, and a save neither drops them nor stores half")
    func refresh() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try person("Ann", context)
        ann[Person.age] = 7
        coordinator.failing { context.refresh(ann, mergeChanges: true) }
        RecordingCoordinator.expectRefused(context, nil)
        #expect(ann[Person.name] == "Ann")
        #expect(ann[Person.age] == 7)
        try context.save()
        #expect(try stored { [try person("Ann", $0)[Person.age]] } == [7])
    }

    @Test("Values by name throw what kept them from being read, and so does setting them")
    func byName() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try person("Ann", context)
        coordinator.failing {
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.value(forKey: "age") }
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.value(forKey: "pets") }
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.value(forKey: "spouse") }
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.setValue(1, forKey: "age") }
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.setValue(nil, forKey: "spouse") }
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.setValue(nil, forKey: "pets") }
            #expect(throws: RecordingCoordinator.Failure.self) { try ann.objectIDs(forRelationshipNamed: "spouse") }
            #expect(throws: RecordingCoordinator.Failure.self) { try QueryPredicate(format: "age == nil").evaluate(with: ann) }
        }
        // Whoever asked has been told.
        try context.save()
    }

    @Test("What an object reads in vain as it is validated or saved keeps it from being saved")
    func ownMethods() throws {
        let context = ManagedObjectContext(coordinator)
        let (ann, bob) = (try person("Ann", context), try person("Bob", context))
        bob[Person.age] = 1
        bob.onWillSave = { $0[Person.name] = ann[Person.name] ?? "nobody's friend" }
        coordinator.failing { RecordingCoordinator.expectRefused(context, "name") }
        bob.onWillSave = nil
        bob[Person.name] = "Bob"
        #expect(ann[Person.name] == "Ann")
        try context.save()
        #expect(try stored { [try person("Bob", $0)[Person.name]] } == ["Bob"])
    }

    /// What a careless program makes of the people in one go.
    private func work(_ context: ManagedObjectContext) throws {
        let (ann, bob, cid) = (try person("Ann", context), try person("Bob", context), try person("Cid", context))
        let sum = [ann, bob, cid].reduce(0) { $0 + ($1[Person.age] ?? 0) }
        if bob[Person.parent] == nil { bob[Person.parent] = cid }
        ann[Person.age] = (ann[Person.age] ?? 0) - 10
        cid[Person.age] = sum - 250
        bob[Person.name] = (bob[Person.spouse]?[Person.name] ?? "nobody") + "'s"
        ann[Person.pets] = ann[Person.pets].union([Pet(context: context)])
        ann.add(Job(context: context), to: Person.tasks, at: 0)
        for pet in ann[Person.pets] where pet[Pet.name] == nil { pet[Pet.name] = "of \(ann[Person.pets].count)" }
        ann[Person.spouse] = bob[Person.spouse]
        for task in cid[Person.tasks] { context.delete(task) }
        context.delete(bob)
        try context.save()
    }

    /// What of the people is in the store.
    private func picture() throws -> [String] {
        try stored { context in
            let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            return people.map { person in
                let pets = person[Person.pets].map { $0[Pet.name] ?? "-" }.sorted()
                let family = [person[Person.spouse], person[Person.parent]].map { $0?[Person.name] ?? "-" }
                return "\(person[Person.name] ?? "-") \(person[Person.age] ?? -1) \(pets) \(family) \(person[Person.tasks].count)"
            } + ["\(try context.count(for: ObjectFetchRequest<Pet>())) \(try context.count(for: ObjectFetchRequest<Job>()))"]
        }
    }

    @Test("Whichever reads of a careless program fail, nothing is stored that comes of them", arguments: [1, 2, 1000])
    func oracle(failures: Int) throws {
        let before = try picture()
        let expected = try FailedReadTests().afterWork()
        var failed = 0
        for first in 1..<200 {
            let run = try FailedReadTests()
            #expect(try run.picture() == before)
            let context = ManagedObjectContext(run.coordinator)
            let start = run.coordinator.seen.attempts
            run.coordinator.change { $0.failingAttempts = start + first..<start + first + failures }
            let isSaved = (try? run.work(context)) != nil
            let reads = run.coordinator.seen.attempts - start
            run.coordinator.change { $0.failingAttempts = 0..<0 }
            if reads < first {
                #expect(isSaved)
                #expect(first > 5)
                #expect(failed > 5)
                break
            }
            failed += 1
            #expect(try run.picture() == (isSaved ? expected : before), "read \(first) failed")
            if !isSaved {
                // Every save says so until the program starts anew.
                context.rollback()
                try run.work(context)
                #expect(try run.picture() == expected, "read \(first) failed, then all went well")
            }
        }
    }

    private func afterWork() throws -> [String] {
        try work(ManagedObjectContext(coordinator))
        return try picture()
    }
}
