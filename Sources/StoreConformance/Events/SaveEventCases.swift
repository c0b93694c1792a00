import Strata
import Synchronization

/// Notifications of saves and batch requests.
enum SaveEventCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save tells what was inserted, which properties changed, and what is gone", in: .events) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (anna, ben) = (Person("Anna", context), Person("Ben", context))
            let heard = Heard(stack.coordinator)
            try context.save()
            let first = try heard.only()
            try expectEqual(Set(first.inserted.map(\.id)), [anna.objectID, ben.objectID])
            try expect(first.updated.isEmpty && first.deleted.isEmpty, "something else was told")
            try expectEqual(first.storeID, try stack.store().id)
            anna.age = 40
            anna.salary = 2
            context.delete(ben)
            let gone = ben.objectID
            try context.save()
            let second = try heard.only()
            try expectEqual(second.inserted, [])
            try expectEqual(second.deleted.map(\.id), [gone])
            try expectEqual(second.updated.map(\.id), [anna.objectID])
            try expectEqual(Set(second.updated[0].changedProperties), ["age", "salary"])
        }
        ConformanceCase("Links tell the relationships of both ends", in: .events) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (anna, ben) = (Person("Anna", context), Person("Ben", context))
            let skill = Skill(context: context)
            try context.save()
            let heard = Heard(stack.coordinator)
            anna.friends = [ben]
            anna.skills = [skill]
            try context.save()
            let changes = try heard.only()
            let names = Dictionary(changes.updated.map { ($0.id, Set($0.changedProperties)) }) { first, _ in first }
            try expectEqual(names[anna.objectID], ["friends", "skills"])
            try expectEqual(names[ben.objectID], ["friends"])
            try expectEqual(names.count, 3)
            try expectEqual(changes.inserted.count + changes.deleted.count, 0)
        }
        ConformanceCase("What fails, or changes nothing, is told to nobody", in: .events) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (anna, heard) = try stack.changingNothing(in: context) { Heard(stack.coordinator) }
            try expectEqual(heard.events.count, 0)
            anna.name = "again"
            try context.save()
            try expectEqual(heard.events.map(\.number), [1])
        }
        ConformanceCase("Batch requests tell their objects, asked for IDs or not", in: .events) { environment in
            let stack = try environment.stack(Models.users)
            let heard = Heard(stack.coordinator)
            let context = stack.context()
            let ids = try stack.fiveUsers().objectIDs
            try expectEqual(Set(try heard.only().inserted.map(\.id)), Set(ids))
            let expected = Set(try context.all("User", key("age") < 10).map(\.objectID))
            let result = try context.execute(BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "X"]))
            try expectEqual(result.objectIDs, [])
            let updated = try heard.only()
            try expectEqual(Set(updated.updated.map(\.id)), expected)
            try expectEqual(Set(updated.updated.flatMap(\.changedProperties)), ["name"])
            try context.execute(BatchDeleteRequest(entityName: "User", key("age") < 10))
            try expectEqual(Set(try heard.only().deleted.map(\.id)), expected)
        }
        ConformanceCase("Saves of several threads are told one at a time, in the order of their versions", in: .events) { environment in
            let stack = try environment.stack(Models.company)
            let first = stack.context()
            _ = Person("Anna", first)
            try first.save()
            let heard = Heard(stack.coordinator)
            let coordinator = stack.coordinator
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        let background = BackgroundContext(coordinator)
                        for round in 0..<10 {
                            _ = try? await background.perform { context in
                                _ = Person("\(task) \(round)", context)
                                try context.save()
                            }
                        }
                    }
                }
            }
            try expectEqual(heard.events.map(\.number), Array(1...40))
            let references = heard.events.flatMap { $0.stores.flatMap(\.inserted) }.map(\.id.reference)
            try expectEqual(Set(references).count, 40)
            // A server takes several saves at once: references that were given out first may be committed later.
            if case .server = environment.description().location { return }
            try expectEqual(references, references.sorted())
        }
        ConformanceCase("Events say who saved", in: .events) { environment in
            let stack = try environment.stack(Models.users)
            let context = stack.context()
            (context.name, context.transactionAuthor) = ("import", "robot")
            let heard = Heard(stack.coordinator)
            let user = try context.insert("User")
            for key in ["id", "name"] { try user.setValue("a", forKey: key) }
            try context.save()
            try context.execute(BatchUpdateRequest(entityName: "User", set: ["age": 1]))
            try context.execute(BatchInsertRequest(entityName: "User", objects: [["name": "b", "id": "b"]]))
            try context.execute(BatchDeleteRequest(entityName: "User"))
            try expectEqual(heard.events.map(\.origin.author), Array(repeating: "robot", count: 4))
            try expectEqual(heard.events.map(\.origin.contextName), Array(repeating: "import", count: 4))
        }
        ConformanceCase("A listener that is gone is told nothing more", in: .events) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let count = Mutex(0)
            var subscription: SaveEventSubscription? = stack.coordinator.observeSaves { _ in count.withLock { $0 += 1 } }
            _ = Person("Ben", context)
            try context.save()
            try expectEqual(count.withLock { $0 }, 1)
            withExtendedLifetime(subscription) {}
            subscription = nil
            _ = Person("Ben", context)
            try context.save()
            try expectEqual(count.withLock { $0 }, 1)
        }
        ConformanceCase("Saves over several stores are one event", in: .federation) { environment in
            let stack = try environment.notes()
            let heard = Heard(stack.coordinator)
            let saved = try stack.deal(9).all("Note").map(\.objectID)
            let event = try heard.onlyEvent()
            try expectEqual(event.stores.count, stack.coordinator.stores.count)
            try expectEqual(Set(event.stores.flatMap(\.inserted).map(\.id)), Set(saved))
            try expectEqual(Set(event.stores.map(\.storeID)), Set(stack.coordinator.stores.map(\.id)))
        }
    }
}

extension ConformanceStack {
    /// Fails to save over a newer version, and saves and executes requests that change nothing.
    ///
    /// - Parameters:
    ///   - context: The context of the newer version.
    ///   - begin: Runs before the failure, after the objects were saved.
    /// - Returns: The object, and what `begin` returns.
    func changingNothing<Observer>(in context: ManagedObjectContext, _ begin: () throws -> Observer) throws -> (Person, Observer) {
        let other = self.context()
        let anna = Person("Anna", context)
        try context.save()
        let same = try other.one("Person", "Anna")
        try same.setValue("other", forKey: "name")
        anna.name = "mine"
        try context.save()
        let observer = try begin()
        try expectThrows(SaveConflictError.self) { try other.save() }
        try context.save()
        try context.execute(BatchUpdateRequest(entityName: "Person", key("name") == "nobody", set: ["age": 1]))
        try coordinator.setUserInfo(["a": .int(1)], of: store())
        return (anna, observer)
    }
}
