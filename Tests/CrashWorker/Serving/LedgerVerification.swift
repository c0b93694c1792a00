import FoundationEssentials
import Strata

/// Opens the stores, checks everything in them, saves twice more, and checks again: also what is left beside the stores.
///
/// It writes `found <generation>`, and then `sound`; or `violation <text>`, `unsound <text>` where a store says so of itself, or `refused <code> <recovery> <text>` where the stores cannot be
/// opened or read.
struct LedgerVerification {
    private let site: LedgerSite

    init(_ site: LedgerSite) { self.site = site }

    func run() {
        reportingFailures {
            let generation = try verified()
            Pipe.write("found \(generation)")
            try checkLeftovers()
            try save(from: generation, count: 2)
            let later = try verified()
            guard later == generation + 2 else { throw Violation("two saves after \(generation) lead to \(later)") }
            try checkLeftovers()
            try checkFileCount(at: later)
        }
    }

    /// Opens the stores, and checks each by itself: what a loss of power leaves where durability is relaxed.
    ///
    /// It writes `found` and the generation of each store, `resolved` before it where saves were in doubt, and then as ``run()``.
    func runParts() {
        reportingFailures {
            do { LedgerSite.close(try site.open()) } catch let error as StoreError where error.code == .inDoubt {
                try resolve()
                Pipe.write("resolved \(error)".split(separator: "\n").joined(separator: " "))
            }
            let coordinator = try site.open()
            defer { LedgerSite.close(coordinator) }
            Pipe.write("found \(try site.reader(coordinator).generations().map(\.description).joined(separator: " "))")
            try checkSound(coordinator)
        }
    }

    /// Writes `sound` after `body`, or what it found.
    private func reportingFailures(_ body: () throws -> Void) {
        do {
            try body()
            Pipe.write("sound")
        } catch let unsound as Unsound {
            Pipe.write("unsound \(unsound.problems.prefix(3).joined(separator: "; "))")
        } catch let violation as Violation {
            Pipe.write("violation \(violation)")
        } catch {
            Pipe.write("refused \(WorkerCommands.describe(error))")
        }
    }

    private func resolve() throws {
        let coordinator = PersistentStoreCoordinator(model: try LedgerModel.model(site.version))
        // Applied, a save would lack the ones before it that the store has lost.
        for description in site.descriptions { try coordinator.resolveInterruptedSaves(of: description, by: .forget) }
    }

    private func verified() throws -> Int {
        let coordinator = try site.open()
        defer { LedgerSite.close(coordinator) }
        let generation = try site.reader(coordinator).verifiedGeneration()
        try checkSound(coordinator)
        return generation
    }

    private func checkSound(_ coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.stores {
            let problems = try coordinator.verify(store)
            guard problems.isEmpty else { throw Unsound(problems: problems.map { "\($0)" }) }
        }
    }

    /// What a store finds wrong in itself.
    private struct Unsound: Error { let problems: [String] }

    private func save(from generation: Int, count: Int) throws {
        let coordinator = try site.open()
        defer { LedgerSite.close(coordinator) }
        let ledger = site.ledger(coordinator)
        for next in (generation + 1)...(generation + count) {
            try ledger.change(to: next)
            try ledger.context.save()
        }
    }

    private func files() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: site.directory) }

    /// The files that large values have.
    static func valueFiles(_ site: LedgerSite) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: site.directory).filter { path in
            let parts = path.split(separator: "/")
            return parts.count > 1 && parts[parts.count - 2] == "_EXTERNAL_DATA"
        }
    }

    private func checkLeftovers() throws {
        let leftovers = try files().filter { name in ["tmp", "pending", "decided", "aborted"].contains { name.hasSuffix(".\($0)") } }
        guard leftovers.isEmpty else { throw Violation("left behind: \(leftovers)") }
    }

    /// Counts the files of large values.
    private func checkFileCount(at generation: Int) throws {
        let found = try LedgerVerification.valueFiles(site)
        let expected = ExpectedLedger.fileCount(at: generation, site.parts)
        guard found.count == expected else { throw Violation("\(found.count) files of large values, not \(expected)") }
    }
}
