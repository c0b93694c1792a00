import Strata
import StrataTestModels
import Testing

private final class Sleeper: ManagedObject {
    static let name = Key<String>("name")
    static let loud = Key<String>("loud")
    static let note = Key<String>("note")
    static let guest = ToOne<Sleeper>("guest")
    static let crowd = ToMany<Sleeper>("crowd")

    override func awakeFromFetch() {
        self[Self.loud] = self[Self.name]?.uppercased()
        self[Self.note] = "awake"
        self[Self.guest] = self
        add(self, to: Self.crowd)
    }
}

private final class Dreamer: ManagedObject {
    static let name = Key<String>("name")
    static let idol = ToOne<Dreamer>("idol")

    override func awakeFromFetch() {
        if self[Self.name] == nil { self[Self.name] = "nobody" } else { self[Self.idol] = self }
    }
}

/// An object that set anything as it awoke made its context dirty: reading turned into writing.
@Suite("Awakening from a fetch")
struct AwakeningTests {
    private let coordinator: RecordingCoordinator

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Sleeper", class: Sleeper.self) {
                Attributes(["name": .string, "note": .string])
                Attribute("loud", .string).transient
                Relationship("guest", to: "Sleeper").with { $0.isTransient = true }
                Relationship("crowd", to: "Sleeper", .toMany).with { $0.isTransient = true }
            }
            Entity("Dreamer", class: Dreamer.self, attributes: ["name": .string], relationships: ["idol": .toOne("Dreamer")])
        }
        let base = try PersistentStoreCoordinator(inMemory: model)
        coordinator = RecordingCoordinator(base)
        let context = ManagedObjectContext(coordinator)
        Sleeper(context: context)[Sleeper.name] = "ann"
        try context.save()
        coordinator.change { $0 = .init() }
    }

    private func sleeper(_ context: ManagedObjectContext) throws -> Sleeper {
        try #require(context.fetch(ObjectFetchRequest<Sleeper>()).first)
    }

    @Test("What an object sets as it awakes is there, and is no change")
    func clean() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try sleeper(context)
        #expect(ann[Sleeper.loud] == "ANN")
        #expect(ann[Sleeper.note] == "awake")
        #expect(ann[Sleeper.guest] === ann)
        #expect(ann[Sleeper.crowd] == [ann])
        #expect(!context.hasChanges)
        #expect(!ann.hasChanges)
        #expect(!ann.isUpdated)
        #expect(!ann.hasPersistentChangedValues)
        #expect(ann.changedValues().isEmpty)
        #expect(context.updatedObjects.isEmpty)
        try context.save()
        #expect(coordinator.seen.saves.isEmpty)
    }

    @Test("It is saved with the object's next change, and set anew after a refresh")
    func saved() throws {
        let context = ManagedObjectContext(coordinator)
        let ann = try sleeper(context)
        ann[Sleeper.name] = "anna"
        #expect(ann[Sleeper.loud] == "ANN")
        #expect(ann.hasChanges)
        try context.save()
        context.refresh(ann, mergeChanges: false)
        #expect(ann[Sleeper.loud] == "ANNA")
        #expect(!context.hasChanges)
        #expect(try context.count(for: ObjectFetchRequest<Sleeper>(Sleeper.note == "awake")) == 1)
        ann[Sleeper.note] = "mine"
        #expect(context.hasChanges)
        context.rollback()
        #expect(ann[Sleeper.note] == "awake")
        #expect(!context.hasChanges)
    }

    /// What it had set as it awoke went over what the store has by now.
    @Test("Values that it set when it awoke before do not replace those of a newly fetched row")
    func refetched() throws {
        let (writer, context) = (ManagedObjectContext(coordinator), ManagedObjectContext(coordinator))
        let own = Dreamer(context: writer)
        try writer.save()
        var request = ObjectFetchRequest<Dreamer>()
        request.shouldRefreshRefetchedObjects = true
        let dreamer = try #require(context.fetch(request).first)
        #expect(dreamer[Dreamer.name] == "nobody")
        #expect(!context.hasChanges)
        own[Dreamer.name] = "Zoe"
        try writer.save()
        #expect(try context.fetch(request).first === dreamer)
        #expect(dreamer[Dreamer.name] == "Zoe")
    }

    @Test("A relationship that it sets as it awakes, which others may lead back along, is a change like any other")
    func persistentRelationship() throws {
        let writer = ManagedObjectContext(coordinator)
        Dreamer(context: writer)[Dreamer.name] = "Zoe"
        try writer.save()
        let context = ManagedObjectContext(coordinator)
        let dreamer = try #require(context.fetch(ObjectFetchRequest<Dreamer>()).first)
        #expect(dreamer[Dreamer.idol] === dreamer)
        #expect(context.hasChanges)
        try context.save()
        #expect(
            try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<Dreamer>(entityName: "Dreamer", key("idol") != nil)) == 1)
    }
}
