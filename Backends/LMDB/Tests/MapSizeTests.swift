import CStrataLMDB
import StrataEngine
import StrataModel
import StrataPlatform
import StrataStore
import Testing

@testable import StrataLMDB

@Suite("LMDB: the size of the map", .timeLimit(.minutes(60)))
struct MapSizeTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    // LMDB unmapped the file before it found that it could not map it anew, and the next use ended the process.
    @Test("A map for which there is no address space is an error that can be retried, and the store goes on")
    func noAddressSpace() throws {
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        let environment = try #require(store as? LMDBStore).environment
        let size = environment.mapSize
        for _ in 0..<2 {
            let status = #expect(throws: LMDBStatus.self) {
                try environment.alone(.save, until: Deadline(after: 1)) { try environment.resizeMap(.save) { _, _ in [1 << 50] } }
            }
            #expect(status.map { StoreError($0, .save, path: nil).recovery } == .retryable)
            #expect(environment.mapSize == size)
        }
        try store.insert([try maker.row("Person", 2, ["name": "b"])])
        #expect(try store.fetch(try maker.plan("Person")).count == 2)
        try environment.grow(until: Deadline(after: 1))
        #expect(environment.mapSize == size * 2)
        try store.close()
    }

    // The same where LMDB fails although the address space was there.
    @Test("An environment that lost its map throws, is closed, and opens again")
    func lostMap() throws {
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        let snapshot = try #require(try store.holdSnapshot())
        let environment = try #require(store as? LMDBStore).environment
        let lost = #expect(throws: StoreError.self) {
            try environment.alone(.save, until: Deadline(after: 1)) { try environment.remap(.save, 1 << 50) }
        }
        #expect(lost?.message == "the file could not be mapped in its new size; open the store again")
        let attempts: [() throws -> Void] = [
            { _ = try store.fetch(try maker.plan("Person")) }, { try store.insert([try maker.row("Person", 2, ["name": "b"])]) },
        ]
        for attempt in attempts {
            let error = #expect(throws: StoreError.self) { try attempt() }
            #expect(error?.code == .io)
            #expect(error?.recovery == .reopen)
        }
        #expect(code { try snapshot.read { _ in } } == .io)
        try store.close()
        #expect(try LMDBDriver().open(Sample.description(scratch.file()), model: model).fetch(try maker.plan("Person")).count == 1)
    }
}
