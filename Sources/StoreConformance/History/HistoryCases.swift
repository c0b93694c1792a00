import Strata
import StrataStore

/// What the history of a store has of saves and batch requests.
enum HistoryCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save is a transaction of the history, with its objects and origin", in: .history, requires: .history) {
            environment in
            let stack = try environment.historyStack(Models.company)
            let context = stack.context()
            (context.name, context.transactionAuthor) = ("import", "robot")
            let (anna, ben) = (Person("Anna", context), Person("Ben", context))
            let begin = Date()
            let heard = Heard(stack.coordinator)
            try context.save()
            let first = try stack.onlyTransaction(after: nil)
            try first.expectSame(as: try heard.only())
            try expectEqual(first.changes.map(\.kind), [.insert, .insert])
            try expectEqual(first.author, "robot")
            try expectEqual(first.contextName, "import")
            try expectEqual(first.origin.kind, .save)
            try expect(first.origin.processName?.isEmpty == false, "the process has no name")
            try expect(first.date >= begin && first.date <= Date(), "\(first.date)")
            try expectEqual(first.storeID, try stack.store().id)
            anna.age = 40
            anna.salary = 2
            context.delete(ben)
            let deleted = ben.objectID
            try context.save()
            let second = try stack.onlyTransaction(after: first.token)
            try second.expectSame(as: try heard.only())
            try expectEqual(second.changes.map(\.objectID), [anna.objectID, deleted])
            try expectEqual(Set(second.changes[0].changedProperties), ["age", "salary"])
            try expect(second.number > first.number, "\(second.number) after \(first.number)")
            try expectEqual(try stack.coordinator.history.currentToken(), second.token)
        }
        ConformanceCase("Links and members change both ends in the history", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company)
            let context = stack.context()
            let (anna, ben) = (Person("Anna", context), Person("Ben", context))
            let (skill, company) = (Skill(context: context), Company(context: context))
            try context.save()
            let (heard, token) = (Heard(stack.coordinator), try stack.coordinator.history.currentToken())
            anna.friends = [ben]
            anna.skills = [skill]
            anna.age = 3
            company.people = [anna, ben]
            // A new object with links is inserted, and nothing else.
            let carl = Person("Carl", context)
            carl.friends = [anna]
            try context.save()
            let transaction = try stack.onlyTransaction(after: token)
            try transaction.expectSame(as: try heard.only())
            try expectEqual(transaction.changes.count { $0.objectID == carl.objectID }, 1)
            try expectEqual(transaction.changes.count { $0.objectID == anna.objectID }, 1)
        }
        // The history had an update of an object after its deletion.
        ConformanceCase(
            "A stale save that takes a member from a deleted object does not change that object in the history", in: .history,
            requires: .history
        ) { environment in
            let stack = try environment.historyStack(Models.company)
            let (context, other) = (stack.context(), stack.context())
            let (anna, deleted, company) = (Person("Anna", context), Company(context: context), Company(context: context))
            deleted.people = [anna]
            try context.save()
            other.delete(try other.existingObject(with: deleted.objectID))
            try other.save()
            let token = try stack.coordinator.history.currentToken()
            context.mergePolicy = .mergeByPropertyObjectTrump
            company.people = [anna]
            try context.save()
            let changed = try stack.onlyTransaction(after: token).changes.map(\.objectID)
            try expect(!changed.contains(deleted.objectID), "\(changed)")
            try expect(changed.contains(company.objectID), "\(changed)")
        }
        // The process ended: the own relationship was looked up in the ancestor's entity, which the inherited link names.
        ConformanceCase("An inherited link and a member of its own change an object once", in: .history, requires: .history) {
            environment in
            let stack = try environment.historyStack(
                try ManagedObjectModel {
                    Entity("Animal") { Relationship("friends", to: "Animal", inverse: "friends", .toMany) }
                    Entity("Dog", parent: "Animal") {
                        Relationship("pups", to: "Dog", inverse: "parent", .toMany)
                        Relationship("parent", to: "Dog", inverse: "pups")
                    }
                })
            let context = stack.context()
            let (animal, dog, pup) = (try context.insert("Animal"), try context.insert("Dog"), try context.insert("Dog"))
            try context.save()
            let token = try stack.coordinator.history.currentToken()
            try dog.setValue(Set([animal]), forKey: "friends")
            try pup.setValue(dog, forKey: "parent")
            try context.save()
            let changes = try stack.onlyTransaction(after: token).changes
            try expectEqual(changes.filter { $0.objectID == dog.objectID }.map { Set($0.changedProperties) }, [["friends", "pups"]])
            try expectEqual(Set(changes.map(\.objectID)), [animal.objectID, dog.objectID, pup.objectID])
        }
        ConformanceCase("A save that fails, or changes nothing, is no transaction", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company)
            let (_, token) = try stack.changingNothing(in: stack.context()) { try stack.coordinator.history.currentToken() }
            try expectEqual(try stack.coordinator.history.transactions(after: token).count, 0)
            try expectEqual(try stack.coordinator.history.currentToken(), token)
        }
        ConformanceCase("Batch requests are transactions, whether IDs are requested or not", in: .history, requires: .history) {
            environment in
            let stack = try environment.historyStack(Models.users)
            let context = stack.context()
            context.transactionAuthor = "robot"
            var token: HistoryToken?
            func check(_ body: () throws -> Void) throws {
                // Listeners change how a request is carried out: without them first.
                try body()
                let transaction = try stack.onlyTransaction(after: token)
                try expectEqual(transaction.origin.kind, .batch)
                token = transaction.token
            }
            try check { _ = try stack.fiveUsers() }
            let young = Set(try context.all("User", key("age") < 10).map(\.objectID))
            try check { try context.execute(BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "X"])) }
            let updated = try unwrap(stack.coordinator.history.transactions(after: nil).last)
            try expectEqual(Set(updated.changes.map(\.objectID)), young)
            try expectEqual(Set(updated.changes.flatMap(\.changedProperties)), ["name"])
            try expectEqual(updated.author, "robot")
            try check { try context.execute(BatchDeleteRequest(entityName: "User", key("age") < 10)) }
            let deleted = try unwrap(stack.coordinator.history.transactions(after: nil).last)
            try expectEqual(Set(deleted.changes.map(\.objectID)), young)
            try expectEqual(Set(deleted.changes.map(\.kind)), [.delete])
            try check {
                try context.execute(
                    BatchInsertRequest(entityName: "User", objects: [["name": "b", "id": "b"], ["name": "c", "id": "c"]]))
            }
            let inserted = try unwrap(stack.coordinator.history.transactions(after: nil).last)
            try expectEqual(inserted.changes.map(\.kind), [.insert, .insert])
        }
        ConformanceCase("A deleted object leaves its preserved values in the history", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.devices)
            let context = stack.context()
            let phone = try context.device("Phone", "p1")
            try phone.setValue("12", forKey: "number")
            try phone.setValue(Data(repeating: 7, count: 3_000), forKey: "picture")
            let others = try (0..<3).map { try context.device("Device", "s\($0)") }
            _ = try context.add("Site", "home")
            try context.save()
            let (heard, token) = (Heard(stack.coordinator), try stack.coordinator.history.currentToken())
            for object in try context.all("Site") + [phone, others[1]] { context.delete(object) }
            try context.save()
            let transaction = try stack.onlyTransaction(after: token)
            try transaction.expectSame(as: try heard.only())
            try context.execute(BatchDeleteRequest(entityName: "Device"))
            let batch = try stack.onlyTransaction(after: transaction.token)
            try batch.expectSame(as: try heard.only())
            try expectEqual(batch.changes.count { !$0.tombstone.isEmpty }, 2)
        }
        ConformanceCase("Random saves of several contexts are in the history as listeners heard of them", in: .history, requires: .history)
        {
            environment in
            let stack = try environment.historyStack(Models.shapes)
            var generator = SeededGenerator(seed: 58)
            let heard = Heard(stack.coordinator)
            try stack.saveAtRandom(rounds: Effort.count(40, soak: 400), &generator)
            let events = heard.events.flatMap(\.stores)
            let transactions = try stack.coordinator.history.transactions(HistoryRequest())
            try expectEqual(transactions.count, events.count)
            for (transaction, event) in zip(transactions, events) { try transaction.expectSame(as: event) }
            // Replayed from nothing, the history gives the objects of the store.
            var objects: Set<ObjectID> = []
            for change in transactions.flatMap(\.changes) {
                switch change.kind {
                case .insert: try expect(objects.insert(change.objectID).inserted, "inserted twice")
                case .update: try expect(objects.contains(change.objectID), "an object that is not there was updated")
                case .delete: try expect(objects.remove(change.objectID) != nil, "an object that is not there was deleted")
                }
            }
            let context = stack.context()
            let stored = try (context.all("Node") + context.all("Leaf")).map(\.objectID)
            try expectEqual(objects, Set(stored))
        }
    }
}

extension ConformanceEnvironment {
    /// Opens a store of the harness with a history.
    func historyStack(
        _ model: ManagedObjectModel, _ policy: HistoryPolicy = .unlimited, _ name: String = "store"
    ) throws -> ConformanceStack {
        try stack(model, name) { $0.options.history = policy }
    }

    func historyStack(
        _ model: Result<ManagedObjectModel, any Error>, _ policy: HistoryPolicy = .unlimited, _ name: String = "store"
    ) throws -> ConformanceStack { try historyStack(model.get(), policy, name) }
}

extension ConformanceStack {
    /// The only transaction after a token.
    func onlyTransaction(after token: HistoryToken?) throws -> HistoryTransaction {
        let found = try coordinator.history.transactions(after: token)
        try expectEqual(found.count, 1, "transactions")
        return found[0]
    }
}

extension HistoryTransaction {
    /// Fails where the changes are not those of an event.
    func expectSame(as event: SaveEvent.StoreChanges) throws {
        try expectEqual(storeID, event.storeID)
        func ids(_ kind: HistoryChange.Kind) -> [ObjectID] { changes.filter { $0.kind == kind }.map(\.objectID) }
        try expectEqual(Set(ids(.insert)), Set(event.inserted.map(\.id)))
        try expectEqual(Set(ids(.update)), Set(event.updated.map(\.id)))
        try expectEqual(Set(ids(.delete)), Set(event.deleted.map(\.id)))
        try expectEqual(Set(changes.map(\.objectID)).count, changes.count, "objects that are listed twice")
        let names = Dictionary(event.updated.map { ($0.id, Set($0.changedProperties)) }) { $0.union($1) }
        for change in changes {
            try expectEqual(Set(change.changedProperties), change.kind == .update ? names[change.objectID] ?? [] : [])
            try expectEqual(change.tombstone, change.kind == .delete ? event.tombstones[change.objectID] ?? [:] : [:])
        }
    }
}
