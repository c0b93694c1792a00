import Observation
import Strata
import StrataInMemory
import Testing

@Suite("A context that goes while its objects are used")
@MainActor
struct LostContextTests {
    @MainActor
    private final class Holder {
        var context: ManagedObjectContext?
    }

    @Test("An observer of a property lets go of the context as the property is set")
    func settingAValue() throws {
        let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
        let coordinator = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).coordinator
        let holder = Holder()
        holder.context = ManagedObjectContext(coordinator)
        holder.context?.isObservable = true
        let text = Key<String>("text")
        let note = try #require(try holder.context?.insert("Note"))
        note[text] = "first"
        withObservationTracking {
            _ = note[text]
        } onChange: {
            MainActor.assumeIsolated { holder.context = nil }
        }
        note[text] = "second"
        #expect(holder.context == nil)
        #expect(note.managedObjectContext == nil)
        note[text] = "third"
        #expect(note[text] == "third")
    }

    // MARK: - Unsaved changes

    private enum State: CaseIterable { case new, changed, unloaded, refreshed, deleted }

    /// Returns an object with changes that no save stored, whose context was released, and the ID of the friend that it had.
    private func orphan(_ state: State) throws -> (ann: Person, bob: ObjectID) {
        var context: ManagedObjectContext? = ManagedObjectContext(try Zoo.coordinator())
        let (ann, bob) = try changed(state, try #require(context))
        context = nil
        #expect(ann.managedObjectContext == nil)
        return (ann, bob)
    }

    private func changed(_ state: State, _ context: ManagedObjectContext) throws -> (ann: Person, bob: ObjectID) {
        var ann = context.person("Ann")
        let bob = context.person("Bob")
        ann[Person.friends] = [bob]
        ann[Person.spouse] = context.person("Cid")
        if state != .new { try context.save() }
        let id = bob.objectID
        if state == .unloaded {
            context.reset()
            ann = try #require(try context.fetch(ObjectFetchRequest<Person>(Person.name == "Ann")).first)
        }
        ann.add(context.person("Eve"), to: Person.friends)
        ann[Person.spouse] = context.person("Fay")
        ann[Person.name] = "Ada"
        if state == .refreshed { context.refresh(ann, mergeChanges: true) }
        if state == .deleted { context.delete(ann) }
        return (ann, id)
    }

    private func expectClosed(_ key: String? = nil, _ read: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try read() }
        #expect(error?.code == .closed)
        #expect(key == nil || error?.key == key)
    }

    /// `changedValues()` of such an object ended the process in debug builds, and `committedValues` and `description` showed its relationships as
    /// empty.
    @Test("An answer about several properties leaves out those that only the released context could read")
    func severalProperties() throws {
        for state in State.allCases {
            let (ann, bob) = try orphan(state)
            #expect(ann.hasChanges)
            #expect(ann.hasPersistentChangedValues)
            #expect(ann.isInserted == (state == .new))
            #expect(ann.isDeleted == (state == .deleted))

            let changed = ann.changedValues()
            #expect(changed["name"] as? String == "Ada", "\(state)")
            #expect(changed["friends"] == nil, "\(state)")
            #expect(changed["spouse"] == nil, "\(state)")
            #expect(["friends", "spouse"].contains((ann.lastFaultError as? StoreError)?.key))

            let committed = ann.committedValues(forKeys: nil)
            #expect(committed["name"] as? String == (state == .new ? nil : "Ann"))
            #expect(committed["spouse"] == nil)
            let isKnown = state == .changed || state == .deleted
            #expect(committed["friends"] as? Set<ObjectID> == (isKnown ? [bob] : nil), "\(state)")

            let isLoaded = isKnown || state == .new
            #expect(ann.description.contains(isLoaded ? "friends: 2 objects" : "friends: not loaded"), "\(ann.description)")
            #expect(ann.description.contains("spouse: not loaded"))
            #expect(ann.description.contains("name: \"Ada\""))
            #expect(ann.hasFault(forRelationshipNamed: "friends") == !isLoaded)
            if isLoaded { #expect(ann.mutableSet(Person.friends).count == 2) }
            if isKnown { #expect(ann.committedValues(forKeys: ["friends"]).count == 1) }
        }
    }

    /// A to-one relationship of a fault, or one that was set to nil, was reported as unchanged.
    @Test("A relationship set to nil before the context was released is a change")
    func setToNil() throws {
        var context: ManagedObjectContext? = ManagedObjectContext(try Zoo.coordinator())
        let ann = try #require(context?.person("Ann"))
        ann[Person.spouse] = context?.person("Bob")
        try context?.save()
        ann[Person.spouse] = nil
        context = nil
        #expect(ann.hasPersistentChangedValues)
        #expect(ann.changedValues().keys.contains("spouse"))
        #expect(ann[Person.spouse] == nil)
        #expect(ann.lastFaultError == nil)
        #expect(ann.committedValues(forKeys: ["spouse"]).isEmpty)
        #expect((ann.lastFaultError as? StoreError)?.key == "spouse")
    }

    @Test("What can throw throws what a released context kept")
    func throwing() throws {
        for state in State.allCases {
            let (ann, _) = try orphan(state)
            #expect(try ann.value(forKey: "name") as? String == "Ada")
            #expect(try ann.primitiveValue(forKey: "name") as? String == "Ada")
            for key in ["friends", "spouse"] {
                expectClosed(key) { _ = try ann.value(forKey: key) }
                expectClosed(key) { _ = try ann.primitiveValue(forKey: key) }
                expectClosed(key) { _ = try ann.objectIDs(forRelationshipNamed: key) }
            }
            if state == .new { continue }
            // The class answers by itself whether it can be updated.
            expectClosed { try ann.validateForInsert() }
            expectClosed { try ann.validateForDelete() }
        }
    }

    @Test("A destination is not added to others that only the released context could read")
    func adding() async throws {
        #if DEBUG
            let added = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try await MainActor.run {
                    let (ann, _) = try LostContextTests().orphan(.unloaded)
                    ann.add(try LostContextTests().orphan(.new).ann, to: Person.friends)
                }
            }
            let text = String(decoding: added?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("the object's context was released before it"))
        #else
            let (ann, _) = try orphan(.unloaded)
            ann.add(try orphan(.new).ann, to: Person.friends)
            #expect((ann.lastFaultError as? StoreError)?.key == "friends")
        #endif
    }
}
