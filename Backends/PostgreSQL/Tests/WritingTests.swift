import Strata
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: transactions of several writers, and lost connections", .server, .timeLimit(.minutes(60)))
struct WritingTests {
    let scratch: Scratch
    let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
    }

    private func open(timeout: Double = 600) throws -> any StoreBackend {
        var description = scratch.description
        description.options.timeout = timeout
        return try openStore(description, model: model)
    }

    private func person(_ reference: Int64, _ email: String?, version: UInt32 = 1) throws -> Row {
        let entity = try #require(model.entity(named: "Person"))
        var writer = RowWriter()
        writer.begin(entity, reference: reference, version: version)
        let attribute = try #require(entity.attribute(named: "email"))
        if let email { writer.set(.string(email), at: try #require(attribute.slot), .string) }
        return writer.finish()
    }

    private func insert(_ rows: [Row], _ store: any StoreBackend) throws {
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = rows
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
    }

    @Test("Of two transactions that delete one row, the later one fails to serialize, and finds the row deleted when it is repeated")
    func rows() throws {
        let (first, second) = (try open(), try open())
        try insert([person(1, "a")], first)
        var changes = ChangeSet()
        let root = try #require(model.entity(named: "Person")).index
        changes.deleted = [RowDeletion(entity: root, reference: 1, expectedVersion: 1)]
        let late = try second.beginWrite()
        _ = try late.metadata()
        let early = try first.beginWrite()
        #expect(try early.apply(changes).isEmpty)
        try early.commit()
        try expectError(.serializationFailure) { _ = try late.apply(changes) }
        late.rollback()
        let again = try second.beginWrite()
        let conflict = try #require(try again.apply(changes).first)
        guard case .deleted = conflict.reason else { return #expect(Bool(false), "\(conflict)") }
    }

    @Test("Of many rows that are deleted, those of another version and deleted ones are conflicts", arguments: [1, 2] as [UInt32])
    func many(versions: UInt32) throws {
        let store = try open()
        let rows = try (1...40).map { try person($0, nil, version: UInt32($0) % versions + 1) }
        try insert(rows, store)
        let root = try #require(model.entity(named: "Person")).index
        var changes = ChangeSet()
        changes.deleted = rows.map { row in
            RowDeletion(entity: root, reference: row.reference, expectedVersion: row.version + (row.reference == 8 ? 5 : 0))
        }
        changes.deleted.append(RowDeletion(entity: root, reference: 99, expectedVersion: 1))
        let transaction = try store.beginWrite()
        let conflicts = try transaction.apply(changes)
        transaction.rollback()
        #expect(conflicts.map(\.reference) == [8, 99])
        guard case .changed(let row)? = conflicts.first?.reason, case .deleted? = conflicts.last?.reason else {
            return #expect(Bool(false), "\(conflicts)")
        }
        #expect(row.version == rows[7].version)
    }

    @Test("A value that another transaction took meanwhile is no second one: the save is repeated, and meets the constraint")
    func constraints() throws {
        let (first, second) = (try open(), try open())
        var changes = ChangeSet()
        let late = try second.beginWrite()
        // Takes the snapshot.
        _ = try late.metadata()
        changes.inserted = [try person(11, "same")]
        try insert([person(12, "same")], first)
        try expectError(.serializationFailure) {
            _ = try late.apply(changes)
            try late.prepare()
            try late.commit()
        }
        late.rollback()
        let again = try second.beginWrite()
        let conflict = try #require(try again.apply(changes).first)
        guard case .constraint(let names, let other) = conflict.reason else { return #expect(Bool(false), "\(conflict)") }
        #expect(names == ["email"])
        #expect(other == 12)
    }

    @Test("Within one save objects exchange the values that a constraint keeps unique")
    func exchange() throws {
        let store = try open()
        try insert([person(1, "a"), person(2, "b")], store)
        let slot = try #require(model.entity(named: "Person")?.attribute(named: "email")?.slot)
        var changes = ChangeSet()
        changes.updated = [
            RowUpdate(row: try person(1, "b", version: 2), changedSlots: [slot]),
            RowUpdate(row: try person(2, "a", version: 2), changedSlots: [slot]),
        ]
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.prepare()
        try transaction.commit()
        #expect(try scratch.run("SELECT email FROM \(scratch.schema).person ORDER BY _id") == ["b", "a"])
    }

    @Test("A row that another client has locked for longer than the time-out is locked")
    func locks() throws {
        let store = try open(timeout: 0.2)
        try insert([person(1, "a")], store)
        let other = try scratch.connection()
        try scratch.run("BEGIN; SELECT 1 FROM \(scratch.schema).person FOR UPDATE", on: other)
        let root = try #require(model.entity(named: "Person")).index
        var changes = ChangeSet()
        changes.deleted = [RowDeletion(entity: root, reference: 1, expectedVersion: 1)]
        let transaction = try store.beginWrite()
        let error = try expectError(.locked) { _ = try transaction.apply(changes) }
        #expect(error.recovery == .retryable)
    }

    @Test("Connections that the server ended are replaced, and a transaction that lost its own has changed nothing")
    func lostConnections() throws {
        let store = try open()
        try insert([person(1, "a")], store)
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try person(2, "b")]
        #expect(try transaction.apply(changes).isEmpty)
        let others = "application_name = 'Strata' AND pid <> pg_backend_pid() AND query LIKE '%\(scratch.schema)%'"
        try scratch.run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE \(others)")
        let error = try #require(throws: StoreError.self) { try transaction.commit() }
        #expect(error.code == .io)
        transaction.rollback()
        let root = try #require(model.entity(named: "Person")).index
        #expect(try store.read { try $0.rows(root: root, references: [1, 2]) }.map(\.reference) == [1])
    }

    @Test("A prepared save is invisible, survives its process, and is completed by the next one")
    func prepared() throws {
        var store: (any PreparingStore)? = try #require(try open() as? any PreparingStore)
        let save = PreparedSave(id: "test-\(scratch.schema)", decidingStoreID: StoreID("home"), decidingStore: .file("/tmp/home"))
        do {
            let transaction = try #require(try store?.beginWrite() as? any PreparingTransaction)
            var changes = ChangeSet()
            changes.inserted = [try person(1, "a")]
            #expect(try transaction.apply(changes).isEmpty)
            try transaction.prepare(as: save)
        }
        let next = try #require(try open() as? any PreparingStore)
        #expect(try next.preparedSaves().isEmpty)
        try store?.close()
        store = nil
        // The server learns a little later that a connection was closed.
        for _ in 0..<60_000 {
            guard try next.preparedSaves().isEmpty else { break }
            usleep(10_000)
        }
        #expect(try next.preparedSaves() == [save])
        let root = try #require(model.entity(named: "Person")).index
        #expect(try next.row(root: root, reference: 1) == nil)
        try next.commitPrepared(save.id)
        #expect(try next.row(root: root, reference: 1) != nil)
        #expect(try next.preparedSaves().isEmpty)
        try next.commitPrepared(save.id)
    }

    @Test("A save that a killed process left prepared is ended by the process that it blocks")
    func leftPrepared() throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = scratch.description
        description.options.timeout = 0.3
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        let person = try context.insert("Person")
        try context.save()
        let home = try Scratch()
        let homeStore = try openStore(home.description, model: model)
        do {
            let store = try #require(try open() as? any PreparingStore)
            let transaction = try #require(try store.beginWrite() as? any PreparingTransaction)
            var changes = ChangeSet()
            changes.deleted = [
                RowDeletion(entity: person.objectID.entity.index, reference: person.objectID.reference, expectedVersion: 1)
            ]
            #expect(try transaction.apply(changes).isEmpty)
            try transaction.prepare(
                as: PreparedSave(id: "left-\(scratch.schema)", decidingStoreID: homeStore.id, decidingStore: home.location))
            try store.close()
        }
        let isWorkedOn = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 1400140642 AND mode = 'ExclusiveLock'"
        for _ in 0..<60_000 {
            guard try !scratch.run(isWorkedOn).isEmpty else { break }
            usleep(10_000)
        }
        try person.setValue("Anna", forKey: "name")
        try context.save()
        #expect(try scratch.run("SELECT name FROM \(scratch.schema).person") == ["Anna"])
        #expect(try scratch.run("SELECT gid FROM pg_prepared_xacts WHERE gid LIKE '%\(scratch.schema)%'") == [])
    }

    // The coordinator was killed when the server had its commit already: who came next found no decision, and took the others back.
    @Test("Who asks what a store decided waits for a commit that is under way")
    func deciding() throws {
        let store = try #require(try open() as? any PreparingStore)
        func save(_ name: String) -> PreparedSave {
            PreparedSave(id: "\(name)-\(scratch.schema)", decidingStoreID: store.id, decidingStore: scratch.location)
        }
        let driver = PostgreSQLDriver()
        for isCommitted in [true, false] {
            let asked = save("\(isCommitted)")
            let transaction = try #require(try store.beginWrite() as? any PreparingTransaction)
            var changes = ChangeSet()
            changes.inserted = [try person(isCommitted ? 1 : 2, "a\(isCommitted)")]
            #expect(try transaction.apply(changes).isEmpty)
            try transaction.decide(asked.id)
            let answer = apart { try driver.hasDecided(asked) }
            let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted AND pid IN (SELECT pid FROM "
            let asking = "pg_stat_activity WHERE query LIKE '%\(scratch.schema)%strata_prepared%')"
            while try scratch.run(waiting + asking) == ["0"] { usleep(5_000) }
            if isCommitted { try transaction.commit() } else { transaction.rollback() }
            #expect(try answer() == isCommitted)
        }
        #expect(try driver.hasDecided(save("true")))
        #expect(try !driver.hasDecided(save("other")))
        store.forgetDecision(save("true").id)
        while try scratch.run("SELECT id FROM \(scratch.schema).strata_prepared") != [] { usleep(5_000) }
        let other = PreparedSave(id: "any", decidingStoreID: StoreID("another"), decidingStore: scratch.location)
        try expectError(.replaced) { _ = try driver.hasDecided(other) }
    }

    // Each changed the row of the metadata, so that of two at once one failed to serialize.
    @Test("Saves over several stores that one decides take effect at once")
    func decidingSeveral() throws {
        let store = try open()
        let transactions = try (1...4).map { number in
            let transaction = try #require(try store.beginWrite() as? any PreparingTransaction)
            try transaction.decide("save \(number)")
            return transaction
        }
        for (number, transaction) in transactions.enumerated() {
            var changes = ChangeSet()
            changes.inserted = [try person(Int64(number) + 1, "p\(number)")]
            #expect(try transaction.apply(changes).isEmpty)
        }
        for transaction in transactions { try transaction.commit() }
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).person") == ["4"])
    }

    // Of two processes that saved after a crash one got references that the other had: the sequence had gone back.
    @Test("References that a server gave out shortly before it crashed are given out once")
    func crashedSequence() throws {
        let server = try PostgreSQLServer(settings: ["wal_writer_delay = 10s"])
        let scratch = try Scratch(on: server)
        let model = try Sample.model()
        let stores = try (0..<2).map { _ in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.addStore(scratch.description)
            return (coordinator, try #require(coordinator.stores.first).backend)
        }
        let transaction = try stores[0].1.beginWrite()
        let root = try #require(model.entity(named: "Pet")).root
        _ = try transaction.reserveReferences(1, root: root)
        try server.crash()
        try server.start()
        transaction.rollback()
        for (coordinator, _) in stores + stores {
            let context = ManagedObjectContext(coordinator)
            for _ in 0..<3 { try context.insert("Pet") }
            try context.save()
        }
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet") == ["12"])
    }

    // Where commits do not wait for the disk, the sequence had gone back: another process saved an object under an ID that was told before.
    @Test(
        "Permanent IDs that were assigned before the server crashed are not assigned again",
        arguments: [StoreOptions.Durability.full, .relaxed])
    func crashedPermanentIDs(_ durability: StoreOptions.Durability) throws {
        let server = try PostgreSQLServer(settings: ["wal_writer_delay = 10s"])
        let scratch = try Scratch(on: server)
        let model = try Sample.model()
        var description = scratch.description
        description.options.durability = durability
        let contexts = try (0..<2).map { _ in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.addStore(description)
            return ManagedObjectContext(coordinator)
        }
        try scratch.run("CHECKPOINT")
        let early = try (0..<3).map { _ in try contexts[0].insert("Pet") }
        try contexts[0].obtainPermanentIDs(for: early)
        let ids = early.map(\.objectID)
        try server.crash()
        try server.start()
        for context in contexts.reversed() {
            for _ in 0..<3 { try context.insert("Pet") }
            try context.save()
        }
        #expect(early.map(\.objectID) == ids)
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet") == ["9"])
    }
}
