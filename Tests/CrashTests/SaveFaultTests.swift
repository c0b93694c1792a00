import FoundationEssentials
import Strata
import StrataCrashWorker
import StrataFiles
import StrataFilesTesting
import StrataStore
import Synchronization
import Testing

@Suite("A save over several stores in which something fails")
struct SaveFaultTests {
    private let generation = 4

    @Test("is in no store when a step before the commits fails", arguments: ["begin", "reserve", "apply", "prepare"], CrashMode.storeTypes)
    func failureBeforeDecision(_ step: String, _ type: String) throws {
        let site = try site()
        let faults = Faults()
        try site.withContext(step: faults.step) { context in
            faults.names = ["\(step) \(type)": 1]
            #expect(throws: StoreError.self) { try GraphWriter(context).save(generation: generation + 1) }
            #expect(try GraphReader(ManagedObjectContext(context.coordinator)).verifiedGeneration() == generation)
            #expect(try site.leftovers() == [])
            try context.save()
            #expect(try GraphReader(ManagedObjectContext(context.coordinator)).verifiedGeneration() == generation + 1)
        }
        #expect(try site.verifiedGeneration() == generation + 1)
    }

    @Test("is in all stores or in none when one of them fails to commit once", arguments: CrashMode.storeTypes)
    func failureOfOneCommit(_ type: String) throws {
        let site = try site()
        let faults = Faults()
        try site.withContext(step: faults.step) { context in
            faults.names = ["commit \(type)": 1]
            // Only the first store to commit can take the save back.
            do { try GraphWriter(context).save(generation: generation + 1) } catch is StoreError { try context.save() }
            #expect(try GraphReader(ManagedObjectContext(context.coordinator)).verifiedGeneration() == generation + 1)
        }
        #expect(try site.verifiedGeneration() == generation + 1)
    }

    @Test("is finished at the next opening when a store fails to commit for good", arguments: CrashMode.storeTypes)
    func failureOfAllCommits(_ type: String) throws {
        let site = try site()
        let faults = Faults()
        let isDecided = try site.withContext(step: faults.step) { context in
            faults.names = ["commit \(type)": .max]
            do {
                try GraphWriter(context).save(generation: generation + 1)
                Issue.record("the save must fail")
                return true
            } catch let error as StoreError {
                guard error.code == .inDoubt else { return false }
                #expect(error.recovery == .reopen)
                // Nobody builds on the store that the save has not reached.
                #expect(throws: StoreError.self) { try GraphReader(ManagedObjectContext(context.coordinator)).verifiedGeneration() }
                return true
            }
        }
        #expect(try site.verifiedGeneration() == (isDecided ? generation + 1 : generation))
    }

    @Test(
        "is in all stores or in none when the system fails at any step of its files",
        arguments: [FaultPlan.Fault.error(5), .errorAfterEffect(28)]
    )
    func failureOfFiles(_ fault: FaultPlan.Fault) throws {
        let before = try site()
        var call = 1
        while let (site, isSaved) = try save(before, failing: call, with: fault) {
            let found = try site.verifiedGeneration(order: call % 6)
            // Where the decision could not be taken back for certain, the opening decides.
            #expect(found == generation + 1 || (!isSaved && found == generation), "call \(call)")
            call += 1
        }
        #expect(call > 20)
    }

    /// A copy of the stores after a save in which a call to the file system failed, and whether the save succeeded; `nil` where there are
    /// fewer calls.
    private func save(_ before: CrashSite, failing call: Int, with fault: FaultPlan.Fault) throws -> (CrashSite, Bool)? {
        let site = try CrashSite(copying: before)
        let files = FaultInjectingFileSystem(base: PosixFileSystem.shared)
        return try RecoveryFiles.$fileSystem.withValue(files) {
            try site.withContext { context in
                files.plan = FaultPlan(failing: call, with: fault, isSticky: call % 3 == 0)
                do { try GraphWriter(context).save(generation: generation + 1) } catch is StoreError { return (site, false) }
                return files.callCount < call ? nil : (site, true)
            }
        }
    }

    private func site() throws -> CrashSite {
        let site = try CrashSite(.trio)
        try site.save(upTo: generation)
        return site
    }
}

/// Steps that fail.
private final class Faults: Sendable {
    private let state = Mutex<[String: Int]>([:])

    /// How many times each step fails.
    var names: [String: Int] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    @Sendable func step(_ name: String) throws {
        let isDue = state.withLock { state in
            guard let left = state[name], left > 0 else { return false }
            state[name] = left - 1
            return true
        }
        if isDue { throw StoreError(.full, .save, "no room for \(name)") }
    }
}

extension CrashMode {
    /// The types of the stores of ``trio``.
    static let storeTypes = CrashMode.trio.descriptions(in: "/").map { "\($0.driver.type)" }
}
