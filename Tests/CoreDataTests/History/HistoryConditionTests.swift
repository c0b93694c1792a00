import CoreData
import Testing

@Suite("Conditions on persistent histories")
struct HistoryConditionTests {
    private let stack: HistoryStack
    private let context: NSManagedObjectContext
    private let car: NSManagedObjectID
    private let tokens: [NSPersistentHistoryToken]

    /// Two cars by "app", then a change of one and another sport car by "sync", then a deletion by no author.
    init() throws {
        stack = try HistoryStack()
        context = try stack.context("app", name: "main")
        let context = context
        (car, tokens) = try context.performAndWait {
            var tokens: [NSPersistentHistoryToken] = []
            func save(_ author: String?, _ change: () -> Void) throws {
                context.transactionAuthor = author
                change()
                try context.save()
                tokens.append(try #require(context.historyToken))
            }
            let car = context.addObject("Car", ["plate": "A 1"])
            try save("app") { context.addObject("Car", ["plate": "B 2"]) }
            try save("sync") {
                car.setValue("A 9", forKey: "plate")
                context.addObject("SportCar", ["plate": "C 3"])
            }
            let id = car.objectID
            try save(nil) { context.delete(car) }
            return (id, tokens)
        }
    }

    /// The positions of the transactions that meet a condition.
    private func transactions(_ predicate: NSPredicate?) throws -> [Int] {
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.predicate = predicate
        return try positions(.fetchHistory(withFetch: request))
    }

    private func positions(_ request: NSPersistentHistoryChangeRequest) throws -> [Int] {
        try context.performAndWait { try context.transactions(request).map { try #require(tokens.firstIndex(of: $0.token)) } }
    }

    private func changes(_ predicate: NSPredicate?) throws -> [NSPersistentHistoryChangeType] {
        let request = try #require(NSPersistentHistoryChange.fetchRequest)
        request.predicate = predicate
        return try context.performAndWait { try context.changes(.fetchHistory(withFetch: request)).map(\.changeType) }
    }

    @Test("Conditions on transactions") func transactionConditions() throws {
        defer { stack.remove() }
        #expect(try transactions(nil) == [0, 1, 2])
        #expect(try transactions(NSPredicate(format: "author == %@", "app")) == [0])
        #expect(try transactions(NSPredicate(format: "author != %@", "app")) == [1, 2])
        #expect(try transactions(NSPredicate(format: "author = NIL")) == [2])
        #expect(try transactions(NSPredicate(format: "author IN %@", ["app", "sync"])) == [0, 1])
        #expect(try transactions(NSPredicate(format: "%K BEGINSWITH %@", "author", "sy")) == [1])
        #expect(try transactions(NSPredicate(format: "contextName == %@", "main")) == [0, 1, 2])
        #expect(try transactions(NSPredicate(format: "contextName != %@", "main")) == [])
        #expect(try transactions(NSPredicate(format: "processID == %@", ProcessInfo.processInfo.processName)) == [0, 1, 2])
        #expect(try transactions(NSPredicate(format: "bundleID == 'other.app'")) == [])
        #expect(try transactions(NSPredicate(format: "timestamp > %@", NSDate(timeIntervalSinceNow: -600))) == [0, 1, 2])
        #expect(try transactions(NSPredicate(format: "timestamp > %@", NSDate())) == [])
        #expect(try transactions(NSPredicate(value: false)) == [])
        #expect(try transactions(NSPredicate(format: "NOT (author == 'app' OR author == 'sync')")) == [2])
    }

    @Test("Tokens are compared by the numbers of their transactions") func tokenConditions() throws {
        defer { stack.remove() }
        #expect(try transactions(NSPredicate(format: "%K > %@", "token", tokens[0])) == [1, 2])
        #expect(try transactions(NSPredicate(format: "token >= %@", tokens[1])) == [1, 2])
        #expect(try transactions(NSPredicate(format: "token <= %@", tokens[1])) == [0, 1])
        #expect(try transactions(NSPredicate(format: "token == %@ AND author == 'sync'", tokens[1])) == [1])
        #expect(try transactions(NSPredicate(format: "token != %@", tokens[1])) == [0, 2])
        let archive = try NSKeyedArchiver.archivedData(withRootObject: tokens[1], requiringSecureCoding: true)
        let token = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archive))
        #expect(try transactions(NSPredicate(format: "token == %@", token)) == [1])
        #expect(token.hash == tokens[1].hash)
        #expect(token != tokens[2])
    }

    @Test("Conditions on changes") func changeConditions() throws {
        defer { stack.remove() }
        #expect(try changes(nil) == [.insert, .insert, .insert, .update, .delete])
        #expect(try changes(NSPredicate(format: "changeType == %d", NSPersistentHistoryChangeType.update.rawValue)) == [.update])
        #expect(try changes(NSPredicate(format: "changedObjectID == %@", car)).suffix(2) == [.update, .delete])
        #expect(try changes(NSPredicate(format: "changedObjectID IN %@", [car])).count == 3)
        let (cars, fast) = (try stack.model.entity("Car"), try stack.model.entity("SportCar"))
        #expect(try changes(NSPredicate(format: "changedEntity == %@", fast)) == [.insert])
        #expect(try changes(NSPredicate(format: "changedEntity == %@ OR changedEntity == %@", cars, fast)).count == 5)
        #expect(try changes(NSPredicate(format: "transaction.author == 'sync'")) == [.insert, .update])
        #expect(try changes(NSPredicate(format: "transaction.token > %@", tokens[1])) == [.delete])
    }

    @Test("A condition on changes selects the changes of transactions, after the start of the request") func selected() throws {
        defer { stack.remove() }
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(format: "changedObjectID == %@", car)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: tokens[0])
        request.fetchRequest = fetch
        #expect(try positions(request) == [1, 2])
        let found = try context.performAndWait { try context.transactions(request) }
        #expect(found.map { $0.changes?.map(\.changeType) } == [[.update], [.delete]])
        request.resultType = .count
        #expect(try context.performAndWait { try context.result(request, Int.self) } == 2)
    }

    @Test("The limit, the offset and the order of the request count") func limits() throws {
        defer { stack.remove() }
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.fetchLimit = 1
        fetch.fetchOffset = 1
        #expect(try positions(.fetchHistory(withFetch: fetch)) == [1])
        fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        fetch.fetchOffset = 0
        #expect(try positions(.fetchHistory(withFetch: fetch)) == [2])
        let changes = try #require(NSPersistentHistoryChange.fetchRequest)
        changes.fetchLimit = 2
        #expect(try context.performAndWait { try context.changes(.fetchHistory(withFetch: changes)).count } == 2)
    }

    @Test("The entities have the attributes that conditions name") func entities() throws {
        defer { stack.remove() }
        let change = try #require(NSPersistentHistoryChange.entityDescription(with: context))
        #expect(change === NSPersistentHistoryChange.entityDescription)
        #expect(change.attributesByName["changedObjectID"] != nil)
        #expect(change.attributesByName["changedEntity"] != nil)
        let transaction = try #require(NSPersistentHistoryTransaction.entityDescription)
        #expect(transaction === NSPersistentHistoryTransaction.entityDescription(with: context))
        #expect(transaction.attributesByName["author"] != nil)
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = transaction
        request.predicate = NSPredicate(format: "author == 'app'")
        #expect(try positions(.fetchHistory(withFetch: request)) == [0])
    }

    @Test("A condition that no history evaluates is an error") func unsupported() throws {
        defer { stack.remove() }
        #expect(throws: (any Error).self) { try transactions(NSPredicate { _, _ in true }) }
        #expect(throws: (any Error).self) { try transactions(NSPredicate(format: "unknown == 1")) }
    }
}
