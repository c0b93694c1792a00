import Strata

/// Opens the stores and saves one generation after the other, in an application's way: what fails is tried again, where the error says so
/// after the stores were opened anew, and given up in the end.
///
/// It writes `open <generation>`, `saved <generation>`, and for what failed `failed <generation> <phase> <code> <recovery> <text>`; after a
/// save that failed for certain, `still <generation>` with what the stores hold now. `gaveup` ends a session that did not reach its aim.
struct LedgerSession {
    private let site: LedgerSite
    private var attemptsLeft = 8

    init(_ site: LedgerSite) { self.site = site }

    func run(upTo last: Int) {
        var session = self
        session.continue(upTo: last)
    }

    private mutating func `continue`(upTo last: Int) {
        while attemptsLeft > 0 {
            do {
                let coordinator = try site.open()
                defer { LedgerSite.close(coordinator) }
                let generation = try site.reader(coordinator).generation()
                report("open \(generation)")
                if generation >= last { return }
                save(from: generation, upTo: last, coordinator)
            } catch {
                failed(0, "open", error)
            }
        }
        report("gaveup")
    }

    /// Saves until the stores have to be opened again: after an unclear failure, and once for good measure.
    private mutating func save(from first: Int, upTo last: Int, _ coordinator: PersistentStoreCoordinator) {
        var ledger = site.ledger(coordinator)
        var generation = first
        var isChanged = false
        while generation < last && attemptsLeft > 0 {
            var phase = "change"
            do {
                if !isChanged { try ledger.change(to: generation + 1) }
                isChanged = true
                phase = "save"
                try ledger.context.save()
                generation += 1
                report("saved \(generation)")
                isChanged = false
                if generation == 3 && first < 3 { return }
                // Contexts that know the objects already and contexts that do not take turns.
                if generation % 2 == 0 { ledger = site.ledger(coordinator) }
            } catch {
                failed(generation + 1, phase, error)
                if isUnclear(error) { return }
                if phase == "save", let found = try? site.reader(coordinator).generation() { report("still \(found)") }
                // A failed save leaves the changes in their context, to be saved once more.
                if phase == "change" || attemptsLeft % 2 == 0 {
                    ledger = site.ledger(coordinator)
                    isChanged = false
                }
            }
        }
    }

    private mutating func failed(_ generation: Int, _ phase: String, _ error: any Error) {
        attemptsLeft -= 1
        report("failed \(generation) \(phase) \(WorkerCommands.describe(error))")
    }

    private func isUnclear(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return error.recovery == .reopen || error.code == .closed
    }

    /// Reports to the parent, and to a recording.
    private func report(_ line: String) {
        Pipe.write(line)
        Shim.mark(line)
    }
}
