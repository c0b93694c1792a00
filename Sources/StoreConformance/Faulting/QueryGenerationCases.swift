import FoundationEssentials
import Strata

/// Contexts that are pinned to a state of their stores.
enum QueryGenerationCases {
    /// A company `A` with the people `p`, 1 year old and a friend of `q`, and `q`; and a context that is not pinned.
    private static func start(_ environment: ConformanceEnvironment) throws -> (ConformanceStack, writer: ManagedObjectContext)? {
        let stack = try environment.stack(Models.company)
        // A store from outside may have no snapshots, and is read in its current state.
        if try stack.store().holdSnapshot() == nil { return nil }
        let writer = stack.context()
        let company = Company(context: writer)
        company.name = "A"
        for name in ["p", "q"] {
            let person = Person(name, writer, age: 1)
            person.company = company
        }
        try writer.named("p", Person.self).friends = [writer.named("q", Person.self)]
        try writer.save()
        return (stack, writer)
    }

    /// Changes everything: `p` is 2 years old, `q` is deleted, and `r` is inserted, in a company of the name `B`, and a
    /// friend of `p`'s.
    private static func change(_ writer: ManagedObjectContext) throws {
        let (p, company) = (try writer.named("p", Person.self), try writer.named("A", Company.self))
        p.age = 2
        company.name = "B"
        writer.delete(try writer.named("q", Person.self))
        let new = Person("r", writer, age: 3)
        new.company = company
        p.friends = [new]
        try writer.save()
    }

    /// What a context sees, read in many ways, without the objects that are here: `p 1, q 1 | p q | q | 2 | 2 | A`.
    private static func seen(_ context: ManagedObjectContext) throws -> String {
        let request = ObjectFetchRequest<Person>(sort: [Person.name.ascending])
        let people = try context.fetch(request)
        let company = try unwrap(context.fetch(ObjectFetchRequest<Company>()).first)
        let p = try unwrap(people.first)
        let dictionaries = try context.fetchDictionaries(request.fetching("name"))
        return [
            people.map { "\($0.name ?? "-") \($0.age ?? -1)" }.joined(separator: ", "),
            company.people.compactMap(\.name).sorted().joined(separator: " "),
            p.friends.compactMap(\.name).sorted().joined(separator: " "),
            "\(try context.count(for: request))", "\(dictionaries.count)", company.name ?? "-",
        ].joined(separator: " | ")
    }

    private static let before = "p 1, q 1 | p q | q | 2 | 2 | A"
    private static let after = "p 2, r 3 | p r | r | 2 | 2 | B"

    /// What brings a pinned context to what its stores hold.
    private static let ways: [(name: String, advance: @Sendable (ManagedObjectContext) throws -> Void)] = [
        ("save", { _ = try $0.save() }), ("reset", { $0.reset() }), ("refreshAllObjects", { $0.refreshAllObjects() }),
        (
            "mergeChanges",
            { context in
                let ids = context.registeredObjects.map(\.objectID)
                context.mergeChanges(fromRemoteContextSave: RemoteChanges(updated: ids))
            }
        ),
    ]

    static var all: [ConformanceCase] { single + several }

    @ConformanceCaseList private static var single: [ConformanceCase] {
        ConformanceCase("A pinned context reads one state, whatever is saved meanwhile", in: .faulting) { environment in
            guard let (stack, writer) = try start(environment) else { return }
            let context = stack.context()
            try expectEqual(context.queryGenerationToken, nil)
            try context.setQueryGenerationFrom(.current)
            try expectEqual(context.queryGenerationToken, .current)
            // Pins it, and leaves the destinations of the objects unread.
            let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            try expect(context.queryGenerationToken != .current, "nothing is held")
            let gone = people[1].objectID
            try change(writer)
            try expectEqual(try seen(context), before)
            // Faults fire with the snapshot, those of deleted objects, too.
            let fresh = stack.context()
            try fresh.setQueryGenerationFrom(context.queryGenerationToken)
            let fault = try unwrap(fresh.object(with: gone) as? Person)
            try expectEqual(fault.name, "q")
            try expectEqual(fault.company?.name, "A")
            try expectEqual(try fresh.withSnapshot { try seen(fresh) }, before)
            try expectEqual(try seen(stack.context()), after)
            // Objects that are here stay as they are.
            try context.setQueryGenerationFrom(nil)
            try expectEqual(context.queryGenerationToken, nil)
            try expectEqual(people[0].age, 1)
            context.refreshAllObjects()
            try expectEqual(try seen(context), after)
        }
        ConformanceCase("Saving, resetting, refreshing and merging bring a pinned context to what its stores hold", in: .faulting) {
            environment in
            for (name, advance) in ways {
                let inner = try ConformanceEnvironment(
                    harness: environment.harness, partners: [], directory: "\(environment.directory)/\(name)")
                guard let (stack, writer) = try start(inner) else { return }
                let context = stack.context()
                try context.setQueryGenerationFrom(.current)
                try expectEqual(try seen(context), before, name)
                let token = context.queryGenerationToken
                try change(writer)
                try expectEqual(try seen(context), before, name)
                if name == "save" {
                    Company(context: context).name = "C"
                    try advance(context)
                    context.delete(try context.named("C", Company.self))
                }
                try advance(context)
                if name == "save" { context.refreshAllObjects() }
                try expectEqual(try seen(context), after, name)
                try expect(context.queryGenerationToken != token && context.queryGenerationToken != nil, "\(name): the pin is the old one")
                // And is pinned again.
                try writer.named("p", Person.self).age = 9
                try writer.save()
                try expectEqual(try seen(context), after, name)
            }
        }
        ConformanceCase("What a pinned context changes conflicts with what was saved since", in: .faulting) { environment in
            guard let (stack, writer) = try start(environment) else { return }
            let context = stack.context()
            try context.setQueryGenerationFrom(.current)
            let p = try context.named("p", Person.self)
            try change(writer)
            p.name = "mine"
            let conflicts = try expectConflict(context)
            try expectEqual(conflicts.map(\.objectID), [p.objectID])
            context.refresh(p, mergeChanges: true)
            try context.save()
            try expectEqual(try stack.context().named("mine", Person.self).age, 2)
            // A policy solves it upon what the store holds.
            let other = stack.context()
            try other.setQueryGenerationFrom(.current)
            other.mergePolicy = .mergeByPropertyObjectTrump
            let same = try other.named("mine", Person.self)
            p.age = 7
            try context.save()
            same.name = "theirs"
            try other.save()
            try expectEqual(try stack.context().named("theirs", Person.self).age, 7)
        }
        ConformanceCase("A state is seen by all that have its token, and by children", in: .faulting) { environment in
            guard let (stack, writer) = try start(environment) else { return }
            let (first, second) = (stack.context(), stack.context())
            try first.setQueryGenerationFrom(.current)
            try expectEqual(try seen(first), before)
            try second.setQueryGenerationFrom(first.queryGenerationToken)
            try expectEqual(second.queryGenerationToken, first.queryGenerationToken)
            try change(writer)
            first.reset()
            try expectEqual(try seen(first), after)
            try expectEqual(try seen(second), before)
            let child = stack.child(of: second)
            try expectEqual(child.queryGenerationToken, second.queryGenerationToken)
            try expectEqual(try seen(child), before)
            try expectEqual(try child.withSnapshot { try seen(child) }, before)
            try expectStoreError(.unsupported) { try child.setQueryGenerationFrom(.current) }
            let stranger = try environment.stack(Models.company, "other").context()
            try expectStoreError(.unsupported) { try stranger.setQueryGenerationFrom(second.queryGenerationToken) }
            try expectEqual(stranger.queryGenerationToken, nil)
        }
        ConformanceCase("What comes by itself waits until a context is not pinned any more", in: .faulting) { environment in
            guard let (stack, writer) = try start(environment) else { return }
            let context = stack.context()
            context.automaticallyMergesChangesFromParent = true
            try context.setQueryGenerationFrom(.current)
            let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            _ = people.map(\.age)
            try writer.named("p", Person.self).age = 5
            try writer.save()
            try writer.execute(BatchUpdateRequest(entityName: "Person", set: ["name": .constant(.string("x"))]))
            try expectEqual(try seen(context), before)
            try context.setQueryGenerationFrom(nil)
            try expectEqual(try context.names(of: Person.self), ["x", "x"])
            try expectEqual(people[0].age, 5)
        }
        ConformanceCase("A state that is held keeps its large values, and ends with its store", in: .faulting) { environment in
            let stack = try ExternalValueCases.stack(environment)
            guard try stack.store().holdSnapshot() != nil else { return }
            let (writer, context) = (stack.context(), stack.context())
            Item.insert([0, 1].map { ExternalValueCases.bytes(5000, $0) }, of: Item.blob, into: writer)
            try writer.save()
            try context.setQueryGenerationFrom(.current)
            try expectEqual(try context.count(for: ObjectFetchRequest<Item>()), 2)
            let items = try ExternalValueCases.items(writer)
            for round in 2..<5 {
                for item in items { item[Item.blob] = ExternalValueCases.bytes(6000, UInt8(round)) }
                try writer.save()
            }
            try expectEqual(try ExternalValueCases.items(context).map { $0[Item.blob] }, [0, 1].map { ExternalValueCases.bytes(5000, $0) })
            guard try stack.store().capabilities.isPersistent else { return }
            // Its file is free then.
            let path = try stack.store().path
            try stack.close()
            try expectStoreError(.noStore) { _ = try context.count(for: ObjectFetchRequest<Item>()) }
            if let path { try environment.description().driver.destroy(at: path) }
        }
        ConformanceCase("Several threads read one state while others save", in: .faulting) { environment in
            guard let (stack, writer) = try start(environment) else { return }
            let first = BackgroundContext(stack.coordinator)
            let token = try await first.perform { context in
                try context.setQueryGenerationFrom(.current)
                _ = try seen(context)
                return context.queryGenerationToken
            }
            try change(writer)
            try await withThrowingTaskGroup(of: Set<String>.self) { group in
                for _ in 0..<4 {
                    let context = BackgroundContext(stack.coordinator)
                    group.addTask {
                        try await context.perform { context in
                            var all: Set<String> = []
                            for _ in 0..<10 {
                                try context.setQueryGenerationFrom(token)
                                all.insert(try seen(context))
                                try context.setQueryGenerationFrom(nil)
                                context.reset()
                            }
                            return all
                        }
                    }
                }
                for age in 0..<20 {
                    try writer.named("p", Person.self).age = Int16(age)
                    try writer.save()
                }
                for try await all in group { try expectEqual(all, [before]) }
            }
        }
    }

    @ConformanceCaseList private static var several: [ConformanceCase] {
        ConformanceCase("A state of several stores has a save over them whole, and none of a store that came later", in: .federation) {
            environment in
            let stack = try environment.notes()
            guard try stack.coordinator.stores.indices.allSatisfy({ try stack.store($0).holdSnapshot() != nil }) else { return }
            let writer = try stack.deal(6)
            let context = stack.context()
            func sum() throws -> Int {
                try context.all("Note").reduce(0) { $0 + (try $1.value(forKey: "n") as? Int ?? 0) }
            }
            try context.setQueryGenerationFrom(.current)
            try expectEqual(try sum(), 15)
            for note in try writer.all("Note") { try note.setValue(100, forKey: "n") }
            try writer.save()
            context.refreshAllObjects()
            try expectEqual(try sum(), 600)
            for note in try writer.all("Note") { try note.setValue(1, forKey: "n") }
            try writer.save()
            try stack.coordinator.addStore(environment.description("late", configuration: "notes"))
            let late = try writer.add("Note", "late")
            try late.setValue(50, forKey: "n")
            try writer.assign(late, to: unwrap(stack.coordinator.stores.last))
            try writer.save()
            try expectEqual(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Note")), 6)
            try expectEqual(
                try context.fetchDictionaries(
                    ObjectFetchRequest<ManagedObject>(entityName: "Note").grouped(computing: [.sum("n")])
                ).first?["sum_n"].flatMap { Int(value: $0) }, 600)
            context.reset()
            try expectEqual(try sum(), 56)
        }
    }
}
