import Strata
import StrataInMemory
import StrataModel
import StrataStore
import Testing

@Suite("A save request as a value")
struct SaveChangesRequestTests {
    private let context: ManagedObjectContext
    private let (ann, bob): (Person, Person)

    init() throws {
        context = try Zoo.context()
        (ann, bob) = (context.person("Ann"), context.person("Bob"))
        try context.save()
    }

    private func changes() throws -> ChangeSet {
        let request = try context.saveChangesRequest()
        return try #require(request.parts.count <= 1 ? request.parts.first?.changes ?? ChangeSet() : nil)
    }

    private func slots(_ entity: String, _ keys: String...) throws -> [Slot] {
        let description = try #require(context.model.entity(named: entity))
        return try keys.map { key in
            let property = try #require(description.property(named: key))
            return try #require(description.propertySlots[property.index].slot)
        }.sorted()
    }

    @Test("Nothing to save is an empty request, and saving it asks nothing of the stores")
    func nothing() throws {
        let coordinator = try #require(context.coordinator as? RecordingCoordinator)
        #expect(try context.saveChangesRequest().isEmpty)
        try context.save()
        #expect(coordinator.seen.saves.count == 1)
    }

    @Test("A request changes nothing: made twice it is the same, and the objects are as they were")
    func pure() throws {
        ann[Person.name] = "Anna"
        let rex = Pet(context: context)
        #expect(try changes().inserted.map(\.reference) == changes().inserted.map(\.reference))
        #expect(ann.isUpdated)
        #expect(rex.isInserted)
        #expect(rex.objectID.isTemporary)
        #expect(try context.sibling().count(for: ObjectFetchRequest<Pet>()) == 0)
    }

    // A save cleared the reference before it asked.
    @Test("A reference to a new object that is deleted again is none")
    func deletedAgain() throws {
        let rex = Pet(context: context)
        rex[Pet.owner] = ann
        bob[Person.idol] = context.person("new")
        if let new = bob[Person.idol] { context.delete(new) }
        #expect(try changes().inserted.count == 1)
        try context.save()
        #expect(bob[Person.idol] == nil)
    }

    @Test("New objects are inserted as version 1 with temporary references, also where others refer to them")
    func inserts() throws {
        let rex = Pet(context: context)
        rex[Pet.name] = "Rex"
        ann[Person.idol] = context.person("New")
        let changes = try changes()
        #expect(changes.inserted.count == 2)
        #expect(changes.inserted.allSatisfy { $0.version == 1 && $0.reference < 0 })
        #expect(changes.updated.map(\.row.reference) == [ann.objectID.reference])
        #expect(changes.deleted.isEmpty)
        let slot = try slots("Person", "idol")[0]
        #expect(changes.updated.first?.row.integer(slot) == ann[Person.idol]?.objectID.reference)
        #expect(changes.updated.first?.changedSlots == [slot])
    }

    @Test("An update names the slots that differ, and expects the version that was read")
    func updates() throws {
        ann[Person.name] = "Anna"
        ann[Person.age] = 0
        ann[Person.scratch] = "x"
        let changes = try changes()
        #expect(changes.updated.count == 1)
        #expect(changes.inserted.isEmpty)
        let update = try #require(changes.updated.first)
        #expect(try update.changedSlots == slots("Person", "name"))
        #expect(update.expectedVersion == 1)
        #expect(update.row.version == 2)
        #expect(update.row.value(try slots("Person", "name")[0], .string) == "Anna")
    }

    @Test("A deletion names the row and its version, and deletes nothing else")
    func deletes() throws {
        context.delete(bob)
        let changes = try changes()
        #expect(changes.deleted.map(\.reference) == [bob.objectID.reference])
        #expect(changes.deleted.map(\.expectedVersion) == [1])
        #expect(changes.inserted.isEmpty)
        #expect(changes.updated.isEmpty)
        #expect(changes.links.isEmpty)
    }

    @Test("Moving a member updates the member's row and neither owner's")
    func moves() throws {
        let rex = Pet(context: context)
        ann[Person.pets] = [rex]
        try context.save()
        rex[Pet.owner] = bob
        let changes = try changes()
        #expect(changes.updated.map(\.row.reference) == [rex.objectID.reference])
        #expect(changes.updated.first?.row.integer(try slots("Pet", "owner")[0]) == bob.objectID.reference)
    }

    @Test("A link that both ends know of is put once, a reflexive one once in each direction")
    func links() throws {
        let tag = Tag(context: context)
        ann[Person.tags] = [tag]
        let put = try changes().links
        #expect(put.count == 1)
        #expect(put.first?.kind == .put)
        #expect(Set(put.flatMap { [$0.link.first, $0.link.second] }) == [ann.objectID.reference, tag.objectID.reference])
        try context.save()
        ann[Person.tags] = []
        #expect(try changes().links.map(\.kind) == [.remove])
        try context.save()
        ann[Person.friends] = [bob]
        let friends = try changes().links
        #expect(Set(friends.map(\.link.first)) == [ann.objectID.reference, bob.objectID.reference])
        #expect(friends.count == 2)
    }

    @Test("An ordered many to many relationship carries the order of the side that changed")
    func orderedLinks() throws {
        let clubs = (0..<2).map { _ in Club(context: context) }
        ann[Person.clubs] = [clubs[1], clubs[0]]
        let links = try changes().links
        let personIsFirst = links.first?.link.first == ann.objectID.reference
        let side: LinkSide = personIsFirst ? .first : .second
        let sorted = links.sorted { ($0.link.order(side) ?? 0) < ($1.link.order(side) ?? 0) }
        #expect(sorted.map { $0.link.reference(side.opposite) } == [clubs[1], clubs[0]].map(\.objectID.reference))
    }

    @Test("Appending to a long ordered relationship writes the new member only")
    func appending() throws {
        let jobs = (0..<20).map { _ in Job(context: context) }
        ann[Person.tasks] = jobs
        try context.save()
        ann.add(Job(context: context), to: Person.tasks)
        #expect(try changes().updated.isEmpty)
        #expect(try changes().inserted.count == 1)
        context.rollback()
        ann.add(jobs[19], to: Person.tasks, at: 0)
        #expect(try changes().updated.map(\.row.reference) == [jobs[19].objectID.reference])
        context.rollback()
        ann.add(jobs[0], to: Person.tasks, at: 10)
        #expect(try changes().updated.map(\.row.reference) == [jobs[0].objectID.reference])
    }

    @Test("Objects go to the store that they were assigned to, and relations across stores are refused")
    func stores() throws {
        let coordinator = PersistentStoreCoordinator(model: try Zoo.model())
        let first = try coordinator.addStore(StoreDescription(.inMemory))
        let second = try coordinator.addStore(StoreDescription(.inMemory))
        let context = ManagedObjectContext(coordinator)
        let (here, there) = (context.person("Here"), context.person("There"))
        try context.assign(there, to: second)
        #expect(try Set(context.saveChangesRequest().parts.map(\.storeID)) == [first.id, second.id])
        here[Person.friends] = [there]
        let links = #expect(throws: StoreError.self) { try context.save() }
        #expect(links?.code == .crossStore)
        #expect(links?.key == "friends")
        here[Person.friends] = []
        here[Person.idol] = there
        let reference = #expect(throws: StoreError.self) { try context.save() }
        #expect(reference?.code == .crossStore)
        #expect(reference?.key == "idol")
        here[Person.idol] = nil
        try context.save()
        #expect(there.objectID.storeID == second.id)
        #expect(here.objectID.storeID == first.id)
        #expect(throws: StoreError.self) { try context.assign(there, to: first) }
    }
}
