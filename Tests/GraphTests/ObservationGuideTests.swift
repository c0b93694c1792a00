import Foundation
import Observation
import Strata
import StrataInMemory
import StrataTestSupport
import Synchronization
import Testing

@Suite("The guide to observation", .timeLimit(.minutes(60)))
@MainActor
struct ObservationGuideTests {
    final class Person: ManagedObject {
        static let name = Key<String>("name")
        static let city = Key<String>("city")
        static let age = Key<Int>("age")
        static let pets = ToMany<Pet>("pets")
        var name: String? {
            get { self[Self.name] }
            set { self[Self.name] = newValue }
        }
        var city: String? {
            get { self[Self.city] }
            set { self[Self.city] = newValue }
        }
        var age: Int? {
            get { self[Self.age] }
            set { self[Self.age] = newValue }
        }
        var pets: Set<Pet> {
            get { self[Self.pets] }
            set { self[Self.pets] = newValue }
        }
        convenience init(_ name: String, _ age: Int, _ city: String, _ context: ManagedObjectContext) {
            self.init(context: context)
            (self.name, self.age, self.city) = (name, age, city)
        }
    }
    final class Pet: ManagedObject {
        static let owner = ToOne<Person>("owner")
    }

    final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    private let model: ManagedObjectModel
    private let container: PersistentContainer
    private var context: ManagedObjectContext { container.viewContext }

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person", class: Person.self) {
                Attribute("name", .string)
                Attribute("city", .string)
                Attribute("age", .integer16)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
            }
            Entity("Pet", class: Pet.self) { Relationship("owner", to: "Person", inverse: "pets") }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
    }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("Observation") == (8, []))
    }

    @Test("Properties that are read notify of changes, from either end")
    func properties() throws {
        let person = Person("Ann", 20, "Rome", context)
        try context.save()
        let changes = Counter()
        var title = ""
        func track() {
            withObservationTracking {
                title = "\(person.name ?? "nobody"), \(person.pets.count) pets"
            } onChange: {
                changes.add(1)
            }
        }
        track()
        #expect(title == "Ann, 0 pets")
        person.age = 21
        #expect(changes.value == 0)
        person.name = "Anna"
        #expect(changes.value == 1)
        track()
        Pet(context: context)[Pet.owner] = person
        #expect(changes.value == 2)
        track()
        #expect(title == "Anna, 1 pets")
    }

    @Test("A loop over a live query takes one answer after the other")
    func queries() async throws {
        _ = Person("Ann", 20, "Rome", context)
        var shown: [String] = []
        let context = context
        Task { @MainActor in
            _ = Person("Kid", 2, "Rome", context)
            _ = Person("Bob", 30, "Rome", context)
        }
        for try await people in context.observe(ObjectFetchRequest<Person>(Person.age >= 18, sort: [Person.name.ascending])) {
            shown = people.compactMap(\.name)
            if shown.count == 2 { break }
        }
        #expect(shown == ["Ann", "Bob"])
    }

    @Test("A controller reports the changes of a list")
    func lists() throws {
        var log: [String] = []
        let (ann, bob) = (Person("Ann", 20, "Rome", context), Person("Bob", 10, "Oslo", context))
        try context.save()
        let controller = FetchedResultsController(
            ObjectFetchRequest<Person>(sort: [Person.city.ascending, Person.name.ascending]), context: context, sectionNameKeyPath: "city")
        controller.onChange = { changes in
            for change in changes.objectChanges {
                switch change {
                case .insert(let person, let path): log.append("\(person.name ?? "") at \(path)")
                case .delete(_, let path): log.append("gone from \(path)")
                case .move(let person, let from, let to): log.append("\(person.name ?? "") from \(from) to \(to)")
                case .update(let person, let path, _): log.append("\(person.name ?? "") changed at \(path)")
                }
            }
        }
        try controller.performFetch()
        ann.city = "Oslo"
        try context.processPendingChanges()
        #expect(log == ["Ann from [1, 0] to [0, 0]"])
        controller.fetchRequest.predicate = QueryPredicate(Person.age >= 18)
        try controller.performFetch()
        #expect(log.last == "gone from [0, 1]")
        context.delete(bob)
        try context.processPendingChanges()
        #expect(log.count == 2)
    }

    @Test("Listeners and sequences receive a context's events")
    func events() async throws {
        var log: [String] = []
        let ann = Person("Ann", 20, "Rome", context)
        try context.save()
        let subscription = context.observeEvents { event in
            guard event.kind == .objectsDidChange else { return }
            for person in event.updated { log.append(event.changedProperties(of: person)?.sorted().joined(separator: ", ") ?? "anything") }
        }
        ann.age = 21
        ann.city = "Oslo"
        try context.processPendingChanges()
        withExtendedLifetime(subscription) {}
        #expect(log == ["age, city"])
        let audit = context.observeEvents { event in
            for person in event.updated where event.kind == .objectsDidChange {
                if let age = person.changedValuesForCurrentEvent()["age"] { log.append("was \(age)") }
            }
        }
        ann.age = 22
        try context.processPendingChanges()
        withExtendedLifetime(audit) {}
        #expect(log.last == "was 21")
        let background = container.newBackgroundContext()
        let events = background.events
        let listening = Task {
            for await change in events where change.kind == .didSave { return change.changes.inserted.count }
            return 0
        }
        try await background.perform { context in
            _ = Person("Bob", 20, "Rome", context)
            try context.save()
        }
        #expect(await listening.value == 1)
    }

    // A main actor's changes were told only by what the application called; a list on a screen would have waited for the next save.
    @Test("A context of the main actor ends an event with its turn")
    func turns() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let subscription = context.observeEvents { continuation.yield($0.inserted.count) }
        _ = Person("Ann", 20, "Rome", context)
        _ = Person("Bob", 20, "Rome", context)
        var told = stream.makeAsyncIterator()
        #expect(await told.next() == 2)
        withExtendedLifetime(subscription) {}
    }

    @Test("A container's contexts post notifications")
    func notifications() throws {
        let center = NotificationCenter()
        let counted = Counter()
        let container = try PersistentContainer(
            model: model, stores: [StoreDescription(.inMemory)], notificationCenter: center)
        let token = center.addObserver(forName: ManagedObjectContext.didSaveObjectsNotification, object: nil, queue: nil) { notification in
            let inserted = notification.userInfo?[ManagedObjectContext.NotificationKey.insertedObjects.rawValue] as? Set<ManagedObject>
            counted.add(inserted?.count ?? 0)
        }
        let view = container.viewContext
        let other = container.newContext()
        let ids = Counter()
        let second = center.addObserver(forName: ManagedObjectContext.didSaveObjectIDsNotification, object: nil, queue: nil) {
            notification in
            let inserted = notification.userInfo?[ManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue] as? Set<ObjectID>
            ids.add(inserted?.filter { !$0.isTemporary }.count ?? 0)
        }
        let ann = Person("Ann", 20, "Rome", view)
        try view.save()
        #expect(counted.value == 1)
        #expect(ids.value == 1)
        let mine = try other.existingObject(with: ann.objectID, as: Person.self)
        #expect(mine.age == 20)
        let changes = Mutex<[ContextChange]>([])
        let third = center.addObserver(forName: ManagedObjectContext.didSaveObjectsNotification, object: nil, queue: nil) { notification in
            let change = notification.userInfo?[ManagedObjectContext.NotificationKey.change.rawValue] as? ContextChange
            changes.withLock { $0.append(contentsOf: [change].compactMap(\.self)) }
        }
        ann.age = 21
        try view.save()
        let change = try #require(changes.withLock { $0.last })
        let key = ManagedObjectContext.NotificationKey.change.rawValue
        other.mergeChanges(
            fromContextDidSave: Notification(name: ManagedObjectContext.didSaveObjectsNotification, userInfo: [key: change]))
        #expect(mine.age == 21)
        for token in [token, second, third] { center.removeObserver(token) }
    }
}
