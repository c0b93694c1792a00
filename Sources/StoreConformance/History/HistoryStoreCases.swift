import FoundationEssentials
import Strata
import StrataStore
import StrataTestModels

/// The history of several stores, of stores that become others, and of other versions of a model.
enum HistoryStoreCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save over several stores is a transaction of each, and one token is of all", in: .federation, requires: .history)
        {
            environment in
            let stack = try environment.historyNotes()
            let history = stack.coordinator.history
            let heard = Heard(stack.coordinator)
            let context = try stack.deal(9)
            let stores = stack.coordinator.stores
            let first = try history.transactions(HistoryRequest())
            try expectEqual(Set(first.map(\.storeID)), Set(stores.map(\.id)))
            try expectEqual(first.count, stores.count)
            for event in try heard.onlyEvent().stores { try first.first { $0.storeID == event.storeID }?.expectSame(as: event) }
            let token = try history.currentToken()
            try expectEqual(Set(token.numbers.keys), Set(stores.map(\.id)))
            // In one store alone.
            let note = try unwrap(context.all("Note").first)
            try note.setValue("changed", forKey: "name")
            try context.save()
            let second = try stack.onlyTransaction(after: token)
            try expectEqual(second.changes.map(\.objectID), [note.objectID])
            var request = HistoryRequest(after: .transaction(try unwrap(first.first)))
            try expectEqual(Set(try history.transactions(request).map(\.storeID)).subtracting([first[0].storeID]), [])
            request = HistoryRequest()
            request.affectedStores = [stores[0]]
            try expectEqual(Set(try history.transactions(request).map(\.storeID)), [stores[0].id])
        }
        ConformanceCase("A save that fails in one store is a transaction of none", in: .federation, requires: .history) { environment in
            let stack = try environment.stack(
                try Models.library.get(),
                stores: ["books", "people"].enumerated().map { index, name in
                    environment.historyDescription(name, of: index == 0 ? environment.harness : environment.partner, configuration: name)
                })
            let (context, other) = (stack.context(), stack.context())
            let author = try context.add("Author", "a")
            _ = try context.add("Reader", "r")
            try context.save()
            let reader = try context.one("Reader", "r")
            try other.one("Reader", "r").setValue("taken", forKey: "card")
            try other.save()
            let token = try stack.coordinator.history.currentToken()
            try author.setValue("a2", forKey: "name")
            try reader.setValue("r2", forKey: "name")
            try expectConflict(context)
            try expectEqual(try stack.coordinator.history.transactions(after: token), [])
        }
        ConformanceCase("A converted store keeps its history, tokens and consumers", in: .conversion, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            try stack.savePeople(4)
            let all = try history.transactions(HistoryRequest())
            try history.deleteTransactions(before: .token(all[1].token))
            let consumer = try history.consumer(named: "search")
            try consumer.advance(to: all[2].token)
            let description = environment.description("converted", of: environment.partner)
            _ = try stack.coordinator.migrateStore(try stack.store(), to: description)
            try expectEqual(try history.transactions(HistoryRequest()), Array(all[1...]))
            try expectEqual(try consumer.transactions(), [all[3]])
            try expectStoreError(.historyTokenExpired) { try history.transactions(after: HistoryToken([all[0].storeID: 0])) }
            try stack.savePeople(1)
            try expect(try stack.onlyTransaction(after: all[3].token).number > all[3].number, "a number was used again")
        }
        ConformanceCase(
            "A migration keeps the history, under the new names, and is a transaction", in: .migration, requires: [.history, .persistence]
        ) { environment in
            let before = try ManagedObjectModel {
                Entity("Book") {
                    Attributes(["name": .string, "pages": .integer64, "old": .string])
                    Attribute("isbn", .string).preservedOnDeletion
                }
                Entity("Bill") { Attribute("name", .string) }
            }
            var stack = try environment.historyStack(before)
            var context = stack.context()
            let (book, other) = (try context.add("Book", "b"), try context.add("Book", "c"))
            _ = try context.add("Bill", "bill")
            try context.save()
            try book.setValue(3, forKey: "pages")
            try book.setValue("x", forKey: "old")
            try context.save()
            try other.setValue("978", forKey: "isbn")
            try context.save()
            context.delete(other)
            try context.save()
            let token = try stack.coordinator.history.currentToken()
            let ids = [book, other].map(\.objectID.reference)
            try stack.close()
            let after = try ManagedObjectModel {
                Entity("Volume") {
                    Attributes(["name": .string])
                    Attribute("count", .integer64).renamed(from: "pages")
                    Attribute("number", .string).renamed(from: "isbn").preservedOnDeletion
                }
                .with { $0.renamingIdentifier = "Book" }
            }
            stack = try environment.stack(after)
            let transactions = try stack.coordinator.history.transactions(HistoryRequest())
            try expectEqual(transactions.map(\.origin.kind), [.save, .save, .save, .save, .migration])
            try expectEqual(transactions[0].changes.map(\.objectID.entity.name), ["Volume", "Volume"])
            try expectEqual(transactions[1].changes.map(\.changedProperties), [["count"]])
            try expectEqual(transactions[1].changes.map(\.objectID.reference), [ids[0]])
            try expectEqual(transactions[3].changes.map(\.tombstone), [["number": "978"]])
            try expectEqual(try stack.onlyTransaction(after: token).origin.kind, .migration)
            context = stack.context()
            try unwrap(context.all("Volume").first).setValue(4, forKey: "count")
            try context.save()
            try expectEqual(try stack.coordinator.history.transactions(after: token).last?.changes.map(\.changedProperties), [["count"]])
        }
        ConformanceCase(
            "Another coordinator's saves are in the history", in: .history, requires: [.history, .severalCoordinators, .persistence]
        ) { environment in
            let first = try environment.historyStack(Models.company)
            let second = try environment.stack(try Models.company.get())
            try first.savePeople(2)
            try second.savePeople(2)
            try first.savePeople(1)
            let all = try first.coordinator.history.transactions(HistoryRequest())
            try expectEqual(all.count, 5)
            try expectEqual(try second.coordinator.history.transactions(HistoryRequest()).map(\.token), all.map(\.token))
            try await second.coordinator.history.reached(try first.coordinator.history.currentToken())
        }
    }
}

extension ConformanceEnvironment {
    fileprivate func historyDescription(_ name: String, of harness: StoreHarness, configuration: String) -> StoreDescription {
        var description = description(name, of: harness, configuration: configuration)
        description.options.history = .unlimited
        return description
    }

    /// Notes in a store of the harness and one of each partner, each with a history.
    fileprivate func historyNotes() throws -> ConformanceStack {
        try stack(
            try Models.library.get(),
            stores: members.enumerated().map { historyDescription("store \($0)", of: $1, configuration: "notes") })
    }
}
