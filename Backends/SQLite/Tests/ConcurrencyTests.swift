import Dispatch
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import Synchronization
import Testing

@Suite("Several threads", .timeLimit(.minutes(60)))
struct ConcurrencyTests {
    @Test("Every read sees one state while others write, through two openings of the store")
    func bank() throws {
        let model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
        let account = model.entities[0]
        let slot = try #require(account.attribute(named: "balance")?.slot)
        let sandbox = try Sandbox()
        let stores = [try open(sandbox.path(), model), try open(sandbox.path(), model)]
        var changes = ChangeSet()
        for reference in 1...10 { changes.inserted.append(try row(model, "Account", Int64(reference), ["balance": 100])) }
        #expect(try stores[0].save(changes).isEmpty)

        let failures = Mutex<[String]>([])
        let committed = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let store = stores[thread % 2]
            for round in 0..<40 {
                do {
                    if thread < 4 {
                        let rows = try store.fetch(FetchPlan(account))
                        let sum = rows.reduce(0) { $0 + ($1.integer(slot) ?? 0) }
                        if sum != 1000 || rows.count != 10 { failures.withLock { $0.append("sum \(sum) of \(rows.count)") } }
                        continue
                    }
                    let (from, to) = (Int64(round % 10 + 1), Int64((round * 7 + thread) % 10 + 1))
                    if from == to { continue }
                    let transaction = try store.beginWrite()
                    let rows = try store.read { try $0.rows(root: 0, references: [from, to]) }
                    var changes = ChangeSet()
                    for found in rows {
                        let balance = (found.integer(slot) ?? 0) + (found.reference == from ? -1 : 1)
                        let changed = try row(model, "Account", found.reference, ["balance": .int(balance)], version: found.version + 1)
                        changes.updated.append(RowUpdate(row: changed, changedSlots: [slot]))
                    }
                    if try transaction.apply(changes).isEmpty {
                        try transaction.commit()
                        committed.withLock { $0 += 1 }
                    } else {
                        failures.withLock { $0.append("a conflict within a turn") }
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let versions = try stores[0].fetch(FetchPlan(account)).reduce(0) { $0 + Int($1.version) - 1 }
        #expect(committed.withLock { $0 } > 100)
        #expect(versions == 2 * committed.withLock { $0 })
        for store in stores { try store.close() }
    }

    // Room that was made ahead by a checkpoint, without the lock for writing, could have been made over what another connection appended.
    @Test("No commits are overwritten while other connections checkpoint the log", arguments: ["FULL", "NORMAL"])
    func room(synchronous: String) throws {
        let model = try ManagedObjectModel(entities: [Entity("Note") { Attribute("text", .string) }])
        let root = model.entities[0].root
        let sandbox = try Sandbox()
        let pragmas = ["synchronous": synchronous, "wal_autocheckpoint": "7"]
        let stores = try (0..<3).map { _ in try open(sandbox.path(), model, pragmas: pragmas) }
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: stores.count) { thread in
            for round in 0..<150 {
                do {
                    let transaction = try stores[thread].beginWrite()
                    let reference = try transaction.reserveReferences(1, root: root)
                    var changes = ChangeSet()
                    let text = String(repeating: "x", count: round % 5 == 0 ? 20_000 : 10)
                    changes.inserted = [try row(model, "Note", reference, ["text": .string(text)])]
                    if try !transaction.apply(changes).isEmpty { failures.withLock { $0.append("reference \(reference) was given twice") } }
                    if round % 6 == 5 { transaction.rollback() } else { try transaction.commit() }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try stores[0].fetch(FetchPlan(model.entities[0])).count == 3 * 125)
        #expect(try raw(sandbox.path(), "PRAGMA integrity_check") == [["ok"]])
        for store in stores { try store.close() }
    }
}
