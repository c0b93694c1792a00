import FoundationEssentials
import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataPlatform
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Faults and crashes of atomic stores")
struct AtomicFaultTests {
    let company: Company

    init() throws { company = try Company() }

    private func photo(_ byte: UInt8) -> Value { .data(Data(repeating: byte, count: 300)) }

    /// A disk with a store that holds one person.
    private func disk() throws -> MemoryFileSystem {
        let disk = MemoryFileSystem(directories: ["/d"])
        let tiny = Tiny(company: company, fileSystem: disk)
        let store = try tiny.open()
        try tiny.save(store) { $0.inserted = [try company.row("Person", 1, ["name": "Ann", "photo": photo(1)])] }
        try store.close()
        return disk
    }

    /// The store of a disk that holds one person, whose calls can fail.
    private func faultyStore() throws -> (MemoryFileSystem, FaultInjectingFileSystem, Tiny, any StoreBackend) {
        let disk = try disk()
        let faulty = FaultInjectingFileSystem(base: disk)
        let tiny = Tiny(company: company, fileSystem: faulty)
        return (disk, faulty, tiny, try tiny.open())
    }

    /// Changes the person's photo and adds another person.
    private func save(_ tiny: Tiny, _ store: any StoreBackend) throws {
        try tiny.save(store) { changes in
            changes.updated = [company.update(try company.row("Person", 1, version: 2, ["name": "Bea", "photo": photo(2)]))]
            changes.inserted = [try company.row("Person", 2, ["name": "Cy", "photo": photo(3)])]
        }
    }

    /// Opens the store and answers whether it holds the second save, or records that it is neither the first nor the second.
    private func isSaved(_ disk: MemoryFileSystem, _ label: String) throws -> Bool {
        let tiny = Tiny(company: company, fileSystem: disk)
        let store = try tiny.open()
        let names = try tiny.names(store)
        let photos = try [tiny.photo(store, 1)?.first, tiny.photo(store, 2)?.first]
        let isOld = names == ["Ann"] && photos == [1, nil]
        let isNew = names == ["Bea", "Cy"] && photos == [2, 3]
        #expect(isOld || isNew, "\(label): \(names) \(photos)")
        try tiny.save(store) { $0.inserted = [try company.row("Person", 9)] }
        try store.close()
        return isNew
    }

    @Test("A loss of power at any call leaves one save or the other whole, and an acknowledged one for good")
    func crashes() throws {
        let count = try FaultInjectingFileSystem.failingEachCall { call in
            let (disk, faulty, tiny, store) = try faultyStore()
            faulty.plan = FaultPlan(failing: call, with: .error(EIO), isSticky: true)
            let isAcknowledged = (try? save(tiny, store)) != nil
            let wasReached = faulty.callCount >= call
            for state in disk.statesAfterPowerLoss {
                let label = "call \(call), \(state.name)"
                let isNew = try isSaved(state.disk, label)
                #expect(isNew || !isAcknowledged, "\(label)")
            }
            return wasReached
        }
        #expect(count >= 15)
    }

    @Test(
        "A failing call makes the save fail with a typed error and changes nothing, or leaves the store to be reopened",
        arguments: [FaultPlan.Fault.error(ENOSPC), .error(EIO), .error(EACCES), .error(EMFILE), .errorAfterEffect(EIO)])
    func faults(fault: FaultPlan.Fault) throws {
        let count = try FaultInjectingFileSystem.failingEachCall { call in
            let (disk, faulty, tiny, store) = try faultyStore()
            faulty.plan = FaultPlan(failing: call, with: fault)
            var failure: (any Error)?
            do { try save(tiny, store) } catch { failure = error }
            let wasReached = faulty.callCount >= call
            faulty.plan = .none
            let label = "call \(call), \(fault)"
            if let failure {
                let failure = try #require(failure as? StoreError, "\(label): \(failure)")
                #expect(failure.path != nil, "\(label)")
                if failure.recovery == .reopen {
                    #expect(code { _ = try store.beginWrite() } == .closed, "\(label)")
                    #expect(
                        messageOfError { _ = try tiny.names(store) } == "a save failed half-way; open the store again", "\(label)")
                } else {
                    #expect(try tiny.names(store) == ["Ann"], "\(label)")
                    try save(tiny, store)
                }
            }
            try store.close()
            let isNew = try isSaved(disk, label)
            #expect(isNew || failure != nil, "\(label)")
            let leftovers = disk.files.filter { $0.hasSuffix(".tmp") }
            #expect(leftovers.isEmpty, "\(label)")
            return wasReached
        }
        #expect(count >= 15)
    }

    // A conversion onto a full disk left the lock files of the store that could not be made.
    @Test(
        "Making a store fails at any call without leaving a file", arguments: [FaultPlan.Fault.error(ENOSPC), .error(EIO), .error(EACCES)])
    func makingFails(fault: FaultPlan.Fault) throws {
        let count = FaultInjectingFileSystem.failingEachCall { call in
            let disk = MemoryFileSystem(directories: ["/d"])
            let faulty = FaultInjectingFileSystem(base: disk)
            let tiny = Tiny(company: company, fileSystem: faulty)
            faulty.plan = FaultPlan(failing: call, with: fault)
            var failure: (any Error)?
            do { try tiny.open().close() } catch { failure = error }
            let wasReached = faulty.callCount >= call
            if let failure {
                #expect(failure is StoreError, "call \(call): \(failure)")
                if (failure as? StoreError)?.recovery != .reopen { #expect(disk.files.isEmpty, "call \(call): \(disk.files)") }
            }
            return wasReached
        }
        #expect(count >= 8)
    }

    @Test("When the new file may or may not be in place, all values stay that either names")
    func unknownState() throws {
        let disk = try disk()
        let faulty = FaultInjectingFileSystem(base: disk)
        let tiny = Tiny(company: company, fileSystem: faulty)
        let store = try tiny.open()
        var changes = ChangeSet()
        changes.updated = [company.update(try company.row("Person", 1, version: 2, ["name": "Bea", "photo": photo(2)]))]
        let transaction = try store.beginWrite()
        _ = try transaction.apply(changes)
        try transaction.prepare()
        faulty.plan = FaultPlan(failing: 1, with: .error(EIO), operations: [.synchronize, .synchronizeDirectory])
        #expect { try transaction.commit() } throws: { ($0 as? StoreError)?.recovery == .reopen }
        transaction.rollback()
        #expect(disk.files.count { $0.contains("_EXTERNAL_DATA") } == 2)
        try store.close()
        let again = try tiny.open()
        #expect(try tiny.names(again) == ["Bea"])
        #expect(try tiny.photo(again, 1)?.first == 2)
    }
}
