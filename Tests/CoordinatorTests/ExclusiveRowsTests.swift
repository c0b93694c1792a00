import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestRandom
import Synchronization
import Testing

/// Saves give the new rows of a context their references where they lie.
@Suite("References of new rows")
struct ExclusiveRowsTests {
    private let server = SimulatedServer("only")

    private func open() throws -> PersistentStoreCoordinator {
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                Relationships(["sequel": .toOne("Book.prequel"), "prequel": .toOne("Book.sequel")])
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(SimulatedDriver(server), at: server.location))
        return coordinator
    }

    /// Three books that follow each other, which nobody saved.
    private func series(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        let books = try ["a", "b", "c"].map { name in
            let book = try context.insert("Book")
            try book.setValue(name, forKey: "name")
            return book
        }
        for (book, next) in zip(books, books.dropFirst()) { try book.setValue(next, forKey: "sequel") }
        return books
    }

    /// The names of the sequels of a, b and c.
    private func sequels(_ context: ManagedObjectContext) throws -> [String?] {
        let books = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book", sort: [QuerySort("name")]))
        return try books.map { try $0.sequelName() }
    }

    @Test("A save that is tried again relates its objects as the first attempt would have", arguments: [1, 3])
    func retried(_ failures: Int) throws {
        let coordinator = try open()
        for _ in 0..<failures { server.fail(.commit, with: StoreError(.serializationFailure, .save, "could not serialize access")) }
        let context = ManagedObjectContext(coordinator)
        _ = try series(context)
        try context.save()
        #expect(try sequels(context) == ["b", "c", nil])
        #expect(try sequels(ManagedObjectContext(coordinator)) == ["b", "c", nil])
    }

    @Test("A save that fails leaves its objects related", arguments: [StoreError.Code.io, .inDoubt])
    func failed(_ code: StoreError.Code) throws {
        let coordinator = try open()
        server.fail(.commit, with: StoreError(code, .save, "the disk fails"))
        let context = ManagedObjectContext(coordinator)
        let books = try series(context)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try books.map { try $0.sequelName() } == ["b", "c", nil])
        #expect(books.allSatisfy { $0.objectID.isTemporary })
        #expect(books.allSatisfy { $0.isInserted })
        try context.save()
        #expect(try sequels(ManagedObjectContext(coordinator)) == ["b", "c", nil])
    }

    @Test("What a store has of a save in doubt stays as it is when the context takes its changes back")
    func inDoubt() throws {
        let coordinator = try open()
        server.fail(.committed, with: StoreError(.inDoubt, .save, "the connection was lost"))
        let context = ManagedObjectContext(coordinator)
        let books = try series(context)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try books.map { try $0.sequelName() } == ["b", "c", nil])
        try books[0].setValue(books[2], forKey: "sequel")
        #expect(try sequels(ManagedObjectContext(coordinator)) == ["b", "c", nil])
        context.rollback()
        #expect(try sequels(ManagedObjectContext(coordinator)) == ["b", "c", nil])
    }

    // References are unique within a store: those that a failed save gave in one were taken for those of the other.
    @Test("A save over two stores that fails leaves the objects of each related", arguments: [StoreError.Code.io, .serializationFailure])
    func severalStores(_ code: StoreError.Code) throws {
        let (coordinator, other) = (try open(), SimulatedServer("other"))
        try coordinator.addStore(StoreDescription(SimulatedDriver(other), at: other.location))
        let context = ManagedObjectContext(coordinator)
        let all = try coordinator.stores.map { store in
            try ["a", "b", "c", "d"].map { name in
                let book = try context.insert("Book")
                try book.setValue(name + store.id.description, forKey: "name")
                try context.assign(book, to: store)
                return book
            }
        }
        for (books, order) in zip(all, [[0, 1, 2, 3], [3, 1, 0, 2]]) {
            for (index, next) in zip(order, order.dropFirst()) { try books[index].setValue(books[next], forKey: "sequel") }
        }
        func sequels() throws -> [[Int?]] {
            try all.map { books in
                try books.map { book in try books.firstIndex { $0 === (try book.value(forKey: "sequel") as? ManagedObject) } }
            }
        }
        let expected: [[Int?]] = [[1, 2, 3, nil], [2, 0, nil, 1]]
        #expect(try sequels() == expected)
        for server in [server, other] { server.fail(.commit, with: StoreError(code, .save, "it fails")) }
        if code == .io { #expect(throws: StoreError.self) { try context.save() } } else { try context.save() }
        #expect(try sequels() == expected)
        for server in [server, other] { server.recover() }
        try context.save()
        context.reset()
        let saved = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book", sort: [QuerySort("name")]))
        #expect(saved.count == 8)
        let names = try Set(
            saved.map { "\(try ($0.value(forKey: "name") as? String)?.prefix(1) ?? "")\(try $0.sequelName()?.prefix(1) ?? "-")" })
        #expect(names == ["ab", "bc", "cd", "d-", "ac", "ba", "c-", "db"])
    }

    @Test("Whatever saves fail in between, objects are related as they were set", arguments: 1...20 as ClosedRange<UInt64>)
    func random(_ seed: UInt64) throws {
        let coordinator = try open()
        let context = ManagedObjectContext(coordinator)
        var generator = SeededGenerator(seed: seed)
        var books: [ManagedObject] = []
        var expected: [String?] = []
        for _ in 0..<30 {
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let book = try context.insert("Book")
                try book.setValue(format(books.count), forKey: "name")
                books.append(book)
                expected.append(nil)
            }
            for index in books.indices where Int.random(in: 0...2, using: &generator) == 0 {
                let next = Int.random(in: 0...books.count, using: &generator)
                let sequel = next == books.count ? nil : books[next]
                // One-to-one: whose sequel it was has none any more.
                for other in books.indices where sequel != nil && expected[other] == format(next) { expected[other] = nil }
                try books[index].setValue(sequel, forKey: "sequel")
                expected[index] = sequel == nil ? nil : format(next)
            }
            let failure = Int.random(in: 0...3, using: &generator)
            if failure == 1 { server.fail(.commit, with: StoreError(.io, .save, "the disk fails")) }
            for _ in 0..<2 where failure == 2 { server.fail(.commit, with: StoreError(.serializationFailure, .save, "not serialized")) }
            if failure == 1 { #expect(throws: StoreError.self) { try context.save() } } else { try context.save() }
            #expect(try books.map { try $0.sequelName() } == expected)
            if failure != 1 { #expect(try sequels(ManagedObjectContext(coordinator)) == expected) }
        }
    }

    /// A name whose order is that of the numbers.
    private func format(_ number: Int) -> String { String(number + 1000) }

    @Test("A request that was looked at stays as it was while its objects are saved")
    func lookedAt() throws {
        let coordinator = try open()
        let context = ManagedObjectContext(coordinator)
        _ = try series(context)
        let request = try context.saveChangesRequest()
        try context.save()
        let rows = try #require(request.parts.first).changes.inserted
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.reference < 0 })
        #expect(try sequels(ManagedObjectContext(coordinator)) == ["b", "c", nil])
    }

    @Test("A listener of a save may read its objects, and finds them related")
    func observed() throws {
        let coordinator = try open()
        let context = ManagedObjectContext(coordinator)
        let books = try series(context)
        // Safe: the listener runs on this thread, within the save.
        nonisolated(unsafe) let first = books[0]
        let seen = Mutex<[String?]>([])
        let subscription = coordinator.observeSaves { _ in
            let name = try? unsafe first.sequelName()
            seen.withLock { $0.append(name) }
        }
        try context.save()
        #expect(seen.withLock { $0 } == ["b"])
        withExtendedLifetime(subscription) {}
    }
}

extension ManagedObject {
    fileprivate func sequelName() throws -> String? {
        try (value(forKey: "sequel") as? ManagedObject)?.value(forKey: "name") as? String
    }
}
