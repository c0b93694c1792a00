import Strata
import Testing

@Suite("Background contexts", .timeLimit(.minutes(60)))
struct BackgroundContextTests {
    private struct Failure: Error {}
    private let coordinator: RecordingCoordinator
    private let background: BackgroundContext

    init() throws {
        coordinator = try Zoo.coordinator()
        background = BackgroundContext(coordinator)
    }

    @Test("A block's result comes out of it, and so does its error")
    func results() async throws {
        let id = try await background.perform { context in
            let ann = context.person("Ann")
            try context.save()
            return ann.objectID
        }
        #expect(background.performAndWait { ($0.object(with: id) as? Person)?[Person.name] } == "Ann")
        await #expect(throws: Failure.self) { try await background.perform { _ in throw Failure() } }
        #expect(throws: Failure.self) { try background.performAndWait { _ in throw Failure() } }
    }

    @Test("Blocks see the same context, one after the other in the order in which they were sent")
    func order() async throws {
        let ann = await addName("a")
        for name in ["b", "c", "d"] {
            background.performAndWait { context in
                if let person = context.object(with: ann) as? Person { person[Person.name] = (person[Person.name] ?? "") + name }
            }
        }
        #expect(background.performAndWait { ($0.object(with: ann) as? Person)?[Person.name] } == "abcd")
    }

    private func addName(_ name: String) async -> ObjectID {
        (try? await background.perform { $0.person(name).objectID }) ?? background.performAndWait { $0.person(name).objectID }
    }

    @Test("performAndWait within a block of the same context runs right away")
    func reentrancy() async throws {
        let depth = try await background.perform { [background] outer in
            background.performAndWait { middle in
                background.performAndWait { inner in outer === middle && middle === inner ? 3 : 0 }
            }
        }
        #expect(depth == 3)
    }

    @Test("performAndWait of one context runs within a block of another")
    func nested() async throws {
        let other = BackgroundContext(coordinator)
        let areApart = try await background.perform { outer in other.performAndWait { $0 !== outer } }
        #expect(areApart)
    }

    @Test("Many tasks that use one context lose no change")
    func manyTasks() async throws {
        let id = try await background.perform { context in
            let ann = context.person("Ann")
            try context.save()
            return ann.objectID
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { [background] in
                    if number % 2 == 0 {
                        background.performAndWait { BackgroundContextTests.grow($0, id) }
                    } else {
                        try? await background.perform { BackgroundContextTests.grow($0, id) }
                    }
                }
            }
        }
        _ = try await background.perform { try $0.save() }
        let context = ManagedObjectContext(coordinator)
        #expect((context.object(with: id) as? Person)?[Person.age] == 40)
    }

    private static func grow(_ context: ManagedObjectContext, _ id: ObjectID) {
        guard let person = context.object(with: id) as? Person else { return }
        person[Person.age] = (person[Person.age] ?? 0) + 1
    }

    @Test("Many contexts that save at once each store their own")
    func manyContexts() async throws {
        let saved = await withTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask { [coordinator] in
                    let context = BackgroundContext(coordinator)
                    for round in 0..<10 {
                        try? await context.perform { context in
                            context.person("\(number) \(round)").add(Tag(context: context), to: Person.tags)
                            try context.save()
                        }
                    }
                    return context.performAndWait { $0.hasChanges ? 0 : 10 }
                }
            }
            return await group.reduce(0, +)
        }
        let context = ManagedObjectContext(coordinator)
        #expect(saved == 80)
        #expect(try context.count(for: ObjectFetchRequest<Person>()) == 80)
        #expect(try context.count(for: ObjectFetchRequest<Tag>()) == 80)
    }

    @Test("Each block is a step of the context's undo manager, blocks within it included")
    func steps() async throws {
        let ann = background.performAndWait { context in
            context.undoManager = UndoManager()
            let ann = context.person("Ann")
            background.performAndWait { _ in ann[Person.age] = 1 }
            return ann.objectID
        }
        try await background.perform { context in try (context.existingObject(with: ann) as? Person)?[Person.age] = 2 }
        try await background.perform { context in
            #expect(context.undoManager?.undoCount == 2)
            try context.undo()
            #expect((context.registeredObject(for: ann) as? Person)?[Person.age] == 1)
            try context.undo()
            #expect(context.registeredObject(for: ann) == nil)
            #expect(!context.hasChanges)
        }
    }

    @Test("A background context is freed with what is pending in it")
    func freed() async throws {
        weak var context: ManagedObjectContext?
        do {
            let made = BackgroundContext(coordinator)
            made.performAndWait { inner in
                _ = inner.person("Ann")
                context = inner
            }
            #expect(context != nil)
        }
        #expect(context == nil)
    }
}
