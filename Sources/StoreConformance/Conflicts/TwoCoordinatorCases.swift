import Strata

/// Two coordinators on one file, as two programs are: neither loses what the other saves, and both can go on.
enum TwoCoordinatorCases {
    /// Two stacks over one store, in which are the people `p` and `q`, 1 year old.
    private static func two(_ environment: ConformanceEnvironment) throws -> (here: ConformanceStack, there: ConformanceStack) {
        let here = try environment.stack(Models.company)
        let context = here.context()
        for name in ["p", "q"] { _ = Person(name, context, age: 1) }
        try context.save()
        return (here, try environment.stack(Models.company))
    }

    /// What is stored of the people: `p 1, q 1`.
    private static func people(_ context: ManagedObjectContext) throws -> String {
        try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending])).map { "\($0.name ?? "-") \($0.age ?? -1)" }
            .joined(separator: ", ")
    }

    /// What a person `p`, which is 1 year old and earns 1, becomes where others made it 2 years old, and this context 3
    /// years with 3.
    private static let policies: [(policy: MergePolicy, age: Int16, salary: Double, name: String)] = [
        (.mergeByPropertyStoreTrump, 2, 3, "theirs"), (.mergeByPropertyObjectTrump, 3, 3, "mine"), (.overwrite, 3, 3, "mine"),
        (.rollback, 2, 1, "theirs"),
    ]

    @ConformanceCaseList static var all: [ConformanceCase] {
        // The second coordinator of an XML or binary store could never save again: nothing that its error named was
        // registered with it, so that refreshing changed nothing, and fetches never found what the first had saved.
        ConformanceCase("Two coordinators on one file both insert objects, in turns, and none is lost", in: .conflicts, requires: .file) {
            environment in
            let here = try environment.stack(Models.company)
            let there = try environment.stack(Models.company)
            let (own, other) = (here.context(), there.context())
            var ids: Set<String> = []
            for round in 0..<3 {
                for (context, name) in [(own, "own"), (other, "other")] {
                    let person = Person("\(name) \(round)", context)
                    try context.save()
                    try expect(ids.insert(person.objectID.uriRepresentation).inserted, "\(person.objectID) is given twice")
                }
            }
            let names = (0..<3).flatMap { ["other \($0)", "own \($0)"] }.sorted()
            own.refreshAllObjects()
            for context in [own, other] { try expectEqual(try context.names(of: Person.self), names) }
            try there.close()
            try expectEqual(try here.reopened().context().names(of: Person.self), names)
        }
        ConformanceCase("A context without objects finds what another coordinator saved", in: .conflicts, requires: .file) { environment in
            let (here, there) = try two(environment)
            let other = there.context()
            let ways: [(name: String, look: (ManagedObjectContext, RemoteChanges) -> Void)] = [
                ("refreshed", { context, _ in context.refreshAllObjects() }), ("reset", { context, _ in context.reset() }),
                ("rolled back", { context, _ in context.rollback() }),
                ("merged", { $0.mergeChanges(fromRemoteContextSave: $1) }),
            ]
            var names = ["p", "q"]
            for (name, look) in ways {
                let context = here.context()
                try expectEqual(try context.names(of: Person.self), names.sorted())
                let person = Person(name, other)
                try other.save()
                names.append(name)
                context.reset()
                look(context, RemoteChanges(uris: [.inserted: [person.objectID.uriRepresentation]], in: here.coordinator))
                try expect(context.lastFaultError == nil, "\(name): \(String(describing: context.lastFaultError))")
                try expectEqual(try context.names(of: Person.self), names.sorted(), name)
            }
        }
        ConformanceCase("What two coordinators change conflicts object by object", in: .conflicts, requires: .file) { environment in
            let (here, there) = try two(environment)
            let (own, other) = (here.context(), there.context())
            let (p, q) = (try own.named("p", Person.self), try own.named("q", Person.self))
            let theirs = try other.named("p", Person.self)
            _ = (p.age, q.age, theirs.age)
            theirs.age = 2
            try other.save()
            // Another object than the one that they changed.
            q.age = 5
            try own.save()
            p.age = 3
            q.age = 6
            let conflicts = try expectConflict(own)
            try expectEqual(conflicts.map(\.objectID), [p.objectID])
            try expectEqual(conflicts[0].persistedSnapshot?["age"], .int(2))
            own.refresh(p, mergeChanges: true)
            try own.save()
            other.refresh(theirs, mergeChanges: false)
            other.delete(theirs)
            try other.save()
            p.age = 9
            guard case .deleted = try unwrap(try expectConflict(own).first).reason else { throw ConformanceFailure("it is not deleted") }
            own.rollback()
            try expectEqual(try people(own), "q 6")
            try there.close()
            try expectEqual(try people(here.reopened().context()), "q 6")
        }
        ConformanceCase("Merge policies settle what two coordinators changed", in: .conflicts, requires: .file) { environment in
            for (policy, age, salary, name) in policies {
                let inner = try ConformanceEnvironment(
                    harness: environment.harness, partners: [], directory: "\(environment.directory)/\(policy)")
                let (here, there) = try two(inner)
                let (own, other) = (here.context(), there.context())
                own.mergePolicy = policy
                let (mine, theirs) = (try own.named("p", Person.self), try other.named("p", Person.self))
                mine.salary = 1
                try own.save()
                other.refresh(theirs, mergeChanges: false)
                (theirs.age, theirs.name) = (2, "theirs")
                try other.save()
                (mine.age, mine.salary, mine.name) = (3, 3, "mine")
                _ = Person("new", own, age: 7)
                try own.save()
                try there.close()
                let context = try here.reopened().context()
                let stored = try context.named(name, Person.self)
                try expectEqual(stored.age, age, "\(policy)")
                try expectEqual(stored.salary, salary, "\(policy)")
                try expectEqual(try context.names(of: Person.self), [name, "new", "q"].sorted(), "\(policy)")
            }
        }
        ConformanceCase("References, links and constraints hold between two coordinators", in: .conflicts, requires: .file) { environment in
            let (here, there) = try two(environment)
            let (own, other) = (here.context(), there.context())
            let early = Person("early", own)
            try own.obtainPermanentIDs(for: [early])
            let late = Person("late", other)
            late.friends = [try other.named("p", Person.self)]
            try other.save()
            try expect(early.objectID.uriRepresentation != late.objectID.uriRepresentation, "\(early.objectID) is given twice")
            early.friends = [try own.named("q", Person.self)]
            try own.save()
            own.reset()
            try expectEqual(try own.names(of: Person.self), ["early", "late", "p", "q"])
            for (name, friend) in [("early", "q"), ("late", "p")] {
                try expectEqual(try own.named(name, Person.self).friends.map(\.name), [friend])
            }
            // The other one cannot reference what one has deleted.
            let gone = try own.named("q", Person.self)
            other.refreshAllObjects()
            other.delete(try other.named("q", Person.self))
            try other.save()
            let fan = Person("fan", own)
            fan.boss = gone
            try expectConflict(own)
        }
        ConformanceCase("What is unique is unique between two coordinators", in: .conflicts, requires: .file) { environment in
            let (here, there) = (try environment.stack(Models.users), try environment.stack(Models.users))
            let (own, other) = (here.context(), there.context())
            for (context, name) in [(other, "theirs"), (own, "mine")] { try context.add("User", name).setValue("1", forKey: "id") }
            try other.save()
            try expectConflict(own, code: 133021)
            own.mergePolicy = .mergeByPropertyObjectTrump
            try own.save()
            try there.close()
            try expectEqual(try here.reopened().context().all("User").map { try $0.text("name") }, ["mine"])
        }
    }
}
