import Foundation
import StrataEngine
import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataBinary

@Suite("Faults and crashes while a save is appended to a binary store's file") struct SegmentFaultTests {
    private let model: ManagedObjectModel
    private let thing: EntityDescription
    private let path = "/d/Store.binary"

    init() throws {
        model = try AtomicModels.values.get()
        thing = try #require(model.entity(named: "Thing"))
    }

    private func open(_ files: any FileSystem) throws -> any StoreBackend {
        let driver = BinaryDriver(BinaryCodec(fileSystem: files), fileSystem: files)
        var description = StoreDescription(driver, path: path)
        description.options.externalStorageThreshold = 100
        description.options.timeout = 0.05
        return try driver.open(description, model: model)
    }

    private func row(_ reference: Int64, version: UInt32 = 1, _ text: String, _ byte: UInt8) throws -> Row {
        var writer = RowWriter(forOneRowOf: 1024)
        writer.begin(thing, reference: reference, version: version)
        writer.set(text: text, at: try #require(thing.attribute(named: "text")?.slot))
        writer.set(.data(Data(repeating: byte, count: 300)), at: try #require(thing.attribute(named: "bytes")?.slot), .binary)
        return writer.finish()
    }

    private func save(_ store: any StoreBackend, _ changes: ChangeSet) throws {
        let transaction = try store.beginWrite()
        guard try transaction.apply(changes).isEmpty else { throw StoreError(.conflict, .save, "conflicts") }
        try transaction.commit()
    }

    /// The second save: changes the first row and its value, and adds another one.
    private func save(_ store: any StoreBackend) throws {
        let slots = Array(thing.layout.slots.typedIndices(Slot.self))
        try save(
            store,
            ChangeSet(inserted: [try row(2, "Cy", 3)], updated: [RowUpdate(row: try row(1, version: 2, "Bea", 2), changedSlots: slots)]))
    }

    private func picture(_ store: any StoreBackend) throws -> [String] {
        let bytes = try #require(thing.attribute(named: "bytes")?.slot)
        let text = try #require(thing.attribute(named: "text")?.slot)
        return try store.read { reader in
            try reader.rows(root: thing.index, references: [1, 2]).map { row in
                "\(row.bytes(text).map { String(decoding: $0, as: UTF8.self) } ?? "nil") \(row.bytes(bytes).map { "\($0.count) \($0.first ?? 0)" } ?? "nil")"
            }
        }
    }

    /// A disk with a store whose first save is in a segment.
    private func disk() throws -> MemoryFileSystem {
        let disk = MemoryFileSystem(directories: ["/d"])
        let store = try open(disk)
        try save(store, ChangeSet(inserted: [try row(1, "Ann", 1)]))
        return disk.crashClone()
    }

    private func faultyStore() throws -> (MemoryFileSystem, FaultInjectingFileSystem, any StoreBackend) {
        let disk = try disk()
        let faulty = FaultInjectingFileSystem(base: disk)
        return (disk, faulty, try open(faulty))
    }

    /// Opens the store and answers whether it holds the second save, or records that it is neither the first nor the second.
    private func isSaved(_ disk: MemoryFileSystem, _ label: String) throws -> Bool {
        let store = try open(disk)
        let found = try picture(store)
        let old = ["Ann 300 1"]
        let new = ["Bea 300 2", "Cy 300 3"]
        #expect([old, new].contains(found), "\(label): \(found)")
        try save(store, ChangeSet(inserted: [try row(9, "Di", 9)]))
        let again = try open(disk.crashClone())
        #expect(try picture(again) == found, "\(label)")
        try store.close()
        return found == new
    }

    @Test("A loss of power at any call leaves one save or the other whole, and an acknowledged one for good", arguments: [1, 4])
    func crashes(burst: Int) throws {
        let count = try FaultInjectingFileSystem.failingEachCall { call in
            let (disk, faulty, store) = try faultyStore()
            faulty.plan = FaultPlan(failing: call, with: .error(EIO), isSticky: burst == 1)
            faulty.plan.burst = burst
            let isAcknowledged = (try? save(store)) != nil
            let wasReached = faulty.callCount >= call
            for state in disk.statesAfterPowerLoss {
                let label = "call \(call), \(state.name)"
                let isNew = try isSaved(state.disk, label)
                #expect(isNew || !isAcknowledged, "\(label)")
            }
            return wasReached
        }
        #expect(count >= 12)
    }

    @Test(
        "A failing call makes the save fail with a typed error and changes nothing, or leaves the store to be reopened",
        arguments: [FaultPlan.Fault.error(ENOSPC), .error(EIO), .error(EACCES), .error(EMFILE), .errorAfterEffect(EIO), .shortWrite(7)])
    func faults(fault: FaultPlan.Fault) throws {
        let count = try FaultInjectingFileSystem.failingEachCall { call in
            let (disk, faulty, store) = try faultyStore()
            faulty.plan = FaultPlan(failing: call, with: fault)
            var failure: (any Error)?
            do { try save(store) } catch { failure = error }
            let wasReached = faulty.callCount >= call
            faulty.plan = .none
            let label = "call \(call), \(fault)"
            if let failure {
                let failure = try #require(failure as? StoreError, "\(label): \(failure)")
                #expect(failure.path != nil, "\(label)")
                if failure.recovery != .reopen {
                    #expect(try picture(store) == ["Ann 300 1"], "\(label)")
                    #expect(try picture(open(disk.crashClone(keepingUnsynced: 1))) == ["Ann 300 1"], "\(label)")
                    try save(store)
                }
            }
            try store.close()
            let isNew = try isSaved(disk, label)
            #expect(isNew || failure != nil, "\(label)")
            #expect(disk.files.filter { $0.hasSuffix(".tmp") }.isEmpty, "\(label)")
            return wasReached
        }
        #expect(count >= 12)
    }

    @Test("Of a value in a file of its own that one save changes twice, the last one is saved")
    func changedTwice() throws {
        let disk = try disk()
        let store = try open(disk)
        let slots = Array(thing.layout.slots.typedIndices(Slot.self))
        let transaction = try store.beginWrite()
        for version: UInt32 in 2...3 {
            let row = try row(1, version: version, "Bea", UInt8(version))
            #expect(try transaction.apply(ChangeSet(updated: [RowUpdate(row: row, changedSlots: slots)])).isEmpty)
        }
        try transaction.commit()
        #expect(try picture(store) == ["Bea 300 3"])
        #expect(try picture(open(disk.crashClone())) == ["Bea 300 3"])
        // The next save keeps it.
        try save(store, ChangeSet(inserted: [try row(2, "Cy", 9)]))
        #expect(try picture(open(disk.crashClone())) == ["Bea 300 3", "Cy 300 9"])
    }

    @Test("A disk that fails for good after the header was written leaves the store to be reopened, with all values that the file may name")
    func unknownState() throws {
        let (disk, faulty, store) = try faultyStore()
        let transaction = try store.beginWrite()
        _ = try transaction.apply(ChangeSet(inserted: [try row(2, "Cy", 3)]))
        try transaction.prepare()
        faulty.plan = FaultPlan(failing: 1, with: .error(EIO), isSticky: true, operations: [.synchronize])
        #expect { try transaction.commit() } throws: { ($0 as? StoreError)?.recovery == .reopen }
        faulty.plan = .none
        #expect(throws: StoreError.self) { try store.beginWrite() }
        for fraction in [0.0, 1] {
            let found = try picture(open(disk.crashClone(keepingUnsynced: fraction)))
            #expect(found.first == "Ann 300 1")
        }
    }
}
