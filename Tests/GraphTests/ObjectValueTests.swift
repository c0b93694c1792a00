import FoundationEssentials
import Strata
import StrataInMemory
import Testing

@Suite("What objects show and how they are misused", .timeLimit(.minutes(60)))
struct ObjectValueTests {
    private func text(_ result: ExitTest.Result?) -> String {
        result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    }

    @Test("An object is printed with its values, and a fault as one, which does not fire")
    func description() throws {
        let coordinator = try Zoo.coordinator()
        let context = ManagedObjectContext(coordinator)
        let ann = context.person("Ann")
        let rex = Pet(context: context)
        ann[Person.pets] = [rex]
        ann[Person.spouse] = context.person("Bob")
        #expect(ann.description.contains("inserted"))
        #expect(ann.description.contains("name: \"Ann\""))
        #expect(ann.description.contains("age: 0"))
        #expect(ann.description.contains("pets: 1 object"))
        #expect(ann.description.contains("email: nil"))
        try context.save()
        let other = context.sibling()
        let fault = try other.here(ann)
        let before = coordinator.seen.attempts
        #expect(fault.description == "<Person \(ann.objectID) fault>")
        #expect(fault.isFault)
        #expect(coordinator.seen.attempts == before)
        _ = fault[Person.name]
        #expect(fault.description.contains("clean; "))
        #expect(fault.description.contains("pets: not loaded"))
        #expect(fault.description.contains("spouse: \(try #require(ann[Person.spouse]).objectID)"))
        fault[Person.name] = String(repeating: "x", count: 1000)
        #expect(fault.description.contains("updated; "))
        #expect(fault.description.utf8.count < 1500)
    }

    @Test("A hook decides whether an object whose row was deleted counts as deleted")
    func inaccessibleFault() throws {
        let context = try Zoo.context()
        let (ann, bob) = (context.person("Ann"), context.person("Bob"))
        try context.save()
        let other = context.sibling()
        var asked: [ObjectID] = []
        let annID = ann.objectID
        other.shouldHandleInaccessibleFault = { _, id in
            asked.append(id)
            return id == annID
        }
        let (annThere, bobThere) = (try other.here(ann), try other.here(bob))
        let ids = [ann.objectID, bob.objectID]
        context.delete(ann)
        context.delete(bob)
        try context.save()
        #expect(annThere[Person.name] == nil)
        #expect(bobThere[Person.name] == nil)
        #expect(asked == ids)
        #expect(annThere.isDeleted)
        #expect(!bobThere.isDeleted)
        #expect((other.lastFaultError as? StoreError)?.message == "the row of \(ids[1]) was deleted")
    }

    @Test("Rows that are older than the staleness interval are read again when their fault fires")
    func staleness() throws {
        let context = try Zoo.context()
        _ = context.person("Ann")
        try context.save()
        let (fresh, lasting) = (context.sibling(), context.sibling())
        fresh.stalenessInterval = .zero
        lasting.stalenessInterval = .seconds(3600)
        let stale = try #require(try fresh.first(Person.self))
        let kept = try #require(try lasting.first(Person.self))
        let any = try #require(try context.first(Person.self))
        any[Person.name] = "Anna"
        try context.save()
        #expect(stale[Person.name] == "Anna")
        #expect(kept[Person.name] == "Ann")
        let gone = try #require(
            try {
                fresh.reset(); return try fresh.first(Person.self)
            }())
        context.delete(any)
        try context.save()
        #expect(gone[Person.name] == nil)
        #expect(gone.isDeleted)
    }

    @Test("A transient value returns to its initial one when its object becomes a fault, and when the context is rolled back")
    func transientValues() throws {
        let context = try Zoo.context()
        let ann = context.person("Ann")
        try context.save()
        ann[Person.scratch] = "a"
        context.refresh(ann, mergeChanges: false)
        #expect(ann[Person.scratch] == "blank")
        ann[Person.scratch] = "b"
        context.rollback()
        #expect(ann[Person.scratch] == "blank")
        ann[Person.scratch] = "c"
        context.refresh(ann, mergeChanges: true)
        #expect(ann[Person.scratch] == "c")
    }

    /// Has Ann, a friend and a spouse saved, and their context released.
    private func orphan(spouse: Bool = false, fault: Bool = false, saved: Bool = true) throws -> Person {
        let coordinator = try Zoo.coordinator()
        var context: ManagedObjectContext? = ManagedObjectContext(coordinator)
        let ann = try #require(context).person("Ann")
        ann[Person.friends] = [try #require(context).person("Bob")]
        if spouse { ann[Person.spouse] = try #require(context).person("Cid") }
        if saved { try context?.save() }
        _ = ann[Person.friends]
        if fault { context?.refresh(ann, mergeChanges: false) }
        context = nil
        #expect(ann.managedObjectContext == nil)
        return ann
    }

    @Test("An object whose context was released has its values, and none of a relationship that is empty")
    func contextGone() throws {
        let ann = try orphan()
        #expect(!ann.hasChanges)
        #expect(ann[Person.name] == "Ann")
        ann[Person.age] = 3
        #expect(ann[Person.age] == 3)
        _ = ann.description
        _ = ann.snapshot().values
        #expect(ann[Person.spouse] == nil)
        #expect(!ann.isUpdated)
        try ann.setPrimitiveValue(4, forKey: "age")
        #expect(try ann.primitiveValue(forKey: "age") as? Int == 4)
        #expect(throws: ValidationError.self) { try ann.validateValue(nil, forKey: "name") }
        // What it is given from now on it holds itself.
        let bob = try orphan()
        ann[Person.friends] = [bob]
        #expect(ann[Person.friends] == [bob])
        #expect(ann.mutableSet(Person.friends).count == 1)
        #expect(ann.lastFaultError == nil)
    }

    /// The relationships of an object whose context was released before it read as empty, and a fault as without values: nothing was reported.
    @Test("An object whose context was released reports by name what cannot be read")
    func contextGoneByName() throws {
        for isSaved in [true, false] {
            let ann = try orphan(spouse: true, saved: isSaved)
            for key in ["friends", "spouse"] {
                for read in [{ _ = try ann.value(forKey: key) }, { _ = try ann.objectIDs(forRelationshipNamed: key) }] {
                    let error = #expect(throws: StoreError.self) { try read() }
                    #expect(error?.code == .closed)
                    #expect(error?.key == key)
                    #expect(error?.entity == "Person")
                }
            }
            #expect(try ann.value(forKey: "name") as? String == "Ann")
            #expect(try ann.value(forKey: "passport") == nil)
        }
        let fault = try orphan(fault: true)
        #expect(throws: StoreError.self) { try fault.value(forKey: "name") }
        #expect(throws: StoreError.self) { try fault.value(forKey: "spouse") }
        fault[Person.name] = "Eve"
        #expect(try fault.value(forKey: "name") as? String == "Eve")
    }

    @Test("Accessors of an object whose context was released trap in debug builds, and leave their error with the object in others")
    func contextGoneAccessors() async throws {
        #if DEBUG
            let toMany = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try ObjectValueTests().orphan()[Person.friends]
            }
            #expect(text(toMany).contains("the object's context was released before it"))
            let toOne = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try ObjectValueTests().orphan(spouse: true)[Person.spouse]
            }
            #expect(text(toOne).contains("the object's context was released before it"))
            let snapshot = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try ObjectValueTests().orphan(spouse: true).snapshot()
            }
            #expect(text(snapshot).contains("the object's context was released before it"))
            let fault = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try ObjectValueTests().orphan(fault: true)[Person.name]
            }
            #expect(text(fault).contains("the object's context was released before it"))
        #else
            let ann = try orphan(spouse: true)
            #expect(ann[Person.friends].isEmpty)
            #expect((ann.lastFaultError as? StoreError)?.key == "friends")
            #expect(ann[Person.spouse] == nil)
            #expect((ann.lastFaultError as? StoreError)?.key == "spouse")
        #endif
    }

    @Test("Objects that a context has forgotten are empty, and reading them is no mistake")
    func forgotten() throws {
        let context = try Zoo.context()
        let (ann, bob) = (context.person("Ann"), context.person("Bob"))
        ann[Person.friends] = [bob]
        try context.save()
        context.delete(bob)
        try context.save()
        #expect(bob[Person.friends].isEmpty)
        #expect(bob[Person.name] == nil)
        #expect(bob.lastFaultError == nil)
        context.reset()
        #expect(ann[Person.friends].isEmpty)
        #expect(ann[Person.spouse] == nil)
        #expect(ann[Person.name] == nil)
        #expect(ann.lastFaultError == nil)
    }

    @Test("Accessors alone trap in debug builds where they are used outside of the queue, with the context's name")
    func wrongQueue() async throws {
        #if DEBUG
            let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let background = BackgroundContext(try Zoo.coordinator(), name: "importer")
                nonisolated(unsafe) var leaked: Person?
                background.performAndWait { context in unsafe leaked = context.person("Ann") }
                _ = unsafe leaked?[Person.name]
            }
            #expect(text(read).contains("importer is used outside of its queue or actor"))
            let related = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let background = BackgroundContext(try Zoo.coordinator(), name: "importer")
                nonisolated(unsafe) var leaked: Person?
                background.performAndWait { context in unsafe leaked = context.person("Ann") }
                _ = unsafe leaked?[Person.pets]
            }
            #expect(text(related).contains("importer is used outside of its queue or actor"))
        #endif
    }

    @Test("A place that an ordered relationship does not have ends the program, with the relationship's name")
    func outOfBounds() async throws {
        let inserted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { context.person("A").mutableOrderedSet(Person.tasks).insert(Job(context: context), at: 1) }
        }
        #expect(text(inserted).contains("Person.tasks: the index 1 is out of bounds"))
        let moved = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { context.person("A").mutableOrderedSet(Person.tasks).move(from: 0, to: 0) }
        }
        #expect(text(moved).contains("Person.tasks: the index 0 is out of bounds"))
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { _ = context.person("A").mutableOrderedSet(Person.tasks)[-1] }
        }
        #expect(text(read).contains("Person.tasks: the index -1 is out of bounds"))
    }

    @Test("A property that there is none of ends the program where an accessor of one's own names it")
    func unknownProperty() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { context.person("A").willAccessValue(forKey: "nothing") }
        }
        #expect(text(result).contains("Person has no property nothing"))
    }

    @Test("Objects that never rest fail a save with Core Data's general code")
    func restless() throws {
        let context = try Zoo.context()
        let ann = context.person("Ann")
        ann.onWillSave = { $0[Person.age] = ($0[Person.age] ?? 0) + 1 }
        let error = #expect(throws: UnstableSaveError.self) { try context.save() }
        #expect(error?.cocoaCode == 134060)
        #expect(error?.description.contains("willSave()") == true)
        #expect(error?.objectIDs == [ann.objectID])
    }
}
