import FoundationEssentials
import Strata
import StrataStore

/// Requests for transactions, deletion, consumers and policies.
enum HistoryRequestCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Transactions are fetched after a token, a date or a transaction, and limited", in: .history, requires: .history) {
            environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            try stack.savePeople(10)
            let all = try history.transactions(HistoryRequest())
            try expectEqual(all.count, 10)
            try expectEqual(all.map(\.number), all.map(\.number).sorted())
            let rest = Array(all[4...])
            try expectEqual(try history.transactions(after: all[3].token), rest)
            try expectEqual(try history.transactions(HistoryRequest(after: .transaction(all[3]))), rest)
            let later = try history.transactions(HistoryRequest(after: .date(all[3].date)))
            try expectEqual(later, all.filter { $0.date > all[3].date })
            try expectEqual(try history.transactions(after: all[3].token, limit: 2), Array(rest.prefix(2)))
            var request = HistoryRequest(after: .token(all[3].token))
            (request.isReversed, request.limit) = (true, 3)
            try expectEqual(try history.transactions(request), Array(rest.reversed().prefix(3)))
            request.includesChanges = false
            try expectEqual(try history.transactions(request).map(\.changes.count), [0, 0, 0])
            try expectEqual(try history.transactions(after: try history.currentToken()), [])
            let decoded = try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode(all[3].token))
            try expectEqual(decoded, all[3].token)
        }
        ConformanceCase("Conditions select transactions and changes", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            let people = try stack.savePeople(4)
            let context = people[0].context
            context.transactionAuthor = "sync"
            let company = Company(context: context)
            people[1].person.age = 50
            try context.save()
            context.delete(people[2].person)
            let deleted = people[2].person.objectID
            try context.save()
            let all = try history.transactions(HistoryRequest())
            func select(_ transactions: String?, _ changes: String? = nil) throws -> [HistoryTransaction] {
                var request = HistoryRequest()
                request.transactionPredicate = try transactions.map { try QueryPredicate(format: $0) }
                request.changePredicate = try changes.map { try QueryPredicate(format: $0) }
                return try history.transactions(request)
            }
            try expectEqual(try select("author == 'sync'"), Array(all[4...]))
            try expectEqual(try select("author == nil AND kind == 1"), Array(all[..<4]))
            try expectEqual(try select("ANY changes.entityName == 'Company'").map(\.number), [all[4].number])
            try expectEqual(try select("changes.@count == 0"), [])
            try expectEqual(try select("transactionNumber > \(all[4].number)"), [all[5]])
            let companies = try select(nil, "entityName == 'Company'")
            try expectEqual(companies.map(\.number), [all[4].number])
            try expectEqual(companies[0].changes.map(\.objectID), [company.objectID])
            let ages = try select(nil, "changeType == 1 AND updatedProperties CONTAINS ',age,'")
            try expectEqual(ages.flatMap(\.changes).map(\.objectID), [people[1].person.objectID])
            let one = try select(nil, "changedObjectID == '\(deleted.uriRepresentation)'")
            try expectEqual(one.flatMap(\.changes).map(\.kind), [.insert, .delete])
            try expectEqual(try select(nil, "transaction.author == 'sync' AND changeType == 2").map(\.number), [all[5].number])
            try expectThrows(QueryError.self) { try select("colour == 1") }
        }
        ConformanceCase("Deleted transactions expire tokens, and no number is used again", in: .history, requires: .history) {
            environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            let empty = try history.currentToken()
            try stack.savePeople(6)
            let all = try history.transactions(HistoryRequest())
            try expectEqual(try history.transactions(after: empty), all)
            try expectEqual(try history.deleteTransactions(before: .token(all[2].token)), 2)
            try expectEqual(try history.transactions(HistoryRequest()), Array(all[2...]))
            try expectEqual(try history.transactions(after: all[1].token), Array(all[2...]))
            for token in [all[0].token, empty] {
                let error = try expectStoreError(.historyTokenExpired) { try history.transactions(after: token) }
                try expectEqual(error.cocoaCode, 134301)
            }
            try expectEqual(try history.deleteTransactions(before: .transaction(all[2])), 0)
            try expectEqual(try history.deleteTransactions(before: .date(Date() + 100)), 4)
            try expectEqual(try history.transactions(HistoryRequest()), [])
            try expectEqual(try history.currentToken(), all[5].token)
            try expectEqual(try history.transactions(after: all[5].token), [])
            try stack.savePeople(1)
            try expect(try stack.onlyTransaction(after: all[5].token).number > all[5].number, "a number was used again")
            var later = all[5].token
            later.advance(to: HistoryToken([all[5].storeID: all[5].number + 1000]))
            try expectStoreError(.historyTokenExpired) { try history.transactions(after: later) }
            try expectStoreError(.noStore) { try history.transactions(after: HistoryToken(["another": 1])) }
        }
        ConformanceCase("A consumer keeps the transactions that it has not handled", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            try stack.savePeople(2)
            let consumer = try history.consumer(named: "search")
            try stack.savePeople(4)
            let unread = try consumer.transactions()
            try expectEqual(unread.count, 4)
            try consumer.advance(to: unread[0].token)
            try expectEqual(try history.deleteTransactions(before: .date(Date() + 100)), 3)
            try expectEqual(try consumer.transactions(), Array(unread[1...]))
            try expectEqual(try history.consumer(named: "search").transactions(limit: 1), [unread[1]])
            try expectEqual(try history.consumerNames(), ["search"])
            let later = HistoryToken(try history.currentToken().numbers.mapValues { $0 + 1000 })
            try expectStoreError(.historyTokenExpired) { try consumer.advance(to: later) }
            try expectEqual(try consumer.transactions(), Array(unread[1...]))
            try consumer.remove()
            try expectStoreError(.historyTokenExpired) { try consumer.transactions() }
            try expectEqual(try history.deleteTransactions(before: .date(Date() + 100)), 3)
        }
        ConformanceCase("A silent consumer is dropped, and learns it when it returns", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            let (silent, patient) = (
                try history.consumer(named: "silent", timeout: 0), try history.consumer(named: "patient", timeout: 1e9)
            )
            try stack.savePeople(3)
            try patient.advance(to: try history.currentToken())
            try expectEqual(try history.deleteTransactions(before: .date(Date() + 100)), 3)
            try expectStoreError(.historyTokenExpired) { try silent.transactions() }
            try expectEqual(try history.consumerNames(), ["patient"])
            try silent.advance(to: try history.currentToken())
            try stack.savePeople(1)
            try expectEqual(try silent.transactions().count, 1)
            try expectEqual(try patient.transactions().count, 1)
        }
        ConformanceCase("A policy bounds the history by size, and passes no consumer", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company, HistoryPolicy(maximumByteCount: 1_000))
            let history = stack.coordinator.history
            try stack.savePeople(130)
            let kept = try history.transactions(HistoryRequest()).count
            try expect(kept < 130 && kept > 0, "\(kept) transactions are kept")
            let consumer = try history.consumer(named: "slow")
            try stack.savePeople(130)
            try expectEqual(try consumer.transactions().count, 130)
        }
        ConformanceCase("A policy bounds the history by age", in: .history, requires: .history) { environment in
            let stack = try environment.historyStack(Models.company, HistoryPolicy(maximumAge: -100))
            try stack.savePeople(64)
            try expect(try stack.coordinator.history.transactions(HistoryRequest()).count < 64, "none was deleted")
        }
        ConformanceCase(
            "The history is there after reopening, and is continued without the option", in: .history, requires: [.history, .persistence]
        ) { environment in
            var stack = try environment.historyStack(Models.company)
            try stack.savePeople(3)
            let consumer = try stack.coordinator.history.consumer(named: "search")
            try expectEqual(try consumer.transactions(), [])
            let all = try stack.coordinator.history.transactions(HistoryRequest())
            try stack.close()
            stack = try environment.stack(try Models.company.get())
            try expectEqual(try stack.coordinator.history.transactions(HistoryRequest()), all)
            try stack.savePeople(1)
            let next = try stack.onlyTransaction(after: all[2].token)
            try expectEqual(next.changes.count, 1)
            try expectEqual(try stack.coordinator.history.consumer(named: "search").transactions(), [next])
        }
        ConformanceCase("Updates give the transactions that there are, and those to come", in: .history, requires: .history) {
            environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            try stack.savePeople(2)
            let coordinator = stack.coordinator
            async let saved: Void = Task {
                for index in 0..<3 {
                    try await BackgroundContext(coordinator).perform { context in
                        _ = Person("later \(index)", context)
                        try context.save()
                    }
                }
            }.value
            var numbers: [Int64] = []
            for try await transaction in try history.updates(after: HistoryToken()) {
                numbers.append(transaction.number)
                if numbers.count == 5 { break }
            }
            try await saved
            try expectEqual(numbers, try history.transactions(HistoryRequest()).map(\.number))
            try await history.reached(history.currentToken())
            var next = try history.currentToken()
            next.advance(to: HistoryToken([try stack.store().id: try unwrap(numbers.last) + 1]))
            let waiting = Task { [next] in try await history.reached(next) }
            try stack.savePeople(1)
            try await waiting.value
        }
        ConformanceCase("A store that is opened without a policy has no history", in: .history, requires: .history) { environment in
            let stack = try environment.stack(try Models.company.get())
            try stack.savePeople(1)
            try expectEqual(try stack.coordinator.history.transactions(HistoryRequest()), [])
            try expectEqual(try stack.coordinator.history.currentToken(), HistoryToken())
            var request = HistoryRequest()
            request.affectedStores = [try stack.store()]
            try expectStoreError(.unsupported) { try stack.coordinator.history.transactions(request) }
        }
    }
}

extension ConformanceStack {
    /// Saves some people, each in a transaction of its own.
    @discardableResult
    func savePeople(_ count: Int) throws -> [(context: ManagedObjectContext, person: Person)] {
        let context = context()
        return try (0..<count).map { index in
            let person = Person("P\(index)", context)
            try context.save()
            return (context, person)
        }
    }
}
