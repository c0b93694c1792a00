import FoundationEssentials
import Strata

/// Opens the stores, checks everything in them, saves twice more, and checks again: also what is left beside the stores.
///
/// It writes `found <generation>`, and then `sound`; or `violation <text>`, `unsound <text>` where a store says so of itself, or `refused <code> <recovery> <text>` where the stores cannot be
/// opened or read.
struct LedgerVerification {
    private let site: LedgerSite

    init(_ site: LedgerSite) { self.site = site }

    func run() throws {
        do {
            let generation = try verified()
            Pipe.write("found \(generation)")
            try checkLeftovers()
            try save(from: generation, count: 2)
            let later = try verified()
            guard later == generation + 2 else { throw Violation("two saves after \(generation) lead to \(later)") }
            try checkLeftovers()
            try checkFileCount(at: later)
            Pipe.write("sound")
        } catch let unsound as Unsound {
            Pipe.write("unsound \(unsound.problems.prefix(3).joined(separator: "; "))")
        } catch let violation as Violation {
            Pipe.write("violation \(violation)")
        } catch {
            Pipe.write("refused \(WorkerCommands.describe(error))")
        }
    }

    private func verified() throws -> Int {
        let coordinator = try site.open()
        defer { LedgerSite.close(coordinator) }
        let generation = try site.reader(coordinator).verifiedGeneration()
        for store in coordinator.stores {
            let problems = try coordinator.verify(store)
            guard problems.isEmpty else { throw Unsound(problems: problems.map { "\($0)" }) }
        }
        return generation
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
