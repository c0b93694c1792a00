import CStrataLMDB
import Foundation
import StrataCoordinator
import StrataEngine
import StrataFiles
import StrataModel
import StrataQuery
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataLMDB

/// Each message of a file that is damaged, or of another kind.
@Suite("Messages of damaged files")
struct DamageMessageTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores(people: 50) }

    /// Returns the message of opening the file after its bytes were damaged.
    private func message(ofBytes damage: (inout [UInt8]) -> Void) throws -> String? {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.file())))
        damage(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: scratch.file("Damaged")))
        return messageOfError { _ = try LMDBDriver().open(Sample.description(scratch.file("Damaged")), model: model) }
    }

    @Test("Of a head that is damaged")
    func heads() throws {
        let second = 4_096
        func put(_ value: Int, at offset: Int, _ bytes: inout [UInt8], size: Int = 8) {
            for index in 0..<size { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        }
        #expect(try message { $0.removeSubrange(100...) } == "the file is damaged: it is truncated within its head")
        #expect(try message { $0[second + 16] ^= 1 } == "the file is damaged: its head is damaged")
        #expect(try message { $0[second + 20] = 9 } == "the file is of LMDB's format 9")
        #expect(try message { put(3, at: second + 40, &$0, size: 4) } == "the file is damaged: its page size is 3")
        #expect(try message { put(8_192, at: second + 40, &$0, size: 4) } == "the file is damaged: its two heads differ in page size")
        let root = try message { for head in [0, second] { put(1_000, at: head + 80, &$0) } }
        #expect(root == "the file is damaged: a tree begins outside of it")
        let pages = try message { for head in [0, second] { put(1 << 40, at: head + 136, &$0) } }
        #expect(pages == "the file is damaged: its head counts too many pages")
    }

    /// Returns how many pages the newer head counts.
    private func pages() throws -> Int {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.file())))
        func number(_ offset: Int) -> Int { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int.self) } }
        return (number(144) > number(4_096 + 144) ? number(136) : number(4_096 + 136)) + 1
    }

    @Test("Of a file that is truncated")
    func truncation() throws {
        let length = 3 * 4_096
        let truncated = try message { $0.removeSubrange(length...) }
        let start = "the file is damaged: it has \(length) bytes, its head counts \(try pages()) pages, and page "
        #expect(truncated?.hasPrefix(start) == true, "\(truncated ?? "")")
    }

    /// Changes the file with the library alone.
    private func change(_ database: String, _ body: (OpaquePointer, MDB_dbi) throws -> Void) throws {
        var environment: OpaquePointer?
        try #require(mdb_env_create(&environment) == 0)
        defer { mdb_env_close(environment) }
        mdb_env_set_maxdbs(environment, 100)
        try #require(mdb_env_open(environment, scratch.file(), UInt32(MDB_NOSUBDIR), 0o600) == 0)
        var transaction: OpaquePointer?
        try #require(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
        var handle: MDB_dbi = 0
        try #require(mdb_dbi_open(transaction, database, 0, &handle) == 0, "\(database)")
        try body(try #require(transaction), handle)
        try #require(mdb_txn_commit(transaction) == 0)
    }

    private func put(_ key: [UInt8], _ value: [UInt8], _ transaction: OpaquePointer, _ database: MDB_dbi) {
        var (key, value) = (key, value)
        key.withUnsafeMutableBytes { key in
            value.withUnsafeMutableBytes { value in
                var pair = (
                    MDB_val(mv_size: key.count, mv_data: key.baseAddress), MDB_val(mv_size: value.count, mv_data: value.baseAddress)
                )
                #expect(mdb_put(transaction, database, &pair.0, &pair.1, 0) == 0)
            }
        }
    }

    private func delete(_ key: [UInt8], _ transaction: OpaquePointer, _ database: MDB_dbi) {
        var key = key
        key.withUnsafeMutableBytes { key in
            var value = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
            #expect(mdb_del(transaction, database, &value, nil) == 0)
        }
    }

    private func reference(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }

    /// Returns the messages of reading all rows, and of verifying the store.
    private func messages() throws -> (reading: String?, verifying: String?) {
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        defer { try? store.close() }
        let plan = try maker.plan("Person")
        return (messageOfError { _ = try store.fetch(plan) }, messageOfError { _ = try store.verify(limit: 1) })
    }

    @Test("Of a damaged row")
    func rows() throws {
        let name = Names.rows(root: "Person")
        try change(name) { put(reference(1), [1, 2, 3], $0, $1) }
        #expect(try messages().reading == "the row is damaged: it is no row")
        try change(name) { put(reference(1), [UInt8](repeating: 0, count: 240), $0, $1) }
        #expect(try messages().reading == "the row is damaged: checksum mismatch")
        // It was found twice, and the second time named its object twice.
        let problems = try PersistentStoreCoordinator.verifyStore(Sample.description(scratch.file()), model: model)
        #expect(problems.filter { $0.reference == 1 }.map(\.description) == ["file Person/p1: the row is damaged: checksum mismatch"])
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        let plan = try maker.plan("Person")
        let error = #expect(throws: StoreError.self) { try store.fetch(plan) }
        #expect(error?.description.contains("; object Person/p1") == true)
        try store.close()
    }

    @Test("Of an index that does not fit the rows")
    func indexes() throws {
        try change(Names.rows(root: "Person")) { delete(reference(9), $0, $1) }
        let more = try messages().verifying
        #expect(more == "index index:Person:byName holds more than there is")
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        let plan = try maker.plan("Person", sort: [QuerySort("name")], limit: 50)
        #expect(messageOfError { _ = try store.fetch(plan) } == "index index:Person:byName names row 9, which is not there")
        try store.close()
        try change(Names.rows(root: "Person")) { delete(reference(1), $0, $1) }
        let misplaced = try messages().verifying
        #expect(misplaced == "index index:Person:byName does not hold row 10 where it belongs")
    }

    /// Changes the bytes of a row, and makes their checksum fit.
    private func changeRow(_ number: Int64, _ body: (inout [UInt8]) -> Void) throws {
        try change(Names.rows(root: "Person")) { transaction, database in
            var name = reference(number)
            var bytes: [UInt8] = []
            name.withUnsafeMutableBytes { name in
                var (key, value) = (MDB_val(mv_size: name.count, mv_data: name.baseAddress), MDB_val())
                #expect(mdb_get(transaction, database, &key, &value) == 0)
                bytes = [UInt8](UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
            }
            body(&bytes)
            let checksum = bytes.withUnsafeBytes { RowChecksum.checksum(of: $0) }
            withUnsafeBytes(of: checksum) { bytes.replaceSubrange(20..<24, with: $0) }
            put(name, bytes, transaction, database)
        }
    }

    @Test("Of a row of another entity, or with a malformed value")
    func shapes() throws {
        let person = try #require(model.entity(named: "Person"))
        let photo = try #require(person.attribute(named: "photo")?.slot)
        let pet = try #require(model.entity(named: "Pet"))
        try changeRow(1) { $0[4] = UInt8(pet.index.rawValue) }
        #expect(try messages().reading == "the row is damaged: it is not of the model's shape")
        try changeRow(1) { ($0[4], $0[7]) = (77, 0x80) }
        #expect(try messages().reading == "the row is damaged: the catalog knows no entity 77 in its hierarchy")
        try change(Names.rows(root: "Person")) { delete(reference(1), $0, $1) }
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        try store.insert([try maker.row("Person", 60, ["photo": .data(Data([9]))])])
        try store.close()
        try changeRow(60) { bytes in
            bytes[7] |= 0x80
            let word = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: RowLayout.offset(ofSlot: photo), as: UInt32.self) }
            bytes[Int(word)] = 0xEE
        }
        #expect(try messages().reading == "a value has no tag")
    }

    @Test("Of a key or an entry of another size")
    func sizes() throws {
        try change(Names.rows(root: "Person")) { put([200, 0, 0, 0], [UInt8](repeating: 0, count: 240), $0, $1) }
        #expect(try messages().reading == "a key is no reference")
        try change(Names.index("byName", of: "Person")) { put([0], [1, 2, 3], $0, $1) }
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        let plan = try maker.plan("Person", sort: [QuerySort("name")], limit: 50)
        #expect(messageOfError { _ = try store.fetch(plan) } == "an index holds no reference")
        try store.close()
    }

    @Test("Of a history without its database, or with a damaged transaction")
    func histories() throws {
        func message() throws -> String? {
            let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
            defer { try? store.close() }
            return messageOfError { _ = try store.history(HistoryQuery()) }
        }
        try change(Names.history) { put(reference(-1), [], $0, $1) }
        #expect(try message() == "malformed transaction in the history")
        try change(Names.history) {
            delete(reference(-1), $0, $1)
            var writer = ByteWriter()
            writer.put(UInt64(0))
            writer.put(content: [])
            let head = writer.record()
            put(reference(-1), [UInt8(head.count), 0, 0, 0, 0, 0, 0, 0] + head, $0, $1)
        }
        #expect(try message() == "a key of the history is no number")
        try change(Names.history) { #expect(mdb_drop($0, $1, 1) == 0) }
        #expect(try message() == "the file has no database for its history")
    }

    @Test("Of a link that is malformed, or that one of its ends lacks")
    func links() throws {
        let first = Names.links("friends", of: "Person", isSecond: false)
        let link = LinkEntry(other: 2, order: nil).bytes(isOrdered: false)
        try change(first) { put(reference(1), link, $0, $1) }
        #expect(try messages().verifying == "a link lies under one of its ends only")
        try change(first) { put(reference(3), [1, 2, 3], $0, $1) }
        #expect(try messages().verifying == "a link is damaged")
        try change(first) {
            delete(reference(3), $0, $1)
            put([9, 0, 0, 0], link, $0, $1)
        }
        #expect(try messages().verifying == "a link has no owner")
    }

    @Test("Of an index that lacks a changed row")
    func lostEntries() throws {
        try change(Names.index("byName", of: "Person")) { #expect(mdb_drop($0, $1, 0) == 0) }
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        defer { try? store.close() }
        let row = try #require(try store.fetch(maker.plan("Person")).first)
        var changes = ChangeSet()
        changes.updated = [try maker.update(row, ["name": "changed"])]
        #expect(messageOfError { try store.save(changes) } == "index index:Person:byName lacks row 1")
    }

    @Test("Of what the store says about itself")
    func description() throws {
        func opening() -> String? { messageOfError { _ = try LMDBDriver().open(Sample.description(scratch.file()), model: model) } }
        func format(_ magic: String, _ version: Int64) throws {
            var writer = ByteWriter()
            writer.put(text: magic)
            writer.put(version)
            let record = writer.record()
            try change(Names.store) { put(Array(Names.format.utf8), record, $0, $1) }
        }
        try format(SchemaOpener.magic, 99)
        #expect(opening() == "the store's format is version 99")
        try format("other", 1)
        #expect(opening() == "the file is no store of Strata's")
        try format(SchemaOpener.magic, SchemaOpener.formatVersion)
        try change(Names.store) { put(Array(Names.lastReference(root: "Pet").utf8), [1], $0, $1) }
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        let transaction = try store.beginWrite()
        let pet = try #require(model.entity(named: "Pet"))
        #expect(messageOfError { _ = try transaction.reserveReferences(1, root: pet.root) } == "the last reference is damaged")
        transaction.rollback()
        try store.close()
        var metadata = try LMDBDriver().metadata(at: .file(scratch.file()))
        metadata.type = StoreType(rawValue: "Other")
        let record = try metadata.record()
        try change(Names.store) { put(Array(Names.metadata.utf8), record, $0, $1) }
        #expect(opening() == "the store is of type Other")
        try change(Names.store) { delete(Array(Names.metadata.utf8), $0, $1) }
        #expect(opening() == "the store's description of itself is damaged")
        try change(Names.store) { #expect(mdb_drop($0, $1, 0) == 0) }
        #expect(messageOfError { _ = try LMDBDriver().metadata(at: .file(scratch.file())) } == "the file holds no store")
    }

    @Test("Of a database of another program")
    func foreign() throws {
        let path = scratch.file("Other")
        var environment: OpaquePointer?
        try #require(mdb_env_create(&environment) == 0)
        try #require(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
        var transaction: OpaquePointer?
        try #require(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
        var handle: MDB_dbi = 0
        try #require(mdb_dbi_open(transaction, nil, 0, &handle) == 0)
        put([1], [1], try #require(transaction), handle)
        try #require(mdb_txn_commit(transaction) == 0)
        mdb_env_close(environment)
        #expect(
            messageOfError { _ = try LMDBDriver().open(Sample.description(path), model: model) } == "the LMDB file is no store of Strata's")
    }

    @Test("Of a model that the rows do not fit")
    func models() throws {
        func opening(_ model: ManagedObjectModel, isReadOnly: Bool = false) -> String? {
            messageOfError {
                let description = Sample.description(scratch.file()) {
                    $0.options.ignoresModelVersion = true
                    $0.isReadOnly = isReadOnly
                    $0.configuration = nil
                }
                _ = try LMDBDriver().open(description, model: model)
            }
        }
        let other = try ManagedObjectModel(entities: [Entity("Person") { Attribute("name", .date) }])
        #expect(opening(other) == "the rows have another shape than the model's: Person")
        #expect(
            opening(try Sample.model(extra: true), isReadOnly: true)
                == "the store lacks entities of the model, and is opened for reading only")
    }
}
