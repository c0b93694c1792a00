import CoreData
import Testing

@Suite("Requests for persistent histories")
struct HistoryRequestTests {
    private let stack: HistoryStack
    private let writer: NSManagedObjectContext
    private let other: NSManagedObjectContext
    private let all = { NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast) }

    init() throws {
        stack = try HistoryStack()
        writer = try stack.context("app", name: "main")
        other = try stack.context(nil)
    }

    /// Saves two cars and a driver, then a change and a deletion, then another car by no author.
    private func fill() throws {
        try writer.performAndWait {
            let car = writer.addObject("Car", ["plate": "A 1", "maker": "Benz"])
            let fast = writer.addObject("SportCar", ["plate": "B 2", "bought": Date(timeIntervalSinceReferenceDate: 5)])
            writer.addObject("Driver", ["name": "Ada"])
            try writer.save()
            car.setValue("Audi", forKey: "maker")
            writer.delete(fast)
            try writer.save()
        }
        try other.performAndWait {
            other.addObject("Car", ["plate": "C 3"])
            try other.save()
        }
    }

    @Test("Transactions have their origin, number, time and changes") func transactions() throws {
        defer { stack.remove() }
        let start = Date()
        try fill()
        let found = try writer.performAndWait { try writer.transactions(all()) }
        #expect(found.map(\.author) == ["app", "app", nil])
        #expect(found.map(\.contextName) == ["main", "main", nil])
        #expect(found.map(\.transactionNumber) == found.map(\.transactionNumber).sorted())
        #expect(Set(found.map(\.transactionNumber)).count == 3)
        let end = Date()
        for transaction in found { #expect((start...end).contains(transaction.timestamp)) }
        let first = try #require(found.first)
        #expect(first.storeID == writer.persistentStoreCoordinator?.persistentStores.first?.identifier)
        #expect(first.processID == ProcessInfo.processInfo.processName)
        #expect(!first.bundleID.isEmpty)
        #expect(first.changes?.map(\.changeType) == [.insert, .insert, .insert])
        #expect(Set(first.changes?.map(\.changedObjectID.entity.name) ?? []) == ["Car", "SportCar", "Driver"])
        #expect(found.last?.token == writer.historyToken)
        #expect(first.copy() as? NSPersistentHistoryTransaction === first)
    }

    @Test("A change has its object, the changed properties, the tombstone and the transaction") func changes() throws {
        defer { stack.remove() }
        try fill()
        let second = try #require(try writer.performAndWait { try writer.transactions(all()) }.dropFirst().first)
        let (update, deletion) = try (#require(second.changes?.first), #require(second.changes?.last))
        #expect(update.changeType == .update)
        #expect(update.updatedProperties?.map(\.name) == ["maker"])
        #expect(update.tombstone == nil)
        #expect(deletion.changeType == .delete)
        #expect(deletion.updatedProperties == nil)
        #expect(deletion.tombstone?["plate"] as? String == "B 2")
        #expect(deletion.tombstone?["bought"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(deletion.tombstone?.count == 2)
        #expect(deletion.changedObjectID.entity.name == "SportCar")
        #expect(update.transaction == second)
        #expect(update.transaction?.changes?.contains(update) == true)
        #expect(update.changeID != deletion.changeID)
        let alone = try writer.performAndWait { try writer.changes(all()) }
        #expect(alone.count == 6)
        #expect(alone.contains(update))
        #expect(alone.allSatisfy { $0.transaction == nil })
    }

    @Test("Requests begin after a date, a token, or a transaction; nil is the beginning") func starts() throws {
        defer { stack.remove() }
        let initial = try #require(writer.historyToken)
        try fill()
        try writer.performAndWait {
            let found = try writer.transactions(all())
            func numbers(_ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
                try writer.transactions(request).map(\.transactionNumber)
            }
            let later = Array(found.map(\.transactionNumber).dropFirst())
            #expect(try numbers(.fetchHistory(after: found[0].token)) == later)
            #expect(try numbers(.fetchHistory(after: found[0])) == later)
            #expect(try numbers(.fetchHistory(after: found[0].timestamp)) == later)
            #expect(try numbers(.fetchHistory(after: initial)).count == 3)
            #expect(try numbers(.fetchHistory(after: nil as NSPersistentHistoryToken?)).count == 3)
            #expect(try numbers(.fetchHistory(after: nil as NSPersistentHistoryTransaction?)).count == 3)
            #expect(try numbers(.fetchHistory(after: Date.distantFuture)).isEmpty)
            #expect(try numbers(.fetchHistory(after: writer.historyToken)).isEmpty)
            #expect(NSPersistentHistoryChangeRequest.fetchHistory(after: found[0].token).token == found[0].token)
            #expect(all().token == nil)
        }
    }

    @Test("The kind of the result") func results() throws {
        defer { stack.remove() }
        try fill()
        try writer.performAndWait { () throws in
            func request(_ type: NSPersistentHistoryResultType) -> NSPersistentHistoryChangeRequest {
                let request = all()
                request.resultType = type
                return request.copy() as? NSPersistentHistoryChangeRequest ?? request
            }
            #expect(all().resultType == .transactionsAndChanges)
            #expect(try writer.result(request(.statusOnly), Bool.self))
            #expect(try writer.result(request(.count), Int.self) == 3)
            #expect(try writer.result(request(.objectIDs), [NSManagedObjectID].self).count == 4)
            #expect(try writer.transactions(request(.transactionsOnly)).map { $0.changes == nil } == [true, true, true])
            #expect(try (writer.execute(request(.count)) as? NSPersistentHistoryResult)?.resultType == .count)
        }
    }

    @Test("Transactions before a date, a token, or a transaction are deleted, and tokens before them have expired") func deletion() throws {
        defer { stack.remove() }
        let initial = try #require(writer.historyToken)
        try fill()
        try writer.performAndWait {
            let found = try writer.transactions(all())
            let kept = try NSKeyedUnarchiver.unarchivedObject(
                ofClass: NSPersistentHistoryToken.self,
                from: NSKeyedArchiver.archivedData(withRootObject: initial, requiringSecureCoding: true))
            #expect(kept == initial)
            #expect(try writer.result(.deleteHistory(before: found[0]), Bool.self))
            #expect(try writer.transactions(all()).count == 3)
            #expect(try writer.result(.deleteHistory(before: found[1].token), Bool.self))
            #expect(try writer.transactions(all()) == Array(found.dropFirst()))
            #expect { try writer.transactions(.fetchHistory(after: kept)) } throws: {
                ($0 as NSError).domain == NSCocoaErrorDomain && ($0 as NSError).code == NSPersistentHistoryTokenExpiredError
            }
            #expect(try writer.transactions(.fetchHistory(after: found[0].token)).count == 2)
            let last = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
            last.resultType = .count
            #expect(try writer.result(last, Int.self) == 2)
            #expect(try writer.transactions(all()).isEmpty)
            #expect(writer.historyToken == found[2].token)
        }
    }

    @Test("The token of a store that was destroyed has expired in the store that replaces it") func replacedStores() throws {
        defer { stack.remove() }
        try fill()
        let token = try #require(writer.historyToken)
        for context in [writer, other] {
            try context.persistentStoreCoordinator?.persistentStores.forEach { try context.persistentStoreCoordinator?.remove($0) }
        }
        try FileManager.default.removeItem(at: stack.url)
        let anew = try stack.context(nil)
        anew.performAndWait {
            #expect { try anew.transactions(.fetchHistory(after: token)) } throws: {
                ($0 as NSError).code == NSPersistentHistoryTokenExpiredError
            }
        }
    }

    @Test("A store without the option has no history and no token, and keeps one that it has") func option() throws {
        defer { stack.remove() }
        let untracked = try MemoryStack.context(of: stack.model)
        #expect(untracked.historyToken == nil)
        #expect(try untracked.performAndWait { try untracked.transactions(all()) }.isEmpty)
        try fill()
        let later = try stack.context("later", [NSPersistentHistoryTrackingKey: NSNumber(value: false)])
        try later.performAndWait {
            later.addObject("Driver", ["name": "Bea"])
            try later.save()
            #expect(try later.transactions(all()).last?.author == "later")
        }
    }
}
