import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataStore
import Synchronization
import Testing

@testable import StrataEngine

@Suite("The files of atomic stores")
struct AtomicFilesTests {
    let disk = MemoryFileSystem(directories: ["/d", "/e"])
    let tiny: Tiny
    let path = "/d/Store.tiny"

    init() throws { tiny = Tiny(company: try Company(), fileSystem: disk) }

    private var values: [String] { disk.files.filter { $0.contains("_EXTERNAL_DATA") } }

    private func photo(_ byte: UInt8, _ count: Int = 200) -> Value { .data(Data(repeating: byte, count: count)) }

    private func makeStore(_ path: String = "/d/Store.tiny", name: String = "Ann") throws -> any StoreBackend {
        let store = try tiny.open(path)
        try tiny.save(store) { $0.inserted = [try tiny.company.row("Person", 1, ["name": .string(name), "photo": photo(1)])] }
        return store
    }

    /// Begins a transaction that writes another photo.
    private func replacePhoto(_ store: any StoreBackend) throws -> any StoreTransaction {
        var changes = ChangeSet()
        changes.updated = [tiny.company.update(try tiny.company.row("Person", 1, version: 2, ["photo": photo(2)]))]
        let transaction = try store.beginWrite()
        _ = try transaction.apply(changes)
        return transaction
    }

    @Test("A large value lies in a file of its own and comes back with its row")
    func external() throws {
        try makeStore().close()
        #expect(values.count == 1)
        #expect(try disk.contents(of: try #require(values.first)) == Array(repeating: 1, count: 200))
        #expect(try tiny.photo(tiny.open(), 1) == Array(repeating: 1, count: 200))
    }

    @Test("A value below the threshold lies in the store's file")
    func small() throws {
        let store = try tiny.open()
        try tiny.save(store) { changes in
            changes.inserted = [
                try tiny.company.row("Person", 1, ["photo": photo(1, 99)]), try tiny.company.row("Person", 2, ["photo": photo(2, 100)]),
            ]
        }
        #expect(values.count == 1)
        #expect(try tiny.photo(tiny.open(), 1) == Array(repeating: 1, count: 99))
    }

    @Test("A value that did not change is not written again, neither in the same process nor after reopening")
    func unchanged() throws {
        let store = try makeStore()
        let before = values
        let row = try tiny.company.row("Person", 1, version: 2, ["name": "Bea", "photo": photo(1)])
        try tiny.save(store) { $0.updated = [RowUpdate(row: row, changedSlots: [try tiny.company.slot("Person", "name")])] }
        #expect(values == before)
        try store.close()
        let again = try tiny.open()
        try tiny.save(again) { $0.inserted = [try tiny.company.row("Person", 2)] }
        #expect(values == before)
        #expect(try tiny.photo(tiny.open(), 1) == Array(repeating: 1, count: 200))
    }

    @Test("The file of a value that changed or was deleted goes after the commit")
    func replaced() throws {
        let store = try makeStore()
        let before = values
        let transaction = try replacePhoto(store)
        try transaction.prepare()
        #expect(Set(before).isSubset(of: values))
        #expect(values.count == 2)
        try transaction.commit()
        #expect(values.count == 1)
        #expect(values != before)
        #expect(try tiny.photo(tiny.open(), 1) == Array(repeating: 2, count: 200))
        let entity = try tiny.company.entity("Person").index
        try tiny.save(store) { $0.deleted = [RowDeletion(entity: entity, reference: 1, expectedVersion: 2)] }
        #expect(values.isEmpty)
    }

    @Test("A rollback removes the files that it wrote and keeps those that the store has")
    func rollback() throws {
        let store = try makeStore()
        let before = values
        let transaction = try replacePhoto(store)
        try transaction.prepare()
        transaction.rollback()
        #expect(values == before)
        // The old value was not forgotten with the transaction.
        try tiny.save(store) { $0.inserted = [try tiny.company.row("Person", 2)] }
        #expect(values == before)
    }

    // Another store's rollback after a commit removed the files that the commit had named.
    @Test("What is called after the commit changes nothing, not even the large values of the next transaction")
    func afterCommit() throws {
        let store = try makeStore()
        let first = try replacePhoto(store)
        try first.commit()
        first.rollback()
        #expect(values.count == 1)
        var changes = ChangeSet()
        changes.updated = [tiny.company.update(try tiny.company.row("Person", 1, version: 3, ["photo": photo(3)]))]
        let before = values
        let second = try store.beginWrite()
        #expect(code { _ = try first.apply(changes) } == .closed)
        #expect(code { _ = try first.reserveReferences(1, root: 0) } == .closed)
        first.rollback()
        changes.updated = []
        changes.inserted = [try tiny.company.row("Person", 2)]
        _ = try second.apply(changes)
        try second.commit()
        #expect(values == before)
        #expect(try tiny.photo(store, 1) == Array(repeating: 2, count: 200))
    }

    @Test("An existing store's metadata are read once when it is opened, and again only where its file was replaced meanwhile")
    func metadataReadOnce() throws {
        try makeStore().close()
        let reads = Mutex(0)
        let codec = CountingCodec(base: tiny.driver.codec) { reads.withLock { $0 += 1 } }
        let driver = AtomicStoreDriver(codec, fileSystem: disk)
        for isReadOnly in [false, true] {
            reads.withLock { $0 = 0 }
            try driver.open(StoreDescription(driver, path: path, isReadOnly: isReadOnly), model: tiny.company.model).close()
            #expect(reads.withLock { $0 } == 1)
        }
        // Another program puts a store of another identity in place after the first look.
        try tiny.open("/e/Other.tiny").close()
        let other = try disk.contents(of: "/e/Other.tiny")
        let replacing = CountingCodec(base: tiny.driver.codec) {
            let isSecond = reads.withLock { count in
                count += 1
                return count == 2
            }
            if isSecond { try AtomicReplacement.prepare(path: path, fileSystem: disk) { try $0.write(other) }.commit() }
        }
        let second = AtomicStoreDriver(replacing, fileSystem: disk)
        let store = try second.open(StoreDescription(second, path: path), model: tiny.company.model)
        #expect(reads.withLock { $0 } == 3)
        #expect(try store.metadata().storeID == tiny.driver.metadata(at: "/e/Other.tiny").storeID)
    }

    @Test("A store whose value's file is missing opens, and a name that leads elsewhere is refused")
    func missing() throws {
        try makeStore().close()
        try disk.unlink(try #require(values.first))
        try tiny.open().close()
        let external = ExternalValues(directory: ExternalDataDirectory(storePath: path, fileSystem: disk))
        #expect(code { _ = try external.value(named: "../../Store.tiny", at: .init(root: 0, reference: 1, slot: 0)) } == .corrupt)
    }

    @Test("Metadata can be read and changed only while no process has the store open")
    func metadata() throws {
        let store = try makeStore()
        var metadata = try tiny.driver.metadata(at: path)
        metadata.userInfo["note"] = .string("hello")
        #expect(
            messageOfError { try tiny.driver.setMetadata(metadata, at: path) } == "another coordinator or process uses the store")
        try store.close()
        try tiny.driver.setMetadata(metadata, at: path)
        #expect(try tiny.driver.metadata(at: path) == metadata)
        let again = try tiny.open()
        #expect(try again.metadata().userInfo["note"] == .string("hello"))
        #expect(try tiny.names(again) == ["Ann"])
        #expect(code { try tiny.driver.setMetadata(metadata, at: "/d/Nothing.tiny") } == .missing)
    }

    @Test("Destroying removes the store with all its files, but not while it is open, and nothing that is no store")
    func destroy() throws {
        let store = try makeStore()
        #expect(code { try tiny.driver.destroy(at: path) } == .locked)
        try store.close()
        try tiny.driver.destroy(at: path)
        #expect(disk.files.isEmpty)
        try tiny.driver.destroy(at: path)
        let file = try disk.open("/d/letter.txt", .create(permissions: 0o644))
        try file.write(Array("Dear".utf8), at: 0)
        #expect(code { try tiny.driver.destroy(at: "/d/letter.txt") } == .foreign)
        #expect(disk.exists("/d/letter.txt"))
    }

    @Test("A file that another program replaces meanwhile, or replaces again and again, is an error")
    func replacedMeanwhile() throws {
        try makeStore().close()
        let isReplacing = Mutex(false)
        let codec = CountingCodec(base: tiny.driver.codec) {
            guard isReplacing.withLock({ $0 }) else { return }
            let bytes = try disk.contents(of: path)
            try AtomicReplacement.prepare(path: path, fileSystem: disk) { try $0.write(bytes) }.commit()
        }
        let driver = AtomicStoreDriver(codec, fileSystem: disk)
        let store = try driver.open(StoreDescription(driver, path: path), model: tiny.company.model)
        isReplacing.withLock { $0 = true }
        // The first one.
        _ = try driver.metadata(at: path)
        #expect(messageOfError { try store.refresh() } == "others replace the file again and again")
        try store.close()
        #expect(messageOfError { try driver.destroy(at: path) } == "another process replaced the file meanwhile")
    }

    @Test("A file of another type, and a copy that would have the same files for its values, are refused")
    func refusals() throws {
        try makeStore().close()
        #expect(
            messageOfError { try tiny.driver.replace(at: "/d/Store.bin", withStoreAt: path) }
                == "the copy would share the files of its external values with the original; "
                + "give it a name that differs before the extension")
        let text = String(decoding: try disk.contents(of: path), as: UTF8.self).replacing(">Tiny<", with: ">Other<")
        try AtomicReplacement.prepare(path: path, fileSystem: disk) { try $0.write(Array(text.utf8)) }.commit()
        #expect(messageOfError { _ = try tiny.driver.metadata(at: path) } == "the store is of type Other, not Tiny")
    }

    @Test("Destroying keeps the large values of a store whose name differs in the extension only")
    func sharedDirectory() throws {
        let other = try makeStore("/d/Store.bin", name: "Bea")
        try makeStore().close()
        try tiny.driver.destroy(at: path)
        #expect(try tiny.photo(tiny.open("/d/Store.bin"), 1) == Array(repeating: 1, count: 200))
        try other.close()
    }

    @Test("Replacing puts a copy with all its files where another store was, or none", arguments: [true, false])
    func replace(hasOld: Bool) throws {
        try makeStore("/e/Source.tiny", name: "Bea").close()
        if hasOld {
            let store = try makeStore()
            #expect(code { try tiny.driver.replace(at: path, withStoreAt: "/e/Source.tiny") } == .locked)
            try store.close()
        }
        try tiny.driver.replace(at: path, withStoreAt: "/e/Source.tiny")
        for path in [path, "/e/Source.tiny"] {
            let store = try tiny.open(path)
            #expect(try tiny.names(store) == ["Bea"])
            #expect(try tiny.photo(store, 1) == Array(repeating: 1, count: 200))
            try store.close()
        }
        #expect(values.count == 2)
        #expect(code { try tiny.driver.replace(at: path, withStoreAt: "/e/Nothing.tiny") } == .missing)
    }
}
