import Observation
import Strata
import StrataTestSupport
import Testing

@Suite("Observed objects")
struct ObservedObjectTests {
    private let context: ManagedObjectContext

    init() throws {
        context = try Zoo.context()
        context.isObservable = true
    }

    private func track<T>(_ read: () -> T) -> ObservationGuideTests.Counter {
        let changes = ObservationGuideTests.Counter()
        _ = withObservationTracking(read) { changes.add(1) }
        return changes
    }

    /// A context over stores whose saves are merged.
    private func observing() throws -> ManagedObjectContext {
        let context = ManagedObjectContext(try PersistentStoreCoordinator(inMemory: Zoo.model()))
        context.isObservable = true
        return context
    }

    private func unattached() throws -> Person { try Person(entity: context.entity(named: "Person"), insertInto: nil) }

    /// The mark of an observed object was set for those alone that a context made.
    @Test("An object that was made first and inserted later notifies of changes")
    func insertedLater() throws {
        let (ada, bob) = (try unattached(), try unattached())
        context.insert(ada)
        ada[Person.idol] = bob
        for person in [ada, bob] {
            let changes = track { person[Person.name] }
            person[Person.name] = "Ada"
            #expect(changes.value == 1)
        }
        try context.save()
        let changes = track { bob[Person.name] }
        bob[Person.name] = "Bob"
        #expect(changes.value == 1)
    }

    @Test("An object whose insertion was undone and redone notifies of changes")
    func insertedAgain() throws {
        context.undoManager = UndoManager()
        let ada = context.person("Ada")
        try context.processPendingChanges()
        try context.undo()
        try context.redo()
        let changes = track { ada[Person.name] }
        ada[Person.name] = "Anna"
        #expect(changes.value == 1)
    }

    /// A fetch began the rules again, whose first change notified the observer again, until the stack was full.
    @Test("An observer may fetch while delete rules are applied")
    func fetchingWhileRulesAreApplied() throws {
        let (ada, rex) = (context.person("Ada"), Pet(context: context))
        ada[Person.pets] = [rex]
        try context.save()
        let changes = ObservationGuideTests.Counter()
        nonisolated(unsafe) let context = context
        _ = withObservationTracking {
            ada[Person.pets].count
        } onChange: {
            changes.add(1)
            if changes.value < 10 { _ = try? context.fetch(ObjectFetchRequest<Pet>()) }
        }
        context.delete(rex)
        try context.save()
        #expect(changes.value == 1)
        #expect(ada[Person.pets].isEmpty)
    }

    /// Nothing retained the destinations that the observer had read: they ended with their observers.
    @Test("Properties of destinations that only the observer has read notify of changes", arguments: ["idol", "pets", "tasks"])
    func destinations(_ name: String) throws {
        do {
            let ada = context.person("Ada")
            ada[Person.idol] = context.person("Bob")
            let (rex, job) = (Pet(context: context), Job(context: context))
            (rex[Pet.name], job[Job.title]) = ("Rex", "a")
            ada[Person.pets] = [rex]
            ada[Person.tasks] = [job]
            try context.save()
        }
        let reading = context.sibling()
        reading.isObservable = true
        let ada = try #require(try reading.first(Person.self, where: Person.name == "Ada"))
        func change(_ suffix: String) {
            ada[Person.idol]?[Person.name] = "Bob" + suffix
            for pet in ada[Person.pets] { pet[Pet.name] = "Rex" + suffix }
            for job in ada[Person.tasks] { job[Job.title] = "a" + suffix }
        }
        for round in 0..<3 {
            let changes = track {
                switch name {
                case "idol": ada[Person.idol]?[Person.name] ?? ""
                case "pets": ada[Person.pets].map { $0[Pet.name] ?? "" }.joined()
                default: ada[Person.tasks].map { $0[Job.title] ?? "" }.joined()
                }
            }
            change("\(round)")
            #expect(changes.value == 1)
        }
    }

    @Test("Destinations that an observer read are released once it was notified, and with the context")
    func released() throws {
        weak var pet: Pet?
        weak var other: Pet?
        var reading: ManagedObjectContext? = context.sibling()
        do {
            let ada = context.person("Ada")
            let rex = Pet(context: context)
            ada[Person.pets] = [rex]
            try context.save()
        }
        do {
            reading?.isObservable = true
            let ada = try #require(try reading?.first(Person.self, where: Person.name == "Ada"))
            let changes = track {
                pet = ada[Person.pets].first
                // Each retains the other while they are observed.
                return pet?[Pet.owner]?[Person.name]
            }
            #expect(pet != nil)
            ada[Person.name] = "Anna"
            #expect(changes.value == 1)
            try reading?.save()
            reading?.refreshAllObjects()
            #expect(pet == nil)
            _ = track {
                other = ada[Person.pets].first
                return other?[Pet.owner]?[Person.name]
            }
        }
        #expect(other != nil)
        reading = nil
        #expect(other == nil)
    }

    // Nothing ended the event where only properties were observed: the members stayed until the next fetch or save.
    @Test("A deletion notifies the observers of others' relationships at the next job of the main actor", arguments: [true, false])
    @MainActor
    func deletionAtNextJob(_ isReadBefore: Bool) async throws {
        let context = try ManagedObjectContext(Zoo.coordinator())
        let (ada, rex) = (context.person("Ada"), Pet(context: context))
        ada[Person.pets] = [rex]
        try context.save()
        _ = track { ada[Person.name] }
        if !isReadBefore { context.delete(rex) }
        let changes = track { ada[Person.pets].count }
        if isReadBefore { context.delete(rex) }
        for _ in 0..<1_000 where changes.value == 0 { await Task.yield() }
        #expect(changes.value == 1)
        #expect(ada[Person.pets].isEmpty)
    }

    @Test("The deletions of a child's save notify the observers of the parent at the next job of the main actor")
    @MainActor
    func deletionByChild() async throws {
        let context = try ManagedObjectContext(Zoo.coordinator())
        let (ada, rex) = (context.person("Ada"), Pet(context: context))
        ada[Person.pets] = [rex]
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let changes = track { ada[Person.pets].count }
        child.delete(try child.existingObject(with: rex.objectID))
        try child.save()
        for _ in 0..<1_000 where changes.value == 0 { await Task.yield() }
        #expect(changes.value == 1)
        #expect(ada[Person.pets].isEmpty)
    }

    // Only a merged deletion was reported.
    @Test("The properties of an object that leaves the context notify: by a saved deletion, a rollback, or the undo of an insertion")
    func leaving() throws {
        context.undoManager = UndoManager()
        let ada = context.person("Ada")
        try context.save()
        let saved = track { ada[Person.name] }
        context.delete(ada)
        #expect(saved.value == 0)
        try context.save()
        #expect(saved.value == 1)
        let bob = context.person("Bob")
        let rolledBack = track { bob[Person.name] }
        context.rollback()
        #expect(rolledBack.value == 1)
        let eve = context.person("Eve")
        try context.processPendingChanges()
        let undone = track { eve[Person.name] }
        try context.undo()
        #expect(undone.value == 1)
        #expect(eve[Person.name] == nil)
    }

    // All relationships to the entity of a changed object were reported.
    @Test("A merge notifies of the relationships that have other members, and of no others")
    func mergedMembers() throws {
        let context = try observing()
        let (ada, bob) = (context.person("Ada"), context.person("Bob"))
        let pets = ["Rex", "Tom", "Ben"].map { name in
            let pet = Pet(context: context)
            pet[Pet.name] = name
            return pet
        }
        ada[Person.pets] = Set(pets[0...1])
        bob[Person.pets] = [pets[2]]
        try context.save()
        context.automaticallyMergesChangesFromParent = true
        let other = context.sibling()
        func own<T: ManagedObject>(_ object: T) throws -> T { try #require(try other.existingObject(with: object.objectID) as? T) }
        func notified(_ change: () throws -> Void) throws -> [Int] {
            let counters = [ada, bob].map { person in track { person[Person.pets].count } }
            try change()
            try other.save()
            _ = try context.count(for: ObjectFetchRequest<Person>())
            return counters.map(\.value)
        }
        #expect(try notified { try own(pets[0])[Pet.name] = "Max" } == [0, 0])
        let ofAda = track { ada[Person.pets].count }
        #expect(try notified { try own(ada)[Person.age] = 7 } == [0, 0])
        #expect(ofAda.value == 0)
        #expect(try notified { try own(pets[1])[Pet.owner] = own(bob) } == [1, 1])
        // It was unloaded by the merges of other changes since it was read.
        #expect(ofAda.value == 1)
        #expect(try notified { try own(pets[1])[Pet.owner] = nil } == [0, 1])
        #expect(try notified { try own(pets[1])[Pet.owner] = own(ada) } == [1, 0])
        #expect(try notified { other.delete(try own(pets[2])) } == [0, 1])
        #expect(
            try notified {
                let pet = Pet(context: other)
                pet[Pet.owner] = try own(bob)
            } == [0, 1])
        #expect(try notified { try own(ada)[Person.friends] = [own(bob)] } == [0, 0])
        let friends = track { ada[Person.friends].count }
        #expect(try notified { try own(bob)[Person.name] = "Rob" } == [0, 0])
        #expect(friends.value == 0)
        #expect(try notified { try own(ada)[Person.friends] = [] } == [0, 0])
        #expect(friends.value == 1)
        #expect(ada[Person.pets] == [pets[0], pets[1]])
    }

    @Test("A merge of a batch request notifies of the relationships that may have other members")
    func mergedBatches() throws {
        let context = try observing()
        let (ada, rex) = (context.person("Ada"), Pet(context: context))
        ada[Person.pets] = [rex]
        try context.save()
        let (name, count) = (track { rex[Pet.name] }, track { ada[Person.pets].count })
        try context.execute(BatchUpdateRequest(entityName: "Pet", set: ["name": .string("Tom")]))
        _ = try context.count(for: ObjectFetchRequest<Person>())
        #expect([name.value, count.value] == [1, 0])
        try context.execute(BatchDeleteRequest(objectIDs: [rex.objectID]))
        _ = try context.count(for: ObjectFetchRequest<Person>())
        #expect(count.value == 1)
        #expect(ada[Person.pets].isEmpty)
    }
}
