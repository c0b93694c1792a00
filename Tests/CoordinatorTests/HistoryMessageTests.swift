import Strata
import StrataInMemory
import StrataStore
import StrataTestSupport
import Testing

/// Each message of a history that cannot be kept or read.
@Suite("Messages of histories")
struct HistoryMessageTests {
    private let model: ManagedObjectModel
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        model = try ManagedObjectModel { Entity("Book") { Attribute("name", .string) } }
        coordinator = PersistentStoreCoordinator(model: model)
    }

    @discardableResult
    private func filled(saves: Int, _ history: HistoryPolicy? = .unlimited) throws -> any PersistentStore {
        var description = StoreDescription(.inMemory)
        description.options.history = history
        let store = try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        for _ in 0..<saves {
            try context.insert("Book")
            try context.save()
        }
        return store
    }

    @Test("Of a store kind without histories, and of a store without one")
    func without() throws {
        let server = SimulatedServer("books")
        var description = StoreDescription(SimulatedDriver(server), at: server.location)
        description.options.history = .unlimited
        #expect(messageOfError { try coordinator.addStore(description) } == "the store does not support a history")
        let store = try filled(saves: 1, nil)
        #expect(messageOfError { _ = try coordinator.history.currentToken(of: [store]) } == "the store has no history")
    }

    @Test("Of tokens that have expired, or are later than the history")
    func tokens() throws {
        let store = try filled(saves: 3)
        let token = try coordinator.history.currentToken()
        try coordinator.history.deleteTransactions(before: .token(token))
        let first = HistoryToken([store.id: 1])
        #expect(messageOfError { _ = try coordinator.history.transactions(after: first) } == "the history does not reach back to the token")
        let later = HistoryToken([store.id: 9])
        #expect(
            messageOfError { _ = try coordinator.history.transactions(after: later) } == "the token is later than the history of the store")
    }

    @Test("Of tokens whose state cannot be read")
    func past() throws {
        let store = try #require(try filled(saves: 1, HistoryPolicy(keepsValues: true)) as? any StoreBackend)
        let context = ManagedObjectContext(coordinator)
        func append(_ kind: HistoryOrigin.Kind, _ body: [UInt8]) throws -> String? {
            let token = try coordinator.history.currentToken()
            let transaction = try store.beginWrite()
            try transaction.append(HistoryRecord(time: 0, origin: HistoryOrigin(kind).encoded, body: body))
            try transaction.prepare()
            try transaction.commit()
            return messageOfError { try context.setQueryGeneration(asOf: token) }
        }
        let book = try #require(model.entity(named: "Book"))
        let nothing = HistoryBodyWriter(model).finish()
        #expect(try append(.migration, nothing) == "the store was migrated after the token")
        var body = HistoryBodyWriter(model)
        body.insert(book.index, 8)
        let insertion = body.finish()
        #expect(try append(.external, insertion) == "a transaction after the token was made without values")
        let other = try ManagedObjectModel { Entity("Volume") { Attribute("name", .string) } }
        body = HistoryBodyWriter(other)
        body.insert(try #require(other.entity(named: "Volume")).index, 8)
        let otherInsertion = body.finish(HistoryValuesWriter(other))
        #expect(
            try append(.save, otherInsertion)
                == "a transaction after the token has another version of the model")
        var rows = RowWriter()
        rows.begin(book, reference: 77, version: 1)
        var values = HistoryValuesWriter(model)
        values.add(rows.finish(), slots: [try #require(book.attribute(named: "name")?.slot)])
        body = HistoryBodyWriter(model)
        body.update(book.index, 77, properties: [0])
        let update = body.finish(values)
        #expect(try append(.save, update) == "an object was deleted past the history")
    }

    @Test("Of a consumer that was removed")
    func consumer() throws {
        try filled(saves: 1)
        let consumer = try coordinator.history.consumer(named: "search")
        try consumer.remove()
        #expect(
            messageOfError { _ = try consumer.token() }
                == "the consumer search of the history was dropped: it was silent for too long, or the history began anew")
    }

    @Test("Of a damaged transaction, while objects are read and saved")
    func damage() throws {
        let store = try #require(try filled(saves: 2) as? any StoreBackend)
        let transaction = try store.beginWrite()
        try transaction.append(HistoryRecord(time: 0, origin: [77], body: [1, 2, 3]))
        try transaction.prepare()
        try transaction.commit()
        #expect(messageOfError { _ = try coordinator.history.transactions(HistoryRequest()) } == "malformed transaction in the history")
        let context = ManagedObjectContext(coordinator)
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Book")) == 2)
        try context.insert("Book")
        try context.save()
    }
}
