import FoundationEssentials
import Strata
import StrataPlatform
import StrataTestSupport

/// One of several processes over the same stores.
struct SharedLedgerSession {
    private var site: LedgerSite

    init(_ site: LedgerSite) {
        self.site = site
        // Others take their turns.
        self.site.timeout = waitLimit / .seconds(1)
    }

    /// Adds entries until it is killed, and writes `saved <number>` for each.
    func write(_ writer: Int) throws {
        var next = 0
        while true {
            do {
                let coordinator = try site.open()
                defer { LedgerSite.close(coordinator) }
                next = try ledger(coordinator).count(ofWriter: writer) + 1
                Pipe.write("open \(next - 1)")
                while true {
                    let ledger = ledger(coordinator)
                    do {
                        try ledger.add(next, ofWriter: writer)
                        try ledger.context.save()
                        Pipe.write("saved \(next)")
                        next += 1
                    } catch {
                        guard isContention(error) else { throw error }
                        if needsReopening(error) { break }
                    }
                }
            } catch {
                // What others do makes a save wait or fail as a conflict; anything else is wrong.
                guard isContention(error) else {
                    Pipe.write("violation writer \(writer): \(WorkerCommands.describe(error))")
                    return
                }
            }
        }
    }

    /// Reads everything again and again until it is killed, and writes `read` for each time.
    func read(writers: Int) throws {
        while true {
            do {
                let coordinator = try site.open()
                defer { LedgerSite.close(coordinator) }
                for _ in 0..<20 {
                    // One state of each store.
                    try coordinator.withSnapshot { _ = try ledger(coordinator).verifiedCounts(ofWriters: writers, isQuiet: false) }
                    Pipe.write("read")
                }
            } catch {
                guard isContention(error) else {
                    Pipe.write("violation reader: \(WorkerCommands.describe(error))")
                    return
                }
            }
        }
    }

    /// Checks everything once nobody writes any more, and writes `counts <number> …` and `sound`, or `violation <text>`.
    func verify(writers: Int) {
        do {
            let coordinator = try site.open()
            defer { LedgerSite.close(coordinator) }
            let ledger = ledger(coordinator)
            let counts = try ledger.verifiedCounts(ofWriters: writers, isQuiet: true)
            Pipe.write("counts \(counts.map { "\($0)" }.joined(separator: " "))")
            for store in coordinator.stores {
                let problems = try coordinator.verify(store)
                guard problems.isEmpty else { throw Violation("\(problems.prefix(3))") }
            }
            let files = try LedgerVerification.valueFiles(site)
            let expected = try ledger.fileCounts()
            guard expected.contains(files.count) else { throw Violation("\(files.count) files of large values, not \(expected)") }
            Pipe.write("sound")
        } catch {
            Pipe.write("violation \(WorkerCommands.describe(error))")
        }
    }

    private func ledger(_ coordinator: PersistentStoreCoordinator) -> SharedLedger {
        SharedLedger(context: ManagedObjectContext(coordinator), parts: site.parts)
    }

    private func isContention(_ error: any Error) -> Bool {
        if error is SaveConflictError { return true }
        guard let error = error as? StoreError else { return false }
        return error.code == .conflict || error.code == .locked || error.code == .closed || error.recovery == .reopen
    }

    private func needsReopening(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return error.recovery == .reopen || error.code == .closed
    }
}
