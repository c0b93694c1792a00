import FoundationEssentials
import Strata

/// Opens the stores, checks everything in them, saves twice more, and checks again: also what is left beside the stores.
///
/// It writes `found <generation>`, and then `sound`; or `violation <text>`, or `refused <code> <recovery> <text>` where the stores cannot be
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
        } catch let violation as Violation {
            Pipe.write("violation \(violation)")
        } catch {
            Pipe.write("refused \(WorkerCommands.describe(error))")
        }
    }

    private func verified() throws -> Int {
        let coordinator = try site.open()
        defer { LedgerSite.close(coordinator) }
        return try site.reader(coordinator).verifiedGeneration()
    }

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

    private func checkLeftovers() throws {
        let leftovers = try files().filter { $0.hasSuffix(".tmp") || $0.hasSuffix(".pending") || $0.hasSuffix(".decided") }
        guard leftovers.isEmpty else { throw Violation("left behind: \(leftovers)") }
    }

    /// Counts the files of large values.
    private func checkFileCount(at generation: Int) throws {
        let found = try files().filter { path in
            let parts = path.split(separator: "/")
            return parts.count > 1 && parts[parts.count - 2] == "_EXTERNAL_DATA"
        }
        let expected = ExpectedLedger.fileCount(at: generation, site.parts)
        guard found.count == expected else { throw Violation("\(found.count) files of large values, not \(expected)") }
    }
}
