import Strata

/// Notifications where two coordinators save to one store alternately, faster than a listener reads.
enum InterleavedEventCases {
    /// Two coordinators with one store; both tell what the other saves.
    private struct Pair {
        let stacks: [ConformanceStack]
        let heard: [Heard]

        init(_ environment: ConformanceEnvironment) throws {
            stacks = try (0..<2).map { _ in
                try environment.stack(Models.company.get()) { $0.options.postsRemoteChanges = true }
            }
            heard = stacks.map { Heard($0.coordinator) }
        }

        /// Changes something in one of the stacks, and saves; once more where the other was faster.
        func save(_ side: Int, _ change: (ManagedObjectContext) throws -> Void) throws {
            for attempt in 0..<100 {
                let context = stacks[side].context()
                do {
                    try stacks[side].store().refresh()
                    try change(context)
                    try context.save()
                    return
                } catch is SaveConflictError where attempt < 99 {}
            }
        }

        /// The notifications of a side, object by object.
        func check(_ side: Int) async throws {
            // What the other side saved last may not be loaded yet where a store is one file.
            try stacks[1 - side].store().refresh()
            let expected = try stacks[1 - side].context().ids()
            try await eventually("all objects", { "\(heard[side].events.count) events" }) { Told(heard[side].events).present == expected }
            // The last ones may still come, between one look and the next.
            let events = heard[side].events
            let told = Told(events)
            try expect(told.mistakes.isEmpty, "\(told.mistakes.prefix(3))")
            try expectEqual(events.map(\.number), Array(1...events.count))
        }
    }

    /// What a listener knows that applies each event to what it knew before.
    private struct Told {
        var present: Set<ObjectID> = []
        var gone: Set<ObjectID> = []
        var mistakes: [String] = []

        init(_ events: [SaveEvent]) {
            for event in events {
                for store in event.stores {
                    for id in store.inserted.map(\.id) where !present.insert(id).inserted || gone.contains(id) {
                        mistakes.append("\(event.number) inserts \(id) again")
                    }
                    for update in store.updated where !present.contains(update.id) {
                        mistakes.append(
                            "\(event.number) updates \(update.changedProperties) of \(update.id), which "
                                + (gone.contains(update.id) ? "is gone" : "was never inserted"))
                    }
                    for id in store.deleted.map(\.id) {
                        if present.remove(id) == nil {
                            mistakes.append("\(event.number) deletes \(id), which was never inserted or is gone")
                        }
                        gone.insert(id)
                    }
                }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "What happens to an object is told in its order, whoever does it", in: .events, requires: .persistence
        ) { environment in
            // A coordinator that saves an object that another has just inserted reports the insertion first.
            let pair = try Pair(environment)
            for round in 0..<25 {
                try pair.save(1) { _ = Person("\(round)", $0, age: 0) }
                try pair.save(0) { try $0.named("\(round)", Person.self).age = 1 }
                try pair.save(1) { try $0.named("\(round)", Person.self).salary = 2 }
                // A listener is notified of an owner's insertion before it is notified of its other members.
                try pair.save(1) { Company(context: $0).name = "\(round)" }
                try pair.save(0) { try $0.named("\(round)", Person.self).company = try $0.named("\(round)", Company.self) }
                if round % 3 == 0 { try pair.save(0) { $0.delete(try $0.named("\(round)", Person.self)) } }
            }
            try pair.save(1) { try $0.execute(BatchDeleteRequest(entityName: "Person", key("name") == "1")) }
            for side in 0..<2 { try await pair.check(side) }
            let changed = pair.heard[0].events.filter(\.isRemote).flatMap(\.stores).flatMap(\.updated).filter {
                $0.changedProperties.contains("salary")
            }
            // Deleted objects may be gone before it is seen.
            try expect(Set(changed.map(\.id)).count >= 14, "only \(changed.count) salaries of 25 were told")
        }
        ConformanceCase(
            "What others linked to an object is not told once it was deleted here", in: .events, requires: .persistence
        ) { environment in
            // A read of the store that began before the deletion reported the link after it.
            let pair = try Pair(environment)
            try pair.save(0) { context in
                _ = Person("a", context)
                for number in 0..<300 { _ = Person("\(number)", context) }
            }
            for number in 0..<Effort.count(20, soak: 60) {
                try pair.save(1) { try $0.named("a", Person.self).friends.insert(try $0.named("\(number)", Person.self)) }
                try await Task.sleep(for: .microseconds(300 * (number % 20)))
                try pair.save(0) { $0.delete(try $0.named("\(number)", Person.self)) }
            }
            for side in 0..<2 { try await pair.check(side) }
        }
        ConformanceCase(
            "What two coordinators change at random adds up, on both sides", in: .events, requires: .persistence
        ) { environment in
            let pair = try Pair(environment)
            var generator = SeededGenerator(seed: 41)
            for step in 0..<Effort.count(80, soak: 150) {
                let dice = (generator.below(100), generator.below(1000), generator.below(1000))
                try pair.save(generator.below(2)) { context in
                    let people = try context.all("Person", sort: [QuerySort("name")]).compactMap { $0 as? Person }
                    switch dice.0 {
                    case ..<40: _ = Person("\(step)", context)
                    case _ where people.isEmpty: break
                    case ..<60: people[dice.1 % people.count].age = Int16(dice.2)
                    case ..<75: people[dice.1 % people.count].friends = [people[dice.2 % people.count]]
                    case ..<80: try context.execute(BatchUpdateRequest(entityName: "Person", key("age") == nil, set: ["salary": 1.0]))
                    case ..<85: try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "\(step)"]]))
                    default: context.delete(people[dice.1 % people.count])
                    }
                }
            }
            for side in 0..<2 { try await pair.check(side) }
        }
    }
}

extension ManagedObjectContext {
    fileprivate func ids() throws -> Set<ObjectID> { Set(try (all("Person") + all("Company")).map(\.objectID)) }
}
