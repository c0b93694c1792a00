import Foundation
import Strata
import StrataModel
import StrataSQL
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: the history of a store", .server, .timeLimit(.minutes(60)))
struct HistoryTests {
    let scratch: Scratch
    let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
    }

    private func opened(_ policy: HistoryPolicy? = .unlimited, connections: Int = 16, tracks: Bool = false) throws
        -> PersistentStoreCoordinator
    {
        var description = StoreDescription.postgreSQL(scratch.url, schema: scratch.schema, connections: connections)
        (description.options.history, description.options.postsRemoteChanges) = (policy, tracks)
        description.options.timeout = 5
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description)
        return coordinator
    }

    private func backend(_ coordinator: PersistentStoreCoordinator) throws -> PostgreSQLStore {
        try #require(coordinator.stores.first as? PostgreSQLStore)
    }

    @discardableResult
    private func save(_ coordinator: PersistentStoreCoordinator, _ name: String = "a") throws -> ObjectID {
        let context = ManagedObjectContext(coordinator)
        let person = try context.insert("Person")
        try person.setValue(name, forKey: "name")
        try context.save()
        return person.objectID
    }

    private func record(_ time: Double) -> HistoryRecord {
        HistoryRecord(time: time, origin: HistoryOrigin(.save).encoded, body: HistoryBodyWriter(model).finish())
    }

    /// A transaction with a row, a record, and so a number.
    private func begun(_ store: PostgreSQLStore, _ reference: Int64) throws -> any StoreTransaction {
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try Sample.person(reference, "a", model)]
        #expect(try transaction.apply(changes).isEmpty)
        #expect(try transaction.append(record(Double(reference))) == 0)
        return transaction
    }

    @Test("A save is hidden while an earlier transaction of the store is under way, and listed after it then")
    func order() throws {
        let coordinator = try opened()
        defer { withExtendedLifetime(coordinator) {} }
        let store = try backend(coordinator)
        let (early, late) = (try begun(store, 101), try begun(store, 102))
        try late.commit()
        #expect(try store.history(HistoryQuery()).isEmpty)
        try early.commit()
        #expect(try store.history(HistoryQuery()).map(\.time) == [101, 102])
        let rolledBack = try begun(store, 103)
        let last = try begun(store, 104)
        try last.commit()
        rolledBack.rollback()
        let times = try store.history(HistoryQuery()).map(\.time)
        #expect(times == [101, 102, 104])
    }

    @Test("The past is read without a save that is hidden while an earlier transaction is under way")
    func pastOfHiddenSave() throws {
        let coordinator = try opened(HistoryPolicy(keepsValues: true))
        let id = try save(coordinator, "before")
        let token = try coordinator.history.currentToken()
        let early = try begun(backend(coordinator), 101)
        let context = ManagedObjectContext(coordinator)
        try context.existingObject(with: id).setValue("after", forKey: "name")
        try context.save()
        #expect(try coordinator.history.currentToken() == token)
        let past = ManagedObjectContext(coordinator)
        try past.setQueryGeneration(asOf: token)
        #expect(try past.existingObject(with: id).value(forKey: "name") as? String == "before")
        early.rollback()
    }

    @Test("A transaction that waits for others before its first change does not lose its turn")
    func late() throws {
        let coordinator = try opened()
        defer { withExtendedLifetime(coordinator) {} }
        let store = try backend(coordinator)
        let idle = try store.beginWrite()
        _ = try idle.metadata()
        try begun(store, 101).commit()
        #expect(try store.history(HistoryQuery()).map(\.time) == [101])
        var changes = ChangeSet()
        changes.inserted = [try Sample.person(102, "b", model)]
        #expect(try idle.apply(changes).isEmpty)
        _ = try idle.append(record(102))
        try idle.commit()
        #expect(try store.history(HistoryQuery()).map(\.time) == [101, 102])
    }

    @Test("Transactions of other schemas do not hide those of the store")
    func others() throws {
        let coordinator = try opened()
        let connection = try scratch.connection()
        try scratch.run("BEGIN; SELECT pg_current_xact_id()", on: connection)
        try save(coordinator)
        #expect(try coordinator.history.transactions(HistoryRequest()).count == 1)
        try scratch.run("ROLLBACK", on: connection)
    }

    @Test("A prepared transaction hides later saves until it ends, and is listed before them if it is committed", arguments: [true, false])
    func prepared(commits: Bool) throws {
        let coordinator = try opened()
        defer { withExtendedLifetime(coordinator) {} }
        let store = try backend(coordinator)
        let transaction = try #require(begun(store, 101) as? PostgreSQLTransaction)
        let save = PreparedSave(id: "one \(commits)", decidingStoreID: StoreID("other"), decidingStore: .file("/none"))
        try transaction.prepare(as: save)
        try begun(store, 102).commit()
        #expect(try store.history(HistoryQuery()).isEmpty)
        if commits { try store.commitPrepared(save.id) } else { try store.rollbackPrepared(save.id) }
        #expect(try store.history(HistoryQuery()).map(\.time) == (commits ? [101, 102] : [102]))
    }

    @Test("Readers see all transactions of concurrent savers, each once, in the order of the numbers")
    func concurrent() throws {
        let coordinator = try opened()
        let (savers, each) = (4, 12)
        let waits = (0..<savers).map { saver in
            apart { for index in 0..<each { try save(coordinator, "\(saver) \(index)") } }
        }
        var (found, token): ([HistoryTransaction], HistoryToken) = ([], HistoryToken())
        while found.count < savers * each {
            let more = try coordinator.history.transactions(after: token)
            for transaction in more { token.advance(to: transaction.token) }
            found += more
        }
        for wait in waits { try wait() }
        #expect(found.map(\.number) == found.map(\.number).sorted())
        #expect(Set(found.flatMap(\.changes).map(\.objectID)).count == savers * each)
        #expect(try coordinator.history.transactions(HistoryRequest()) == found)
    }

    @Test("A save with a history is written once, and reported to others as without one")
    func log() throws {
        let (listener, writer) = (try opened(tracks: true), try opened())
        let heard = Mutex<[ObjectID]>([])
        let subscription = listener.observeSaves { event in
            for store in event.stores where event.isRemote { heard.withLock { $0 += (store.inserted + store.updated).map(\.id) } }
        }
        func wait(_ count: Int) -> [ObjectID] {
            for _ in 0..<6_000 where heard.withLock({ $0.count }) < count { usleep(10_000) }
            return heard.withLock { heard in
                defer { heard = [] }
                return heard
            }
        }
        let first = try save(writer)
        #expect(wait(1) == [first])
        let context = ManagedObjectContext(writer)
        let (anna, ben) = (context.object(with: first), try context.insert("Person"))
        try ben.setValue(Set([anna]), forKey: "friends")
        try context.save()
        #expect(Set(wait(2)) == [first, ben.objectID])
        let kinds = try scratch.run("SELECT DISTINCT kind FROM \(scratch.schema).strata_changes")
        #expect(kinds == ["metadata"])
        // What was deleted before it was read makes the listener compare everything.
        let position = try backend(listener).read { try ($0 as? any LoggedReader)?.logPosition() }
        try save(writer)
        try #expect(writer.history.deleteTransactions(before: .date(Date() + 100)) > 0)
        #expect(wait(1).count == 1)
        let known = try #require(position)
        #expect(try backend(listener).read { try ($0 as? any LoggedReader)?.changes(since: known) } == nil)
        withExtendedLifetime(subscription) {}
    }

    @Test("A save takes as many round trips with a history as without one")
    func roundTrips() throws {
        func count(_ policy: HistoryPolicy?) throws -> Int {
            let coordinator = try opened(policy, connections: 1)
            let store = try backend(coordinator)
            for _ in 0..<3 { try save(coordinator) }
            func current() throws -> Int {
                let connection = try store.pool.take(.fetch) { _ in }
                defer { store.pool.give(back: connection) }
                connection.readPending()
                return connection.traffic.roundTrips
            }
            let before = try current()
            for _ in 0..<4 { try save(coordinator) }
            return try current() - before
        }
        let without = try count(nil)
        #expect(try count(.unlimited) == without)
    }

    @Test("A policy needs no second connection of a store with one")
    func oneConnection() throws {
        let coordinator = try opened(HistoryPolicy(maximumByteCount: 1_000), connections: 1)
        for _ in 0..<130 { try save(coordinator) }
        let kept = try coordinator.history.transactions(HistoryRequest()).count
        #expect(kept < 130)
        #expect(kept > 0)
    }

    @Test("Numbers continue behind those of a dump that comes from another server")
    func restored() throws {
        var coordinator = try opened()
        try save(coordinator)
        let token = try coordinator.history.currentToken()
        try coordinator.removeAll()
        let name = "\(scratch.schema).strata_history"
        try scratch.run(
            """
            UPDATE \(name) SET number = number + 1000000, \
            transaction = (transaction::text::bigint + 1000000)::text::xid8
            """)
        coordinator = try opened()
        #expect(try coordinator.history.transactions(HistoryRequest()).count == 1)
        try save(coordinator)
        let all = try coordinator.history.transactions(HistoryRequest())
        #expect(all.count == 2)
        #expect(all[0].number > 1_000_000)
        #expect(all[1].number > all[0].number)
        #expect(try coordinator.history.transactions(after: all[0].token).map(\.number) == [all[1].number])
        #expect(token.numbers.count == 1)
    }

    @Test("A copy of a store has its history, and its numbers continue")
    func copied() throws {
        let coordinator = try opened()
        for _ in 0..<3 { try save(coordinator) }
        try coordinator.history.deleteTransactions(before: .token(coordinator.history.currentToken()))
        let all = try coordinator.history.transactions(HistoryRequest())
        try coordinator.removeAll()
        let copy = try Scratch()
        try PostgreSQLDriver().replace(at: copy.location, withStoreAt: scratch.location)
        let other = PersistentStoreCoordinator(model: model)
        try other.addStore(copy.description)
        #expect(try other.history.transactions(HistoryRequest()) == all)
        try save(other)
        let next = try other.history.transactions(after: all[0].token)
        #expect(next.count == 1)
        try #expect(#require(next.first).number > all[0].number)
    }

    @Test("A store of an earlier version gets the table, unless the role may make none and needs none")
    func earlier() throws {
        try opened(nil).removeAll()
        try scratch.run("DROP TABLE \(scratch.schema).strata_history")
        try scratch.asGuest { credentials in
            var description = StoreDescription.postgreSQL(scratch.url, schema: scratch.schema, credentials: credentials)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.addStore(description)
            try save(coordinator)
            try coordinator.removeAll()
            description.options.history = .unlimited
            try expectError(.denied) { try PersistentStoreCoordinator(model: model).addStore(description) }
        }
        let coordinator = try opened()
        try save(coordinator)
        #expect(try coordinator.history.transactions(HistoryRequest()).count == 1)
    }

    @Test("A table with other columns is damage, and the objects are read all the same")
    func otherColumns() throws {
        var coordinator = try opened()
        try save(coordinator)
        try coordinator.removeAll()
        try scratch.run("DROP TABLE \(scratch.schema).strata_history; CREATE TABLE \(scratch.schema).strata_history (a int, b int)")
        coordinator = try opened()
        let message = "the table of the history has other columns; PersistentHistory.beginAnew() replaces it"
        try expectError(.corrupt, message: message) { _ = try coordinator.history.transactions(HistoryRequest()) }
        try expectError(.corrupt, message: message) { try save(coordinator) }
        #expect(try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<ManagedObject>(entityName: "Person")) == 1)
    }

    @Test("A table that another program dropped is made again, and older tokens have expired")
    func dropped() throws {
        var coordinator = try opened()
        for _ in 0..<3 { try save(coordinator) }
        var token = try coordinator.history.currentToken()
        token.advance(to: HistoryToken(token.numbers.mapValues { $0 + 1_000_000 }))
        try coordinator.removeAll()
        try scratch.run("DROP TABLE \(scratch.schema).strata_history")
        coordinator = try opened(nil)
        #expect(try coordinator.history.transactions(HistoryRequest()).isEmpty)
        try save(coordinator)
        try expectError(.historyTokenExpired) { _ = try coordinator.history.transactions(after: token) }
        #expect(try coordinator.history.transactions(HistoryRequest()).count == 1)
    }

    @Test("A save with a history whose acknowledgement was lost is found to have taken effect, also where its record was deleted since")
    func lostAcknowledgement() throws {
        let line = try FaultyLine(to: PostgreSQLServer.shared.get())
        let description = StoreDescription.postgreSQL(line.url + "&connect_timeout=2", schema: scratch.schema)
        let store = try #require(try openStore(description, model: model) as? PostgreSQLStore)
        let coordinator = try opened()
        defer { withExtendedLifetime(coordinator) {} }
        let other = try backend(coordinator)
        for isDeleted in [false, true] {
            let transaction = try begun(store, isDeleted ? 102 : 101)
            line.set(.lostAnswers)
            let deletes = apart {
                usleep(300_000)
                if isDeleted {
                    for _ in 0..<600 where try other.history(HistoryQuery()).count < 2 { usleep(5_000) }
                    let last = try #require(try other.history(HistoryQuery()).last)
                    let deleting = try other.beginWrite()
                    try deleting.deleteHistory(through: .deleted(through: last.number, time: last.time))
                    try deleting.commit()
                    try self.begun(other, 103).commit()
                    let mark = try #require(try other.history(HistoryQuery()).last)
                    let again = try other.beginWrite()
                    try again.deleteHistory(through: .deleted(through: mark.number, time: mark.time))
                    try again.commit()
                }
                line.set(.none)
                line.cut()
            }
            try transaction.commit()
            try deletes()
        }
        #expect(try scratch.run("SELECT _id FROM \(scratch.schema).person ORDER BY _id") == ["101", "102", "103"])
    }
}

extension PersistentStoreCoordinator {
    fileprivate func removeAll() throws { for store in stores { try remove(store) } }
}
