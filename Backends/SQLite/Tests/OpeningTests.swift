import Foundation
import StrataModel
import StrataPlatform
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

@Suite("Opening a store that is there")
struct OpeningTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        model = try Models.shop()
        try open(sandbox.path(), model).close()
    }

    /// Returns the statements that opening runs.
    private func statements(
        isReadOnly: Bool = false, ignoresModelVersion: Bool = false, _ use: (any StoreBackend) throws -> Void = { _ in }
    ) throws -> [String] {
        let log = RecordedLog()
        var description = StoreDescription(.sqlite(logger: log.logger()), path: sandbox.path(), isReadOnly: isReadOnly)
        description.options.ignoresModelVersion = ignoresModelVersion
        let store = try openStore(description, model: model)
        let found = log.lines
        try use(store)
        try store.close()
        return found
    }

    /// Returns the inspections of a table's columns among statements.
    private func inspections(_ statements: [String]) -> [String] { statements.filter { $0.contains("pragma_table_info") } }

    private func isUsable(_ store: any StoreBackend) throws -> Bool {
        guard try store.insert(row(model, "Book", 1, ["pages": 3])).isEmpty else { return false }
        return try store.fetch(FetchPlan(#require(model.entity(named: "Book")))).count == 1
    }

    @Test("Opening asks for the catalogue, the metadata and the entities' numbers, and inspects no table")
    func unchanged() throws {
        let statements = try statements()
        #expect(statements.filter { $0.hasPrefix("SELECT") }.count == 4)
        #expect(statements.count <= 17, "\(statements)")
        #expect(inspections(statements).isEmpty)
        #expect(!statements.contains { $0.contains("table_info") })
    }

    @Test("So does opening for reading only")
    func readOnly() throws {
        let statements = try statements(isReadOnly: true)
        #expect(statements.filter { $0.hasPrefix("SELECT") }.count == 3)
        #expect(statements.count <= 10, "\(statements)")
    }

    @Test("A table that another program gave a column is inspected, the others are not")
    func columnAdded() throws {
        try script(sandbox.path(), "ALTER TABLE ZBOOK ADD COLUMN ZNOTE VARCHAR")
        var isUsed = false
        let statements = try statements { isUsed = try isUsable($0) }
        #expect(isUsed)
        #expect(inspections(statements).count == 1)
    }

    @Test(
        "A column that another program renamed or removed is missed", arguments: ["RENAME COLUMN ZPAGES TO ZLEAVES", "DROP COLUMN ZTEXT"])
    func columnMissing(_ change: String) throws {
        try script(sandbox.path(), "ALTER TABLE ZBOOK \(change)")
        #expect(code { _ = try statements() } == .corrupt)
    }

    @Test("A table that another program made anew with the same columns is inspected, and serves")
    func tableMadeAnew() throws {
        let sql = try #require(raw(sandbox.path(), "SELECT sql FROM sqlite_master WHERE name = 'ZTAG'").first?[0])
        let other = sql.replacing("CREATE TABLE ZTAG (", with: "CREATE TABLE ztag (")
        try script(sandbox.path(), "DROP TABLE ZTAG; \(other)")
        var isUsed = false
        let statements = try statements { isUsed = try isUsable($0) }
        #expect(isUsed)
        #expect(inspections(statements).count == 1)
    }

    // The schema's version number is that of before, as after a copy over another database.
    @Test("A table that was changed is inspected whatever the schema's version number says")
    func versionNumberSetBack() throws {
        let version = try #require(raw(sandbox.path(), "PRAGMA schema_version").first?[0])
        try script(sandbox.path(), "ALTER TABLE ZBOOK DROP COLUMN ZTEXT; PRAGMA schema_version = \(version)")
        #expect(code { _ = try statements() } == .corrupt)
    }

    @Test("Entity numbers that another program changed are read with every opening")
    func numbersChanged() throws {
        let model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
        let path = sandbox.path("Numbers.sqlite")
        try open(path, model).close()
        try script(path, "UPDATE Z_PRIMARYKEY SET Z_ENT = 100")
        let store = try open(path, model)
        #expect(try store.insert(row(model, "Account", 1, ["balance": 1])).isEmpty)
        try store.close()
        #expect(try raw(path, "SELECT Z_ENT FROM ZACCOUNT") == [["100"]])
    }

    @Test("A store without one of its tables is damaged", arguments: ["ZBOOK", "Z_2TAGS", "Z_PRIMARYKEY"])
    func tableMissing(_ table: String) throws {
        try script(sandbox.path(), "DROP TABLE \(table)")
        #expect(code { _ = try statements() } == .corrupt)
    }

    @Test("A value whose column another program removed, and one of no attribute, are refused")
    func slots() throws {
        try script(sandbox.path(), "ALTER TABLE ZBOOK DROP COLUMN ZTEXT")
        var options = StoreOptions()
        options.ignoresModelVersion = true
        let tolerant = try open(sandbox.path(), model, options: options)
        let (comic, book) = (try row(model, "Comic", 1), try row(model, "Book", 1))
        #expect(messageOfError { _ = try tolerant.insert(comic) } == "the store's table has no column for it")
        #expect(
            messageOfError { try tolerant.save(ChangeSet(updated: [RowUpdate(row: book, changedSlots: [99])])) } == "there is no slot 99")
        try tolerant.close()
    }

    @Test("A file that is replaced whenever it is opened is given up after some attempts")
    func replaced() {
        let path = sandbox.path()
        let message = OpeningHook.run(path) {
            try? FileManager.default.copyItem(atPath: path, toPath: path + ".new")
            rename(path + ".new", path)
        } during: {
            messageOfError { _ = try open(path, model) }
        }
        #expect(message == "the file is being replaced")
    }

    @Test("A store that is emptied whenever it is opened is given up after some attempts")
    func emptied() {
        let path = sandbox.path()
        let message = OpeningHook.run(path) {
            truncate(path, 0)
        } during: {
            messageOfError { _ = try open(path, model) }
        }
        #expect(message == "others keep making and removing the store")
    }

    @Test("A file that the process may only read is not opened for writing")
    func denied() async {
        await #expect(processExitsWith: .success) {
            let (sandbox, model) = (try Sandbox(), try Models.shop())
            try open(sandbox.path(), model).close()
            #expect(chmod(sandbox.directory, 0o777) == 0)
            #expect(chmod(sandbox.path(), 0o444) == 0)
            // A privileged process may write all the same.
            if getuid() == 0 { #expect(setuid(65_534) == 0) }
            #expect(messageOfError { _ = try open(sandbox.path(), model) } == "the file may only be read")
        }
    }

    @Test("Indexes that come and go cost no inspection")
    func indexes() throws {
        try script(sandbox.path(), "DROP INDEX Z_Book_byPages; CREATE INDEX other ON ZBOOK (ZWEIGHT)")
        #expect(try inspections(statements()).isEmpty)
    }
}
