import Dispatch
import Strata
import StrataModel
import StrataPlatform
import StrataQuery
import StrataSQL
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: reads that a replica answers", .server, .timeLimit(.minutes(60)), .serialized)
struct ReplicaTests {
    let primary: PostgreSQLServer
    let secondary: PostgreSQLServer
    let scratch: Scratch
    /// What the secondary says.
    let standby: Scratch
    let coordinator: PersistentStoreCoordinator
    private let people = ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("name")])

    init() throws {
        primary = try PostgreSQLServer(settings: ["wal_level = replica", "max_wal_senders = 4"])
        scratch = try Scratch(on: primary)
        let model = try Sample.model()
        let first = PersistentStoreCoordinator(model: model)
        try first.addStore(scratch.description)
        secondary = try primary.standby()
        standby = try Scratch(scratch.schema, on: secondary)
        coordinator = PersistentStoreCoordinator(model: model)
        var description = StoreDescription.postgreSQL(scratch.url, schema: scratch.schema, replica: secondary.url)
        description.options.postsRemoteChanges = true
        try coordinator.addStore(description)
        try save("a", through: first)
    }

    private func save(_ name: String, through coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        try context.insert("Person").setValue(name, forKey: "name")
        try context.save()
    }

    private func saveElsewhere(_ name: String) throws {
        let other = PersistentStoreCoordinator(model: coordinator.model)
        try other.addStore(scratch.description)
        try save(name, through: other)
    }

    private func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(people).compactMap { try $0.value(forKey: "name") as? String }
    }

    private func reader() -> ManagedObjectContext {
        let context = ManagedObjectContext(coordinator)
        context.readsFromReplicas = true
        return context
    }

    /// Waits until the replica has all that the primary has.
    private func catchUp() throws {
        let written = try scratch.run("SELECT pg_current_wal_flush_lsn()")[0]
        while try standby.run("SELECT pg_last_wal_replay_lsn() >= '\(written)'") != ["t"] { usleep(10_000) }
    }

    /// Waits until the replica applies nothing more: `pg_wal_replay_pause` only requests that.
    private func pauseReplay() throws {
        try standby.run("SELECT pg_wal_replay_pause()")
        while try standby.run("SELECT pg_get_wal_replay_pause_state()") != ["paused"] { usleep(10_000) }
    }

    @Test("Health shows whether the replica answers, and the bytes that it lags behind when it was asked last")
    func health() throws {
        func replica() throws -> StoreCondition.Replica { try #require(coordinator.health.first?.condition.replica) }
        #expect(try replica().lagBytes == nil)
        try catchUp()
        let reader = reader()
        #expect(try names(reader) == ["a"])
        #expect(try replica() == StoreCondition.Replica(isAnswering: true, lagBytes: 0))
        try pauseReplay()
        try save("b", through: coordinator)
        #expect(try names(reader).count == 2)
        let behind = try replica()
        #expect(!behind.isAnswering)
        let lag = try #require(behind.lagBytes)
        #expect(lag > 0)
        #expect(coordinator.health.first?.condition.pools.map(\.name) == ["connections", "replica"])
    }

    @Test("A replica answers those who allow it, with what it has; who saved through the store, or heard of a save, finds that in any case")
    func reading() throws {
        try catchUp()
        let reader = reader()
        // The store is notified of the first save later, and from then on needs a snapshot of the replica that is as late.
        while try reader.explain(people).stores.map(\.plan.isOfReplica) != [true] { usleep(10_000) }
        #expect(try names(reader) == ["a"])
        #expect(try ManagedObjectContext(coordinator).explain(people).stores.map(\.plan.isOfReplica) == [false])
        try pauseReplay()
        let heard = DispatchSemaphore(value: 0)
        let subscription = coordinator.observeSaves { event in if event.isRemote { heard.signal() } }
        try saveElsewhere("b")
        #expect(try names(ManagedObjectContext(coordinator)) == ["a", "b"])
        #expect(heard.wait(timeout: .now() + 600) == .success)
        #expect(try names(reader) == ["a", "b"])
        try save("c", through: coordinator)
        #expect(try names(reader) == ["a", "b", "c"])
        #expect(try reader.explain(people).stores.map(\.plan.isOfReplica) == [false])
        let own = try reader.fetch(people)[0]
        try own.setValue(7, forKey: "age")
        try reader.save()
        reader.refreshAllObjects()
        #expect(try own.value(forKey: "age") as? Int == 7)
        try reader.execute(BatchUpdateRequest(entityName: "Person", set: ["age": Value.int(8)]))
        #expect(try names(reader) == ["a", "b", "c"])
        #expect(try own.value(forKey: "age") as? Int == 8)
        try standby.run("SELECT pg_wal_replay_resume()")
        withExtendedLifetime(subscription) {}
    }

    @Test("A change without a notification may reach a replica's readers late, and only these")
    func staleness() throws {
        let unaware = PersistentStoreCoordinator(model: coordinator.model)
        try unaware.addStore(.postgreSQL(scratch.url, schema: scratch.schema, replica: secondary.url))
        let reader = ManagedObjectContext(unaware)
        reader.readsFromReplicas = true
        try catchUp()
        #expect(try names(reader) == ["a"])
        // A replica ends what is in the way of its replay.
        let store = try #require(unaware.stores.first?.backend as? PostgreSQLStore)
        func scopeOnReplica() throws -> ReadScope {
            while true {
                let scope = StoreReading.$allowsReplicas.withValue(true) { ReadScope(store) }
                try scope.begin()
                if scope.isOnReplica { return scope }
                scope.end(isWhole: false)
                usleep(10_000)
            }
        }
        let scope = try scopeOnReplica()
        try expectError(.io, message: "the replica ended the read") {
            try scope.execute(SQLText(verbatim: "DO $$ BEGIN RAISE serialization_failure; END $$"), .fetch)
        }
        scope.end(isWhole: false)
        try pauseReplay()
        try saveElsewhere("b")
        #expect(try names(reader) == ["a"])
        let child = ManagedObjectContext(parent: reader)
        #expect(child.readsFromReplicas)
        #expect(try names(ManagedObjectContext(unaware)) == ["a", "b"])
        // What a save meets is on the primary.
        try scratch.run("UPDATE \(scratch.schema).person SET age = 3, _version = _version + 1 WHERE name = 'a'")
        reader.mergePolicy = .mergeByPropertyObjectTrump
        let own = try reader.fetch(people)[0]
        try own.setValue(1.5, forKey: "height")
        try reader.save()
        #expect(try scratch.run("SELECT age || ' ' || height FROM \(scratch.schema).person WHERE name = 'a'") == ["3 1.5"])
        #expect(try names(reader) == ["a", "b"])
        try standby.run("SELECT pg_wal_replay_resume()")
        try reader.setQueryGenerationFrom(.current)
        try saveElsewhere("c")
        #expect(try names(reader) == ["a", "b", "c"])
        try reader.setQueryGenerationFrom(nil)
        reader.readsFromReplicas = false
        #expect(try names(reader) == ["a", "b", "c"])
    }

    @Test("Where the replica is away, or is none, the primary answers")
    func unavailable() throws {
        let reader = reader()
        try secondary.crash()
        #expect(try names(reader) == ["a"])
        try saveElsewhere("b")
        #expect(try names(reader) == ["a", "b"])
        let alone = PersistentStoreCoordinator(model: coordinator.model)
        try alone.addStore(.postgreSQL(scratch.url, schema: scratch.schema, replica: scratch.url))
        let context = ManagedObjectContext(alone)
        context.readsFromReplicas = true
        #expect(try names(context) == ["a", "b"])
    }
}
