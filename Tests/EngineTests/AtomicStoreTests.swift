import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Stores that are one file")
struct AtomicStoreTests {
    let disk = MemoryFileSystem(directories: ["/d"])
    let tiny: Tiny
    let path = "/d/Store.tiny"

    init() throws { tiny = Tiny(company: try Company(), fileSystem: disk) }

    private func insert(_ store: any StoreBackend, _ names: String...) throws {
        try tiny.save(store) { changes in
            let transaction = Int64(try tiny.names(store).count)
            changes.inserted = try names.enumerated().map {
                try tiny.company.row("Person", transaction + Int64($0.offset) + 1, ["name": .string($0.element)])
            }
        }
    }

    private func put(_ text: String, at path: String) throws {
        let file = try disk.open(path, .create(permissions: 0o644))
        try file.truncate(to: 0)
        try file.write(Array(text.utf8), at: 0)
        try file.synchronize()
    }

    @Test("A new store is on disk at once, and what was saved is there after it was opened again")
    func roundTrip() throws {
        let store = try tiny.open()
        #expect(try tiny.driver.metadata(at: path).storeID == store.id)
        try insert(store, "Ann", "Bea")
        try tiny.save(store) { changes in
            changes.inserted = [try tiny.company.row("Project", 1)]
            changes.links = [LinkChange(table: 0, kind: .put, link: Link(first: 1, second: 2))]
        }
        let transaction = try store.beginWrite()
        let root = try tiny.company.entity("Person").root
        #expect(try transaction.reserveReferences(5, root: root) == 3)
        try transaction.commit()
        try store.close()

        let again = try tiny.open()
        #expect(again.id == store.id)
        #expect(try tiny.names(again) == ["Ann", "Bea"])
        #expect(try again.read { try $0.links(of: tiny.company.model.linkTables[0]) } == [Link(first: 1, second: 2)])
        #expect(try again.beginWrite().reserveReferences(1, root: root) == 8)
        #expect(try again.metadata().userInfo[StoreMetadata.writerKey] == .string("2"))
    }

    @Test("A file of no length is a new store")
    func empty() throws {
        try put("", at: path)
        #expect(code { _ = try tiny.driver.metadata(at: path) } == .missing)
        let store = try tiny.open()
        try insert(store, "Ann")
        try store.close()
        #expect(try tiny.names(tiny.open()) == ["Ann"])
    }

    @Test("What cannot be opened is left as it was")
    func refusals() throws {
        try put("something else", at: path)
        #expect(code { _ = try tiny.open() } == .foreign)
        #expect(try disk.contents(of: path) == Array("something else".utf8))
        try put("TINY{", at: path)
        #expect(code { _ = try tiny.open() } == .corrupt)
        #expect(try disk.contents(of: path) == Array("TINY{".utf8))
        #expect(disk.files == [path])
        #expect(code { _ = try tiny.open("/d") } == .foreign)
        #expect(code { _ = try tiny.open("/nowhere/Store.tiny") } == .missing)
        #expect(code { _ = try tiny.open("/d/Other.tiny", isReadOnly: true) } == .missing)
    }

    @Test("A store of another version of the model opens only where that is asked for")
    func otherModel() throws {
        try tiny.open().close()
        let other = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
        var description = StoreDescription(tiny.driver, path: path)
        #expect(code { _ = try tiny.driver.open(description, model: other) } == .incompatibleModel)
        description.options.ignoresModelVersion = true
        #expect(code { try tiny.driver.open(description, model: other).close() } == nil)
    }

    @Test("Rows that are there twice make a file damaged")
    func twice() throws {
        let row = try tiny.company.row("Person", 1)
        var contents = TableContents(
            metadata: try StoreMetadata(newStoreOf: tiny.driver.type, model: tiny.company.model, configuration: nil))
        contents.rows[row.entityIndex] = [row, row]
        try AtomicReplacement.prepare(path: path, fileSystem: disk) { sink in
            try tiny.driver.codec.write(contents, model: tiny.company.model, external: ExternalValues(directory: nil), to: &sink)
        }.commit()
        #expect(code { _ = try tiny.open() } == .corrupt)
    }

    // The second was refused for ever, whatever it wanted to save.
    @Test("Of two that have a store open, the second to save saves upon what the first did, and overwrites nothing")
    func lostUpdate() throws {
        let (first, second) = (try tiny.open(), try tiny.open())
        try insert(first, "Ann")
        #expect(try tiny.names(second).isEmpty)
        let transaction = try second.beginWrite()
        let root = try tiny.company.row("Person", 1).entityIndex
        #expect(try transaction.reserveReferences(1, root: root) == 2)
        var changes = ChangeSet()
        let stale = try tiny.company.row("Person", 1, version: 2, ["name": "Bea"])
        changes.inserted = [try tiny.company.row("Person", 1, ["name": "Bea"])]
        guard case .changed? = try transaction.apply(changes).first?.reason else {
            Issue.record("the row is not there")
            return
        }
        transaction.rollback()
        #expect(try tiny.names(second) == ["Ann"])
        try tiny.save(second) { $0.updated = [tiny.company.update(stale)] }
        #expect(try tiny.names(tiny.open()) == ["Bea"])
    }

    @Test("A store that is damaged by another is not saved over")
    func damagedByOthers() throws {
        let store = try tiny.open()
        try insert(store, "Ann")
        try put("TINY{", at: path)
        #expect(code { try insert(store, "Bea") } == .corrupt)
        #expect(try disk.contents(of: path) == Array("TINY{".utf8))
        #expect(try tiny.names(store) == ["Ann"])
    }

    @Test("A file of the same length from another program is detected")
    func sameLength() throws {
        let first = try tiny.open()
        try insert(first, "Ann")
        let second = try tiny.open()
        let size = try disk.status(of: path).size
        for version in UInt32(2)...3 {
            let row = try tiny.company.row("Person", 1, version: version, ["name": .string("Be\(version)")])
            try tiny.save(first) { $0.updated = [tiny.company.update(row)] }
        }
        #expect(try disk.status(of: path).size == size)
        let transaction = try second.beginWrite()
        transaction.rollback()
        #expect(try tiny.names(second) == ["Be3"])
    }

    @Test("A store whose place another one has taken does not become that one when it is refreshed")
    func otherStore() throws {
        let (store, other) = (try tiny.open(), try tiny.open("/d/Other.tiny"))
        try insert(store, "Ann")
        try insert(other, "Bea")
        try other.close()
        try disk.rename("/d/Other.tiny", to: path)
        #expect(code { try store.refresh() } == .replaced)
        #expect(try tiny.names(store) == ["Ann"])
        #expect(code { try insert(store, "Cid") } == .replaced)
    }

    /// The older copy was loaded, and saved upon: contexts had objects that it lacks, and gave their references out once more.
    @Test("A refresh and a save are refused where an older copy replaces the file, also one that was saved to since", arguments: [0, 1, 2])
    func olderCopy(saves: Int) throws {
        let store = try tiny.open()
        try insert(store, "Ann")
        let copy = try disk.contents(of: path)
        try insert(store, "Bea")
        try disk.unlink(path)
        let file = try disk.open(path, .create(permissions: 0o644))
        try file.write(copy, at: 0)
        try file.synchronize()
        let other = try tiny.open()
        for number in 0..<saves { try insert(other, "Cid \(number)") }
        let message = "the file was replaced by an older copy; open the store again"
        #expect(messageOfError { try store.refresh() } == message)
        #expect(messageOfError { try insert(store, "Dora") } == message)
        #expect(code { try insert(store, "Dora") } == .replaced)
        #expect(try tiny.names(store) == ["Ann", "Bea"])
        let again = try tiny.open()
        try insert(again, "Dora")
        #expect(try tiny.names(again) == ["Ann"] + (0..<saves).map { "Cid \($0)" } + ["Dora"])
    }

    @Test("More saves of others than a file names are loaded")
    func manySavesOfOthers() throws {
        let (store, other) = (try tiny.open(), try tiny.open())
        for count in [0, 1, 7, 8, 9, 20] {
            for number in 0..<count { try insert(other, "\(count) \(number)") }
            try store.refresh()
            #expect(try tiny.names(store) == tiny.names(other))
        }
    }

    @Test("A save is refused where the file was deleted")
    func removed() throws {
        let store = try tiny.open()
        try disk.rename(path, to: "/d/Moved.tiny")
        let message = "the file was removed or moved since it was loaded; put it back, or open the store again"
        #expect(messageOfError { try insert(store, "Ann") } == message)
        #expect(!disk.exists(path))
        try disk.rename("/d/Moved.tiny", to: path)
        #expect(code { try insert(store, "Ann") } == nil)
        try disk.unlink(path)
        #expect(code { try insert(store, "Bea") } == .missing)
        #expect(!disk.exists(path))
    }

    // An empty file and a directory had one message, "something else took the place of the file".
    @Test("A refresh after the file was replaced reports the kind of the new file")
    func replacedByOtherKinds() throws {
        func refresh(_ store: any StoreBackend, _ expected: String, _ replace: () throws -> Void) throws {
            try disk.rename(path, to: "/d/Before: \(expected)")
            try replace()
            let error = #expect(throws: StoreError.self) { try store.refresh() }
            #expect(error?.code == .replaced)
            #expect(error?.message == expected)
        }
        let store = try tiny.open()
        try refresh(store, "the file was replaced by an empty file; open the store again") { try put("", at: path) }
        try refresh(store, "the file was replaced by something that is not a regular file; open the store again") {
            try disk.makeDirectory(path, permissions: 0o755)
        }
        try refresh(store, "the file was replaced by one that is not a store of this kind; open the store again") {
            try put("something else", at: path)
        }
        try refresh(store, "the file was replaced by a loop of symbolic links; open the store again") {
            try disk.makeLink(path, to: path)
        }
        try refresh(store, "the store was replaced by another one; open the store again") { try tiny.open().close() }
    }

    /// What came into the file's place while a save was written was overwritten.
    @Test("A save is refused where the file is replaced or moved away while it is written", arguments: [true, false])
    func replacedWhileWriting(_ isReplaced: Bool) throws {
        let store = try tiny.open()
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try tiny.company.row("Person", 1)]
        _ = try transaction.apply(changes)
        try transaction.prepare()
        try disk.rename(path, to: "/d/Moved.tiny")
        if isReplaced { try put("something else", at: path) }
        let before = try disk.contents(of: "/d/Moved.tiny")
        #expect(
            messageOfError { try transaction.commit() }
                == (isReplaced
                    ? "another program changed the file while it was saved to; save again"
                    : "the file was removed or moved since it was loaded; put it back, or open the store again"))
        #expect(try disk.contents(of: "/d/Moved.tiny") == before)
        if isReplaced {
            #expect(try disk.contents(of: path) == Array("something else".utf8))
        } else {
            #expect(!disk.exists(path))
        }
        #expect(disk.files.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test("While one writes, the other waits and gives up after the time-out")
    func turns() throws {
        let (first, second) = (try tiny.open(), try tiny.open(timeout: 0.02))
        let transaction = try first.beginWrite()
        #expect(code { _ = try second.beginWrite() } == .locked)
        #expect(code { _ = try first.beginWrite() } == .locked)
        transaction.rollback()
        #expect(code { try second.beginWrite().rollback() } == nil)
    }

    @Test("What is prepared is not in the store until the commit, and a rollback leaves nothing")
    func preparation() throws {
        let store = try tiny.open()
        let before = disk.files
        let content = try disk.contents(of: path)
        var changes = ChangeSet()
        changes.inserted = [try tiny.company.row("Person", 1, ["name": "Ann", "photo": .data(Data(count: 500))])]
        var transaction = try store.beginWrite()
        _ = try transaction.apply(changes)
        try transaction.prepare()
        #expect(try disk.contents(of: path) == content)
        #expect(disk.files.count == before.count + 2)
        transaction.rollback()
        #expect(disk.files.filter { !$0.contains("SUPPORT") } == before.filter { !$0.contains("SUPPORT") })
        #expect(disk.files == before)

        transaction = try store.beginWrite()
        _ = try transaction.apply(changes)
        try transaction.prepare()
        try transaction.commit()
        #expect(try tiny.names(tiny.open()) == ["Ann"])
    }

    @Test("A transaction without changes leaves the file alone")
    func nothing() throws {
        let store = try tiny.open()
        let inode = try disk.status(of: path).inode
        try store.beginWrite().commit()
        try tiny.save(store) { _ in }
        #expect(try disk.status(of: path).inode == inode)
    }

    @Test("A store opened for reading only reads what is there and cannot be written")
    func readOnly() throws {
        let writer = try tiny.open()
        try insert(writer, "Ann")
        let reader = try tiny.open(isReadOnly: true)
        #expect(try tiny.names(reader) == ["Ann"])
        #expect(code { _ = try reader.beginWrite() } == .readOnly)
        try insert(writer, "Bea")
        #expect(try tiny.names(reader) == ["Ann"])
    }

    @Test("A closed store does nothing any more")
    func closed() throws {
        let store = try tiny.open()
        try store.close()
        try store.close()
        #expect(code { _ = try tiny.names(store) } == .closed)
        #expect(code { _ = try store.beginWrite() } == .closed)
        #expect(code { _ = try store.metadata() } == .closed)
    }

    // Closing threw `locked` and left the store open, and its coordinator had forgotten it already.
    @Test("A store is closed although a transaction does not end in time, and gives its file free with it", arguments: [true, false])
    func closedDuringTransaction(commits: Bool) throws {
        let store = try tiny.open(timeout: 0.02)
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try tiny.company.row("Person", 1, ["name": "Ann"])]
        _ = try transaction.apply(changes)
        try store.close()
        #expect(code { _ = try tiny.names(store) } == .closed)
        #expect(code { _ = try store.beginWrite() } == .closed)
        #expect(code { try tiny.driver.destroy(at: .file(path)) } == .locked)
        if commits { try transaction.commit() } else { transaction.rollback() }
        let again = try tiny.open()
        #expect(try tiny.names(again) == (commits ? ["Ann"] : []))
        try again.close()
        #expect(code { try tiny.driver.destroy(at: .file(path)) } == nil)
    }

    @Test("Leftovers of writers that ended early go when the store is opened")
    func leftovers() throws {
        try tiny.open().close()
        // Process numbers end below this one.
        try put("half", at: "/d/.Store.tiny.2147483646.abc.tmp")
        try put("another's", at: "/d/.Other.tiny.2147483646.abc.tmp")
        try tiny.open().close()
        #expect(!disk.exists("/d/.Store.tiny.2147483646.abc.tmp"))
        #expect(disk.exists("/d/.Other.tiny.2147483646.abc.tmp"))
    }
}
