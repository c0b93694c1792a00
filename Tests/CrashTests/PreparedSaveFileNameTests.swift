import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataStore
import Testing

@testable import StrataCoordinator

@Suite("The names of an interrupted save's files")
struct PreparedSaveFileNameTests {
    private let disk = MemoryFileSystem(directories: ["/stores"])
    private let id = "01234567-89AB-CDEF-0123-456789ABCDEF"
    private let otherID = "01234567-89AB-CDEF-0123-456789ABCDE0"

    private func save(besideStoreAt path: String) -> PreparedSaveFile {
        PreparedSaveFile(
            id: id, storeID: "S", decidingStoreID: "H", storePath: AbsolutePath(path), decidingPath: AbsolutePath("/stores/home"),
            otherPaths: [],
            changes: [1, 2, 3])
    }

    @Test("do not change the transaction for the store's history, which a store without one has not")
    func history() throws {
        let path = "/stores/a"
        var save = save(besideStoreAt: path)
        (save.previousID, save.history) = ("earlier", HistoryRecord(time: 3.5, origin: [1, 0], body: [7, 8, 9]))
        try save.write(.pending, besideStoreAt: path, disk)
        let read = try #require(try PreparedSaveFile.read(PreparedSaveFileName(forStoreAt: path, id: id, .pending), disk))
        #expect(read.history == save.history)
        #expect(read.previousID == "earlier")
        save.history = nil
        try save.write(.pending, besideStoreAt: path, disk)
        #expect(try PreparedSaveFile.read(PreparedSaveFileName(forStoreAt: path, id: id, .pending), disk)?.history == nil)
    }

    /// Whatever a file said of itself was believed: that of another save, put in a save's place, was taken for it.
    @Test("say which save a file is of: under another one's name, or behind a link, it is damaged")
    func anotherSave() throws {
        let path = "/stores/a"
        try save(besideStoreAt: path).write(.pending, besideStoreAt: path, disk)
        let name = PreparedSaveFileName(forStoreAt: path, id: id, .pending)
        #expect(try PreparedSaveFile.read(name, disk)?.changes == [1, 2, 3])
        let other = PreparedSaveFileName(forStoreAt: path, id: otherID, .pending)
        #expect(try PreparedSaveFile.read(other, disk) == nil)
        try disk.rename(name.path, to: other.path)
        let error = #expect(throws: StoreError.self) { try PreparedSaveFile.read(other, disk) }
        #expect(error?.code == .inDoubt)
        try disk.makeLink(name.path, to: other.path)
        let linked = #expect(throws: StoreError.self) { try PreparedSaveFile.read(name, disk) }
        #expect(linked?.code == .inDoubt)
    }

    @Test("are cut beside a store of a long name, and those of older versions, which were not, are found", arguments: [154, 155, 209, 210])
    func longNames(_ length: Int) throws {
        let name = String(repeating: "n", count: length)
        let path = "/stores/" + name
        let current = PreparedSaveFileName(forStoreAt: path, id: id, .pending)
        #expect((current.path.contains(name)) == (length <= 154))
        try save(besideStoreAt: path).write(.pending, besideStoreAt: path, disk)
        #expect(try PreparedSaveFileName.all(forStoreAt: path, disk).map(\.path) == [current.path])
        if length > 209 { return }
        let older = "/stores/.\(name).\(id).pending"
        if older != current.path { try disk.rename(current.path, to: older) }
        let found = try PreparedSaveFileName.all(forStoreAt: path, disk)
        #expect(found.map(\.path) == [older])
        #expect(found.map(\.id) == [id])
        #expect(try found.first.flatMap { try PreparedSaveFile.read($0, disk) }?.storeID == "S")
    }

    @Test("of another store that was at this path before do not keep this one from opening")
    func anotherStore() throws {
        var accounts = Accounts(directory: "/stores", kinds: [.binary, .xml])
        accounts.files = disk
        try accounts.open { try accounts.set(1, $0) }
        let path = accounts.path(.binary)
        try save(besideStoreAt: path).write(.pending, besideStoreAt: path, disk)
        #expect(try accounts.amounts() == [1, 1])
        try accounts.open { try accounts.set(2, $0) }
        #expect(try accounts.amounts() == [2, 2])
    }
}
