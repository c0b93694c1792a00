import Foundation
import Strata
import StrataModel
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: what others save is reported", .server, .timeLimit(.minutes(60)))
struct EventTests {
    /// A coordinator that tells what others save.
    private final class Follower: Sendable {
        let coordinator: PersistentStoreCoordinator
        private let heard = Mutex<[String]>([])
        private let subscription = Mutex<SaveEventSubscription?>(nil)

        init(_ scratch: Scratch, _ model: ManagedObjectModel) throws {
            coordinator = PersistentStoreCoordinator(model: model)
            var description = scratch.description
            description.options.postsRemoteChanges = true
            try coordinator.addStore(description)
            subscription.withLock { $0 = coordinator.observeSaves { [weak self] event in self?.hear(event) } }
        }

        private func hear(_ event: SaveEvent) {
            for store in event.stores where event.isRemote {
                heard.withLock { heard in
                    heard += store.inserted.map { "+\($0.id.reference)" } + store.deleted.map { "-\($0.id.reference)" }
                    heard += store.updated.map { "\($0.id.reference) \($0.changedProperties.sorted().joined(separator: " "))" }
                }
            }
        }

        /// All that was told once there is so much, sorted.
        func all(_ count: Int) -> [String] {
            for _ in 0..<60_000 where heard.withLock({ $0.count }) < count { usleep(10_000) }
            return heard.withLock { heard in
                defer { heard = [] }
                return heard.sorted()
            }
        }

        func store() throws -> PostgreSQLStore { try #require(coordinator.stores.first as? PostgreSQLStore) }
    }

    let scratch: Scratch
    let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
    }

    private func writer() throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(scratch.description)
        return ManagedObjectContext(coordinator)
    }

    @discardableResult
    private func insert(_ context: ManagedObjectContext, _ name: String) throws -> ManagedObject {
        let person = try context.insert("Person")
        try person.setValue(name, forKey: "name")
        try context.save()
        return person
    }

    @Test("The log names what each transaction changed, who did it, and nothing else")
    func log() throws {
        let context = try writer()
        context.transactionAuthor = "it's \\ me"
        let person = try insert(context, "a")
        try person.setValue("b", forKey: "name")
        try context.save()
        context.delete(person)
        try context.save()
        let rows = try scratch.run("SELECT concat_ws(' ', kind, relation, refs) FROM \(scratch.schema).strata_changes ORDER BY transaction")
        #expect(rows.filter { !$0.hasPrefix("link") } == ["insert person {1}", "update person {1}", "delete person {1}"])
        #expect(try scratch.run("SELECT DISTINCT author FROM \(scratch.schema).strata_changes") == ["it's \\ me"])
    }

    @Test("A transaction that commits later than one that was begun after it is reported all the same")
    func order() throws {
        let follower = try Follower(scratch, model)
        let root = try #require(model.entity(named: "Person"))
        let store = try follower.store()
        let early = try scratch.connection()
        // As a save does it, in steps.
        try scratch.run(
            """
            BEGIN; INSERT INTO \(scratch.schema).person (_id, _entity, _version) SELECT 501, number, 1 \
            FROM \(scratch.schema).strata_entities WHERE name = 'Person'; \
            INSERT INTO \(scratch.schema).strata_changes (writer, save, kind, relation, refs) VALUES ('w', 's', 'insert', 'person', '{501}')
            """, on: early)
        try insert(writer(), "late")
        #expect(follower.all(1) == ["+1"])
        try scratch.run("COMMIT", on: early)
        #expect(follower.all(1) == ["+501"])
        #expect(try store.row(root: root.index, reference: 501) != nil)
    }

    @Test("A listener that lost its connection gets what it missed afterwards")
    func lostListener() throws {
        let follower = try Follower(scratch, model)
        let context = try writer()
        try insert(context, "a")
        #expect(follower.all(1) == ["+1"])
        let listener = try #require(try follower.store().feed.listener.session)
        try scratch.run("SELECT pg_terminate_backend(\(listener.process), 5000)")
        let person = try insert(context, "b")
        #expect(follower.all(1) == ["+\(person.objectID.reference)"])
    }

    @Test("A listener that was away for longer than the log reaches back reads everything, and gets what it missed")
    func pruned() throws {
        let follower = try Follower(scratch, model)
        let context = try writer()
        let first = try insert(context, "a")
        #expect(follower.all(1) == ["+1"])
        let position = try follower.store().read { try ($0 as? any LoggedReader)?.logPosition() }
        try first.setValue("b", forKey: "name")
        try context.save()
        let known = try #require(position)
        func changes() throws -> LoggedChanges? { try follower.store().read { try ($0 as? any LoggedReader)?.changes(since: known) } }
        let root = try #require(model.entity(named: "Person")).index
        #expect(try changes()?.rows == [root: .some([1])])
        #expect(follower.all(1) == ["1 name"])
        // As many entries as are kept.
        try scratch.run(
            """
            INSERT INTO \(scratch.schema).strata_changes (writer, save, kind, relation) \
            SELECT '', '', 'insert', 'nothing' FROM generate_series(0, \(ChangeTable.mostRows))
            """)
        try scratch.connection().run(ChangeTable(schema: scratch.schema).pruning, .save)
        #expect(try changes() == nil)
        #expect(try scratch.run("SELECT count(*) <= \(ChangeTable.mostRows + 2) FROM \(scratch.schema).strata_changes") == ["t"])
        let person = try insert(context, "c")
        #expect(follower.all(1) == ["+\(person.objectID.reference)"])
    }

    @Test("Without a listener there are no events, and no notifications")
    func silence() throws {
        let context = try writer()
        let listener = try scratch.connection()
        let id = try scratch.description.driver.metadata(at: scratch.location).storeID
        try scratch.run("LISTEN \"strata_\(id.rawValue.prefix(40))\"", on: listener)
        try insert(context, "a")
        try scratch.run("SELECT 1", on: listener)
        #expect(!listener.takeNotifications())
    }

    @Test("Another process is notified of this one's saves")
    func processes() throws {
        let url = try PostgreSQLServer.shared.get().url
        let child = try ChildProcess("StrataPostgreSQLWorker", ["observe", url, scratch.schema])
        #expect(try child.nextLine() == "ready")
        let writers = try ["x", "y"].map { try ChildProcess("StrataPostgreSQLWorker", ["save", url, scratch.schema, $0]) }
        var heard: Set<String> = []
        for _ in 0..<20 { heard.insert(try child.nextLine() ?? "ended") }
        for writer in writers { writer.kill() }
        // The last transaction of a killed writer may be committed at any time until its session ends.
        func saved() throws -> Set<String> { Set(try scratch.run("SELECT 'heard ' || name FROM \(scratch.schema).item")) }
        let expected = try saved()
        while !heard.isSuperset(of: expected), let line = try child.nextLine() { heard.insert(line) }
        #expect(heard.isSuperset(of: expected))
        #expect(heard.isSubset(of: try saved()))
    }
}
