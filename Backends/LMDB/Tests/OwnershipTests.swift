import CStrataLMDB
import Foundation
import StrataEngine
import StrataModel
import StrataStore
import Testing

@testable import StrataLMDB

@Suite("LMDB: only stores are destroyed and replaced")
struct OwnershipTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    private func store(_ name: String = "Store.lmdb") throws -> String {
        try LMDBDriver().open(Sample.description(scratch.file(name)), model: model).close()
        return scratch.file(name)
    }

    /// A file of LMDB's that another program keeps something in.
    private func foreignEnvironment(_ database: String?) throws -> Data {
        let path = scratch.file("foreign-\(database ?? "")")
        let options = EnvironmentRegistry.Options()
        let handle = try EnvironmentRegistry.openHandle(path, options, mapSize: options.initialMapSize, flags: MDB_NOLOCK)
        var transaction: OpaquePointer?
        try LMDBStatus.check(mdb_txn_begin(handle, nil, 0, &transaction), "mdb_txn_begin")
        var opened: MDB_dbi = 0
        try LMDBStatus.check(mdb_dbi_open(transaction, database, UInt32(MDB_CREATE), &opened), "mdb_dbi_open")
        try Records.put(try #require(transaction), opened, "key", [1, 2, 3])
        try LMDBStatus.check(mdb_txn_commit(transaction), "mdb_txn_commit")
        mdb_env_close(handle)
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        return content
    }

    // destroy took any file, and replace wrote over any.
    @Test("Files of others are neither destroyed nor replaced, and nothing is made beside them")
    func foreign() throws {
        let source = try store("Source.lmdb")
        let others: [(String, Data, StoreError.Code)] = [
            ("an image", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 5000), .foreign),
            ("a file of LMDB's", try foreignEnvironment("others"), .foreign),
            ("one with a database of the name", try foreignEnvironment(Names.store), .foreign),
            ("one with a record of the name", try foreignEnvironment(nil), .foreign),
            ("a damaged one", try foreignEnvironment("others").prefix(9000), .foreign),
            ("SQLite", Data("SQLite format 3\0".utf8) + Data(count: 5000), .wrongType), ("text", Data("hello".utf8), .foreign),
        ]
        for (name, content, expected) in others {
            let directory = scratch.path + "/" + name
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let path = directory + "/it"
            try content.write(to: URL(fileURLWithPath: path))
            #expect(code { try LMDBDriver().destroy(at: path) } == expected, "\(name)")
            #expect(code { try LMDBDriver().replace(at: path, withStoreAt: source) } == expected, "\(name)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content, "\(name)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["it"], "\(name)")
        }
        let directory = scratch.path + "/directory"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        #expect(code { try LMDBDriver().destroy(at: directory) } == .foreign)
    }

    @Test("A damaged store can be destroyed, and replaced, for it is known by its own record")
    func damaged() throws {
        let source = try store("Source.lmdb")
        let opened = try LMDBDriver().open(Sample.description(source), model: model)
        let maker = RowMaker(model: model)
        for reference in Int64(1)...20 { try opened.insert([try maker.row("Person", reference, ["name": "someone"])]) }
        try opened.close()
        var damaged = try Data(contentsOf: URL(fileURLWithPath: source))
        damaged[10] = 0
        for replaces in [false, true] {
            let path = scratch.file("Damaged.lmdb")
            try damaged.write(to: URL(fileURLWithPath: path))
            #expect(code { _ = try LMDBDriver().metadata(at: path) } == .corrupt)
            if replaces {
                try LMDBDriver().replace(at: path, withStoreAt: source)
                #expect(try LMDBDriver().metadata(at: path) == LMDBDriver().metadata(at: source))
            } else {
                try LMDBDriver().destroy(at: path)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test("A store that replaces itself stays as it is")
    func itself() throws {
        let path = try store()
        let before = try LMDBDriver().metadata(at: path)
        try LMDBDriver().replace(at: path, withStoreAt: path)
        #expect(try LMDBDriver().metadata(at: path) == before)
    }
}
