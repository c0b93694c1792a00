import FoundationEssentials
import Strata
import StrataPlatform

/// Saves until the disk is full, looks whether all is there that was saved before, deletes, and saves again.
///
/// It writes `full <number of saves>`, `found <generation>`, `freed`, and then `sound`; or `violation <text>`. What else fails is thrown.
struct FullDisk {
    private let site: LedgerSite
    private let fileSizeLimit: Int

    /// - Parameter fileSizeLimit: How long a file may become in this process; 0 where the disk itself is small.
    init(_ site: LedgerSite, fileSizeLimit: Int) {
        self.site = site
        self.fileSizeLimit = fileSizeLimit
    }

    func run() throws {
        var limit = rlimit(rlim_cur: rlim_t(fileSizeLimit), rlim_max: rlim_t(fileSizeLimit))
        // Linux's number for RLIMIT_FSIZE, whose type differs between C libraries.
        if fileSizeLimit > 0, setrlimit(__rlimit_resource_t(1), &limit) != 0 { throw Violation("no limit: \(errno)") }
        try FileManager.default.createDirectory(atPath: site.directory, withIntermediateDirectories: true)
        for path in site.mode.directories(in: site.directory) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        do { try perform() } catch let violation as Violation { Pipe.write("violation \(violation)") }
    }

    private func perform() throws {
        var coordinator = try site.open()
        var generation = 0
        for _ in 0..<3 { generation = try save(after: generation, coordinator) }
        let count = fill(coordinator)
        Pipe.write("full \(count)")
        // Twice: what a failed save leaves must not take what the next needs.
        _ = fill(coordinator)
        guard try site.reader(coordinator).verifiedGeneration() == generation else { throw Violation("what was saved before is not there") }
        LedgerSite.close(coordinator)
        coordinator = try site.open()
        guard try site.reader(coordinator).verifiedGeneration() == generation else {
            throw Violation("reopened: what was saved is not there")
        }
        Pipe.write("found \(generation)")
        try free(coordinator)
        Pipe.write("freed")
        for _ in 0..<3 { generation = try save(after: generation, coordinator) }
        guard fill(coordinator) >= count / 3 else { throw Violation("the space does not come back") }
        try free(coordinator)
        LedgerSite.close(coordinator)
        coordinator = try site.open()
        defer { LedgerSite.close(coordinator) }
        guard try site.reader(coordinator).verifiedGeneration() == generation else { throw Violation("not what was saved in the end") }
        Pipe.write("sound")
    }

    private func save(after generation: Int, _ coordinator: PersistentStoreCoordinator) throws -> Int {
        let ledger = site.ledger(coordinator)
        try ledger.change(to: generation + 1)
        try ledger.context.save()
        return generation + 1
    }

    /// Saves until that fails.
    ///
    /// - Returns: How many saves were possible.
    private func fill(_ coordinator: PersistentStoreCoordinator) -> Int {
        for count in 0..<1000 {
            let context = ManagedObjectContext(coordinator)
            do {
                for part in site.parts {
                    let filler = try context.insert(part.fillerEntity)
                    filler[Filler.bytes] = Data(repeating: UInt8(truncatingIfNeeded: count), count: 60_000)
                    filler[Filler.attachment] = Data(repeating: 7, count: count % 4 == 0 ? 100_000 : 10)
                }
                try context.save()
            } catch {
                if (error as? StoreError)?.code != .full { Pipe.write("violation not full: \(WorkerCommands.describe(error))") }
                return count
            }
        }
        Pipe.write("violation the disk is never full")
        return 1000
    }

    /// Deletes all that was only there to fill, a few at a time.
    private func free(_ coordinator: PersistentStoreCoordinator) throws {
        for part in site.parts {
            while true {
                let context = ManagedObjectContext(coordinator)
                let fillers = try context.fetch(ObjectFetchRequest<Filler>(entityName: part.fillerEntity, limit: 8))
                if fillers.isEmpty { break }
                for filler in fillers { context.delete(filler) }
                try context.save()
            }
        }
    }
}
