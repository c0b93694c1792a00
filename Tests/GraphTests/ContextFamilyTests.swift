import Dispatch
import Strata
import Testing

/// Parents and children on different queues and actors.
@Suite("Families of contexts on several queues", .timeLimit(.minutes(60)))
struct ContextFamilyTests {
    private let coordinator: RecordingCoordinator
    private let parent: BackgroundContext
    private let child: BackgroundContext

    init() throws {
        coordinator = try Zoo.coordinator()
        parent = BackgroundContext(coordinator, name: "parent")
        child = BackgroundContext(parent: parent, name: "child")
    }

    private static func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending])).compactMap { $0[Person.name] }
    }

    @Test("A child on a queue saves to its parent on another one")
    func twoQueues() async throws {
        try await parent.perform { context in _ = context.person("parent's") }
        let id = try await child.perform { context in
            #expect(try Self.names(context) == ["parent's"])
            let person = context.person("child's")
            try context.save()
            return person.objectID
        }
        #expect(id.isTemporary)
        try await parent.perform { context in
            #expect(try Self.names(context) == ["child's", "parent's"])
            try context.save()
        }
        #expect(try Self.names(ManagedObjectContext(coordinator)) == ["child's", "parent's"])
    }

    @Test("Within a block of the parent a child's block asks the parent, at any depth, and no one waits for himself")
    func reentrancy() async throws {
        let grandchild = BackgroundContext(parent: child, name: "grandchild")
        try await parent.perform { [child, parent] context in
            _ = context.person("one")
            try child.performAndWait { inner in
                _ = inner.person("two")
                try inner.save()
                try grandchild.performAndWait { innermost in
                    _ = innermost.person("three")
                    try innermost.save()
                    try inner.save()
                    #expect(try parent.performAndWait { try Self.names($0) } == ["one", "three", "two"])
                }
            }
            #expect(try Self.names(context) == ["one", "three", "two"])
            try context.save()
        }
        #expect(try child.performAndWait { try Self.names($0) } == ["one", "three", "two"])
    }

    /// A child that was asked for the object of an ID that its own insertion had got by a save of the parent made a second one: what was changed
    /// in the first was lost.
    @Test("A child finds what it inserted itself by the ID that a save of its parent, or of that one's parent, gave it")
    func ownInsertion() throws {
        let grandchild = BackgroundContext(parent: child, name: "grandchild")
        try grandchild.performAndWait { [parent, child] innermost in
            let person = innermost.person("new")
            try innermost.save()
            try child.performAndWait { try $0.save() }
            let id = try parent.performAndWait { context in
                try context.save()
                return try context.fetch(ObjectFetchRequest<Person>())[0].objectID
            }
            #expect(!id.isTemporary)
            #expect(innermost.registeredObject(for: id) === person)
            #expect(innermost.object(with: id) === person)
            #expect(try innermost.existingObject(with: id) === person)
            person[Person.name] = "changed"
            try innermost.save()
            try child.performAndWait { try $0.save() }
            try parent.performAndWait { try $0.save() }
        }
        #expect(try Self.names(ManagedObjectContext(coordinator)) == ["changed"])
    }

    @Test("Many tasks over several children lose no change")
    func manyTasks() async throws {
        let children = (0..<4).map { BackgroundContext(parent: parent, name: "child \($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<80 {
                group.addTask { [parent] in
                    try await children[number % 4].perform { context in
                        _ = context.person("\(number)")
                        if number % 3 == 0 { _ = try context.count(for: ObjectFetchRequest<Person>()) }
                        try context.save()
                    }
                    if number % 10 == 0 { _ = try await parent.perform { try $0.save() } }
                }
            }
            try await group.waitForAll()
        }
        _ = try await parent.perform { try $0.save() }
        #expect(try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<Person>()) == 80)
        for child in children {
            let names = try await child.perform { try Self.names($0) }
            #expect(names.count == 80)
        }
    }

    @Test("An asynchronous block runs on the queue, before and after it waited, as a part of its task")
    func asynchronousBlocks() async throws {
        enum Local { @TaskLocal static var value = 0 }
        let result = try await Local.$value.withValue(7) { [child] in
            try await child.perform { context in
                let person = context.person("before")
                try await Task.sleep(for: .milliseconds(5))
                person[Person.name] = "after"
                return (Local.value, try Self.names(context))
            }
        }
        #expect(result.0 == 7)
        #expect(result.1 == ["after"])
        let local = try await Local.$value.withValue(8) { [child] in try await child.perform { _ in Local.value } }
        #expect(local == 8)
    }

    @Test("While an asynchronous block waits others run; an immediate one within it runs right away")
    func interleaving() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        async let waiting = child.perform { [child] context in
            for await _ in gate { break }
            let id = ObjectIdentifier(context)
            let nested = try await child.perform(schedule: .immediate) { ObjectIdentifier($0) == id }
            let enqueued = try await child.perform(schedule: .enqueued) { ObjectIdentifier($0) == id }
            return nested && enqueued
        }
        let ran = try await child.perform { _ in true }
        #expect(ran)
        opening.yield()
        let ranThere = try await waiting
        #expect(ranThere)
    }

    @Test("A block sees that its task was cancelled")
    func cancellation() async throws {
        let task = Task { [child] in
            try await child.perform { _ in
                while !Task.isCancelled { await Task.yield() }
                return Task.isCancelled
            }
        }
        task.cancel()
        let wasCancelled = try await task.value
        #expect(wasCancelled)
    }

    @Test("A child of the main actor's context works on its own queue") @MainActor
    func childOfTheMainActor() async throws {
        let view = ManagedObjectContext(coordinator)
        view.name = "view"
        let child = BackgroundContext(parent: view)
        _ = view.person("view's")
        try await child.perform { context in
            #expect(try Self.names(context) == ["view's"])
            _ = context.person("child's")
            try context.save()
        }
        #expect(try Self.names(view) == ["child's", "view's"])
        // Within the main thread's own call it is there already.
        #expect(try child.performAndWait { try Self.names($0) } == ["child's", "view's"])
        try view.save()
    }

    /// An actor with a context of its own.
    private actor Keeper {
        private let context: ManagedObjectContext
        init(_ parent: BackgroundContext) { context = ManagedObjectContext(parent: parent) }
        func add(_ name: String) throws -> Int {
            _ = context.person(name)
            try context.save()
            return try context.count(for: ObjectFetchRequest<Person>())
        }
    }

    @Test("An actor owns a child of a background context")
    func actorOwnedChild() async throws {
        let keeper = Keeper(parent)
        #expect(try await keeper.add("a") == 1)
        #expect(try await keeper.add("b") == 2)
        #expect(try await parent.perform { try Self.names($0) } == ["a", "b"])
    }

    @Test("What others save comes to a context's queue by itself, and to the main actor") @MainActor
    func automaticMerging() async throws {
        let coordinator = coordinator.base
        let view = ManagedObjectContext(coordinator)
        let (background, writer) = (BackgroundContext(coordinator), BackgroundContext(coordinator))
        let id = try await writer.perform { context in
            let person = context.person("0")
            try context.save()
            return person.objectID
        }
        let person = try #require(try view.existingObject(with: id) as? Person)
        view.automaticallyMergesChangesFromParent = true
        let held = try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            return (try context.existingObject(with: id) as? Person)?[Person.name]
        }
        #expect(held == "0")
        #expect(person[Person.name] == "0")
        for round in 1...20 {
            try await writer.perform { context in
                (context.object(with: id) as? Person)?[Person.name] = "\(round)"
                try context.save()
            }
        }
        var names: [String?] = []
        for _ in 0..<1000 {
            names = [person[Person.name], try await background.perform { ($0.registeredObject(for: id) as? Person)?[Person.name] }]
            if names == ["20", "20"] { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(names == ["20", "20"])
    }

    @Test("A family is freed when nothing references it: a child retains its parent, and no parent its child")
    func lifetime() throws {
        weak var weakParent: ManagedObjectContext?
        weak var weakChild: ManagedObjectContext?
        do {
            let child: ManagedObjectContext
            do {
                let parent = ManagedObjectContext(coordinator)
                weakParent = parent
                child = ManagedObjectContext(parent: parent)
                child.automaticallyMergesChangesFromParent = true
                _ = child.person("p")
                try child.save()
            }
            weakChild = child
            #expect(weakParent != nil)
            #expect(try child.count(for: ObjectFetchRequest<Person>()) == 1)
        }
        #expect(weakChild == nil)
        #expect(weakParent == nil)
    }

    @Test("A parent forgets which new IDs its children know")
    func forgottenIDs() throws {
        let parent = ManagedObjectContext(coordinator)
        var child: ManagedObjectContext? = ManagedObjectContext(parent: parent)
        let person = try #require(child).person("p")
        try child?.save()
        try parent.save()
        let old = person.objectID
        #expect(old.isTemporary)
        _ = try child?.count(for: ObjectFetchRequest<Person>())
        #expect(!person.objectID.isTemporary)
        #expect(child?.object(with: old) === person)
        child = nil
        #expect(person.managedObjectContext == nil)
        _ = parent.person("later")
        try parent.save()
    }
}
