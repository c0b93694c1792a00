import Dispatch
import Observation
import Strata
import Testing

/// Objects that were released on another thread, as those in a notification that is handed on, left their context's tables while it worked
/// with them: the tables broke, or gave out an object that was just going.
@Suite("Objects released on other threads")
struct ReleasedElsewhereTests {
    private let coordinator: RecordingCoordinator
    private let elsewhere = DispatchQueue(label: "elsewhere", attributes: .concurrent)

    init() throws {
        coordinator = try Zoo.coordinator()
        let context = ManagedObjectContext(coordinator)
        for number in 0..<200 { _ = context.person("\(number)") }
        try context.save()
    }

    /// What is given up on another thread.
    // Unchecked: whoever makes it does not look into it any more, and whoever gets it only lets go of it.
    private final class Parcel: @unchecked Sendable {
        private var contents: [AnyObject]

        init(_ contents: [AnyObject]) { self.contents = contents }

        func drop() { contents = [] }
    }

    private func dropElsewhere(_ contents: [AnyObject]) {
        let parcel = Parcel(contents)
        elsewhere.async { parcel.drop() }
    }

    /// Waits for all that is to be dropped.
    private func join() { elsewhere.sync(flags: .barrier) {} }

    @Test("A context fetches, over and over, what another thread lets go of just now")
    func fetching() throws {
        let context = ManagedObjectContext(coordinator)
        for _ in 0..<300 {
            let people = try context.fetch(ObjectFetchRequest<Person>())
            #expect(people.count == 200)
            dropElsewhere(people)
        }
        join()
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("What is looked up while it goes is another object with the same values")
    func lookingUp() throws {
        let context = ManagedObjectContext(coordinator)
        let ids = try context.fetch(ObjectFetchRequest<Person>()).map(\.objectID)
        for _ in 0..<100 {
            let people = ids.map { context.object(with: $0) }
            #expect(people.allSatisfy { $0.managedObjectContext === context })
            dropElsewhere(people)
            #expect(Set(try context.existingObjects(with: ids).map(\.objectID)) == Set(ids))
        }
        join()
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("Objects and their context are released on different threads at once")
    func context() throws {
        for round in 0..<300 {
            let context = ManagedObjectContext(coordinator)
            var people = try context.fetch(ObjectFetchRequest<Person>())
            dropElsewhere(Array(people[100...]))
            people.removeLast(100)
            dropElsewhere(people)
            people = []
            if round.isMultiple(of: 3) { context.reset() }
            if round.isMultiple(of: 2) { dropElsewhere([context]) }
        }
        join()
        #expect(try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<Person>()) == 200)
    }

    @Test("Changes made in between are all saved")
    func changing() throws {
        let context = ManagedObjectContext(coordinator)
        for round in 0..<30 {
            let people = try context.fetch(ObjectFetchRequest<Person>())
            for person in people { person[Person.name] = "\(round)" }
            _ = context.person("\(round)")
            try context.save()
            dropElsewhere(people)
        }
        join()
        let names = try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<Person>()).map { $0[Person.name] }
        #expect(names.count == 230)
        #expect(names.filter { $0 == "29" }.count == 230)
    }

    @Test("Observed objects take their observers along")
    func observed() throws {
        let context = ManagedObjectContext(coordinator)
        context.isObservable = true
        for _ in 0..<100 {
            let people = try context.fetch(ObjectFetchRequest<Person>())
            withObservationTracking {
                for person in people { _ = person[Person.name] }
            } onChange: {
            }
            dropElsewhere(people)
        }
        join()
        #expect(context.registeredObjects.isEmpty)
    }
}
