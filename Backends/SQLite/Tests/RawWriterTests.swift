import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Synchronization
import Testing

@Suite("A store that another program writes with SQL of its own", .timeLimit(.minutes(60)))
struct RawWriterTests {
    private final class Heard: Sendable {
        let events = Mutex<[SaveEvent]>([])
    }

    private let sandbox: Sandbox
    private let coordinator: PersistentStoreCoordinator
    private let heard = Heard()
    private let subscription: SaveEventSubscription
    private let ids: [ObjectID]

    /// A store with three accounts, whose changes are told.
    init() throws {
        sandbox = try Sandbox()
        let model = try ManagedObjectModel(entities: [
            Entity("Account") { Attributes(["balance": .integer64, "note": .string]) }
        ])
        coordinator = PersistentStoreCoordinator(model: model)
        var description = StoreDescription(.sqlite, path: sandbox.path())
        description.options.postsRemoteChanges = true
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        let accounts = try (1...3).map { number in
            let account = try context.insert("Account")
            try account.setValue(number, forKey: "balance")
            return account
        }
        try context.save()
        ids = accounts.map(\.objectID)
        subscription = coordinator.observeSaves { [heard] event in heard.events.withLock { $0.append(event) } }
    }

    private func nextEvent() throws -> SaveEvent {
        let end = ContinuousClock.now + waitLimit
        while ContinuousClock.now < end {
            if let event = heard.events.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
            usleep(1000)
        }
        throw CancellationError()
    }

    @Test("is reported as the rows are")
    func changes() throws {
        let (first, second) = (ids[0].reference, ids[1].reference)
        try script(
            sandbox.path(),
            """
            BEGIN IMMEDIATE;
            UPDATE ZACCOUNT SET ZBALANCE = 9, Z_OPT = Z_OPT + 1 WHERE Z_PK = \(first);
            DELETE FROM ZACCOUNT WHERE Z_PK = \(second);
            INSERT INTO ZACCOUNT (Z_PK, Z_ENT, Z_OPT, ZBALANCE, ZNOTE) SELECT 77, Z_ENT, 1, 7, 'new' FROM ZACCOUNT LIMIT 1;
            COMMIT;
            """)
        let event = try nextEvent()
        #expect(event.isRemote)
        #expect(event.origin.author == nil)
        let changes = try #require(event.stores.first)
        #expect(changes.inserted.map(\.id.reference) == [77])
        #expect(changes.updated.map(\.id) == [ids[0]])
        #expect(changes.updated.first?.changedProperties == ["balance"])
        #expect(changes.deleted.map(\.id) == [ids[1]])
    }

    @Test("is reported before what is saved here to the same object")
    func order() throws {
        try script(sandbox.path(), "UPDATE ZACCOUNT SET ZNOTE = 'theirs', Z_OPT = Z_OPT + 1 WHERE Z_PK = \(ids[0].reference)")
        let context = ManagedObjectContext(coordinator)
        let account = try context.existingObject(with: ids[0])
        try account.setValue(5, forKey: "balance")
        try context.save()
        let events = try [nextEvent(), nextEvent()]
        #expect(events.map(\.isRemote) == [true, false])
        #expect(events.map { $0.stores.first?.updated.first?.changedProperties } == [["note"], ["balance"]])
    }

    @Test("is not reported as long as it is not committed")
    func uncommitted() throws {
        try script(
            sandbox.path(), "BEGIN IMMEDIATE; UPDATE ZACCOUNT SET ZBALANCE = 9, Z_OPT = Z_OPT + 1; ROLLBACK; SELECT 1;")
        try script(sandbox.path(), "DELETE FROM ZACCOUNT WHERE Z_PK = \(ids[2].reference)")
        let changes = try #require(try nextEvent().stores.first)
        #expect(changes.updated.isEmpty)
        #expect(changes.deleted.map(\.id) == [ids[2]])
    }
}
