import Foundation
import Strata
import StrataCoordinator
import StrataCrashWorker
import StrataTestRandom
import StrataTestSupport
import Synchronization
import Testing

/// Eight writers save while everything is backed up: a sample of what a backup in production meets, and in a soak its size.
@Suite("A backup beside eight writers", .timeLimit(.minutes(60)))
struct BackupDrillTests {
    private static let writers = 8

    /// The saves of each writer that were acknowledged.
    private final class Ledger: Sendable {
        let counts = Mutex(Array(repeating: 0, count: BackupDrillTests.writers))
        let mustEnd = Atomic(false)
        var all: [Int] { counts.withLock { $0 } }
        var total: Int { all.reduce(0, +) }
    }

    @Test(
        "has every save that was acknowledged before it, whole",
        arguments: [[.sqlite], [.lmdb], [.sqlite, .lmdb], [.binary], [.xml], [.sqlite, .lmdb, .binary, .xml]] as [[Accounts.Kind]])
    func drill(_ kinds: [Accounts.Kind]) throws {
        let directory = try TemporaryDirectory("strata-drill")
        // Stores that are loaded as a whole are for fewer objects.
        let count =
            kinds.contains(.binary) || kinds.contains(.xml) ? RunSeed.trials(300, soak: 20_000) : RunSeed.trials(5_000, soak: 1_000_000)
        let accounts = Accounts(directory: directory.path, kinds: kinds)
        let target = directory.file("backup")
        try accounts.open { context in
            let coordinator = try #require(context.coordinator as? PersistentStoreCoordinator)
            for kind in kinds {
                let objects = (0..<count).lazy.map { ["amount": Value.int(Int64(-$0))] }
                _ = try coordinator.execute(BatchInsertRequest(entityName: "Account_\(kind)", objects: objects))
            }
            let ledger = Ledger()
            let ended = DispatchGroup()
            for writer in 0..<BackupDrillTests.writers {
                Thread.detachNewThread(in: ended) {
                    let context = ManagedObjectContext(coordinator)
                    var number = 0
                    while !ledger.mustEnd.load(ordering: .relaxed) {
                        number += 1
                        do {
                            for kind in kinds {
                                let account = try context.insert("Account_\(kind)")
                                try account.setValue(writer * 1_000_000 + number, forKey: "amount")
                            }
                            try context.save()
                        } catch {
                            Issue.record(error)
                            return
                        }
                        ledger.counts.withLock { $0[writer] = number }
                    }
                }
            }
            // The speed of the writers alone and beside backups, alternately: the machine may have other work.
            var (alone, beside) = (Speed(), Speed())
            for _ in 0..<RunSeed.trials(2, soak: 6) {
                alone.add(ledger) { usleep(RunSeed.isSoak ? 5_000_000 : 100_000) }
                let before = ledger.all
                var backup: StoreBackup?
                try beside.add(ledger) { backup = try coordinator.backUp(to: target) }
                let found = try written(#require(backup), accounts, count)
                #expect(Set(found).count == 1, "a save is in some copies only: \(found)")
                for (writer, saves) in found[0].enumerated() { #expect(saves >= before[writer]) }
            }
            ledger.mustEnd.store(true, ordering: .relaxed)
            ended.wait()
            if RunSeed.isSoak { print("\(kinds) \(count) objects: \(alone), beside backups \(beside): \(beside.value / alone.value)") }
            #expect(ledger.all.allSatisfy { $0 > 0 })
        }
    }

    /// The saves in a second while something else runs.
    private struct Speed: CustomStringConvertible {
        private var (saves, seconds) = (0, 0.0)
        var value: Double { Double(saves) / max(0.001, seconds) }
        var description: String { "\(saves) saves in \(Int(seconds)) s" }

        mutating func add(_ ledger: Ledger, _ body: () throws -> Void) rethrows {
            let (before, start) = (ledger.total, ContinuousClock.now)
            try body()
            saves += ledger.total - before
            seconds += (ContinuousClock.now - start) / .seconds(1)
        }
    }

    /// The saves of each writer in each copy, which are without gaps.
    private func written(_ backup: StoreBackup, _ accounts: Accounts, _ count: Int) throws -> [[Int]] {
        let coordinator = PersistentStoreCoordinator(model: try Accounts.model.get())
        defer { for store in coordinator.stores { try? coordinator.remove(store) } }
        for kind in accounts.kinds {
            var description = accounts.description(kind)
            description.path = try #require(backup.stores.first { $0.configuration == kind.rawValue }).path
            description.isReadOnly = true
            try coordinator.addStore(description)
        }
        let context = ManagedObjectContext(coordinator)
        return try accounts.kinds.map { kind in
            let old = ObjectFetchRequest<ManagedObject>(entityName: "Account_\(kind)", key("amount") <= 0)
            #expect(try context.count(for: old) == count)
            return try (0..<BackupDrillTests.writers).map { writer in
                let first = writer * 1_000_000
                let request = ObjectFetchRequest<ManagedObject>(
                    entityName: "Account_\(kind)", key("amount") > first && key("amount") < first + 1_000_000)
                let found = try context.fetchDictionaries(request.fetching("amount")).compactMap { $0["amount"].flatMap { Int(value: $0) } }
                #expect(found.sorted() == Array(first + 1..<first + 1 + found.count))
                return found.count
            }
        }
    }
}

extension Thread {
    fileprivate static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }
}
