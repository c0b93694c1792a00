import CStrataLMDB
import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import Synchronization
import Testing

@testable import StrataLMDB

@Suite("LMDB: a store comes into being whole or not at all", .timeLimit(.minutes(60)))
struct CreationTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    private func open() throws -> any StoreBackend { try LMDBDriver().open(Sample.description(scratch.file()), model: model) }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() }

    /// The pages that LMDB begins a file with.
    private func emptyFile() throws -> Data {
        let path = scratch.file("empty")
        let options = EnvironmentRegistry.Options()
        mdb_env_close(try EnvironmentRegistry.openHandle(path, options, mapSize: options.initialMapSize, flags: MDB_NOLOCK))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    // LMDB writes both head pages without forcing them to disk: a power loss then left a file that was refused for ever.
    @Test("What a power loss leaves of a file that was never saved to is taken for none")
    func halfMade() throws {
        let empty = try emptyFile()
        let page = empty.count / 2
        let zeros = Data(count: page)
        let states = [Data(), empty.prefix(page), empty.prefix(page) + zeros, zeros + empty.suffix(page), zeros, zeros + zeros, empty]
        for (number, state) in states.enumerated() {
            try state.write(to: URL(fileURLWithPath: scratch.file()))
            try Data().write(to: URL(fileURLWithPath: scratch.file() + "-lock"))
            let store = try open()
            #expect(try store.count(try RowMaker(model: model).plan("Person", result: .count)) == 0, "state \(number)")
            let uuid = try store.metadata().storeID
            try store.close()
            #expect(try LMDBDriver().metadata(at: scratch.file()).storeID == uuid)
            try LMDBDriver().destroy(at: scratch.file())
            #expect(try names() == [])
        }
    }

    @Test("What may hold something is never taken for none")
    func othersStay() throws {
        let empty = try emptyFile()
        let page = empty.count / 2
        var used = empty.prefix(page)
        used[16 + 128] = 2
        for content in [used, Data(count: page), Data(count: 3 * page), empty.prefix(100), empty.prefix(page) + Data([1])] {
            try content.write(to: URL(fileURLWithPath: scratch.file()))
            #expect(throws: StoreError.self) { try open() }
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file())) == content)
        }
    }

    @Test("A store that could not be made leaves nothing behind, and is made the next time")
    func failure() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try EnvironmentRegistry.acquire(scratch.file(), .init()) { environment in
                #expect(environment.path != scratch.file())
                #expect(!FileManager.default.fileExists(atPath: scratch.file()))
                throw Refusal()
            }
        }
        #expect(try names().allSatisfy { LockFile.allCases.map { ".Store.lmdb.\($0.rawValue)" }.contains($0) })
        try open().close()
    }

    @Test("What the process of a dead creator left is removed by the next opening")
    func leftovers() throws {
        // The number of a process that is none: the greatest is below that.
        let left = scratch.path + "/.Store.lmdb.\(Int32.max).abc.tmp"
        try emptyFile().write(to: URL(fileURLWithPath: left))
        try open().close()
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try names() == [".Store.lmdb.in-use", ".Store.lmdb.writing", "Store.lmdb", "Store.lmdb-lock"])
    }

    @Test("Those who make a store at once, as several processes do, end up with one")
    func together() throws {
        let path = scratch.file()
        let plan = SchemaPlan(model: model, configuration: "main")
        let made = Mutex<[String]>([])
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        for _ in 0..<6 {
            DispatchQueue.global().async(group: group) {
                do {
                    try StoreCreation(path: path, options: .init()) { environment in
                        let description = Sample.description(path)
                        let opener = SchemaOpener(environment: environment, plan: plan, description: description, type: LMDBDriver().type)
                        try opener.fill()
                        made.withLock { $0.append(environment.path) }
                    }.run()
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(made.withLock { $0.count } == 1)
        try open().close()
    }

    // Another program's file has to stay, also where it came between the look and the move.
    @Test("A new store replaces no other one")
    func nobodysPlace() throws {
        let foreign = Data("somebody's".utf8)
        try? StoreCreation(path: scratch.file(), options: .init()) { _ in
            try foreign.write(to: URL(fileURLWithPath: scratch.file()))
        }.run()
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file())) == foreign)
        #expect(throws: StoreError.self) { try open() }
    }
}
