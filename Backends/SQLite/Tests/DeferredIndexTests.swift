import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import Testing

@Suite("Indexes while a table is filled")
struct DeferredIndexTests {
    private let model: ManagedObjectModel
    private let sandbox: Sandbox
    private let store: any StoreBackend

    init() throws {
        model = try Models.shop()
        sandbox = try Sandbox()
        store = try open(sandbox.path(), model)
    }

    private func books(_ numbers: ClosedRange<Int64>) throws -> [Row] {
        try numbers.map {
            try row(
                model, $0.isMultiple(of: 3) ? "Novel" : "Book", $0,
                ["isbn": .string("isbn \($0)"), "pages": .int($0 % 97), "weight": .double(Double($0 % 13)), "author": .int($0 % 50)])
        }
    }

    private func save(_ rows: [Row], _ links: [LinkChange] = []) throws -> [StoreConflict] {
        var changes = ChangeSet()
        changes.inserted = rows
        changes.links = links
        return try store.save(changes)
    }

    /// The indexes and the pages at which they begin, which are others once they were made again.
    private func indexes() throws -> (texts: [[String?]], pages: [[String?]]) {
        try (
            raw(sandbox.path(), "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name"),
            raw(sandbox.path(), "SELECT name, rootpage FROM sqlite_master WHERE type = 'index' ORDER BY name")
        )
    }

    private var schemaVersion: String? { get throws { try raw(sandbox.path(), "PRAGMA schema_version")[0][0] } }

    private func isWhole() throws -> Bool { try raw(sandbox.path(), "PRAGMA integrity_check") == [["ok"]] }

    @Test("All of them exist after the save, also those of another process")
    func largeSave() throws {
        try script(
            sandbox.path(),
            "CREATE INDEX Z_MINE ON ZBOOK (ZPAGES + 1) WHERE ZWEIGHT > 3; create index \"of \"\"them\" on zbook (zisbn desc, zweight)")
        let before = try indexes()
        let tagging = try #require(
            model.linkTables.first { Set([$0.first, $0.second].map { model.entities[$0.entity].name }) == ["Book", "Tag"] })
        let isBookFirst = model.entities[tagging.first.entity].name == "Book"
        let links = (1...3_000).map { number in
            let (book, tag) = (Int64(number), Int64(number % 7 + 1))
            return LinkChange(
                table: tagging.index, kind: .put, link: isBookFirst ? Link(first: book, second: tag) : Link(first: tag, second: book))
        }
        let tags = try (1...7).map { try row(model, "Tag", $0, ["word": .string("tag \($0)")]) }
        #expect(try save(books(1...3_000) + tags, links).isEmpty)
        let after = try indexes()
        #expect(after.texts == before.texts)
        #expect(after.pages != before.pages)
        #expect(try isWhole())
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 7") == [["60"]])
        let found = (1...3_000).filter { $0 % 97 == 2 && $0 % 13 > 3 }.count
        #expect(
            try raw(sandbox.path(), "SELECT count(*) FROM ZBOOK INDEXED BY Z_MINE WHERE ZPAGES + 1 = 3 AND ZWEIGHT > 3") == [["\(found)"]])
    }

    @Test("A few rows beside many leave them where they are")
    func smallSave() throws {
        #expect(try save(books(1...3_000)).isEmpty)
        let version = try schemaVersion
        #expect(try save(books(3_001...5_000)).isEmpty)
        #expect(try save(books(5_001...5_010)).isEmpty)
        #expect(try schemaVersion == version)
        #expect(try save(books(6_000...12_000)).isEmpty)
        #expect(try schemaVersion != version)
        #expect(try isWhole())
    }

    @Test("A save with conflicts leaves them as they were")
    func conflict() throws {
        let before = try indexes()
        var rows = try books(1...2_000)
        rows.append(try row(model, "Book", 2_001, ["isbn": "isbn 5"]))
        let conflicts = try save(rows)
        #expect(conflicts.map(\.reference) == [2_001])
        let after = try indexes()
        #expect(after.texts == before.texts)
        #expect(after.pages == before.pages)
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM ZBOOK") == [["0"]])
        #expect(try save(books(1...2_000)).isEmpty)
        #expect(try isWhole())
    }

    @Test(
        "Statistics and triggers keep them",
        arguments: [
            "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT) SELECT 90000, Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'; ANALYZE",
            "CREATE TRIGGER COUNTING AFTER INSERT ON ZBOOK BEGIN UPDATE ZTAG SET ZWORD = NEW.ZISBN WHERE Z_PK = 1; END",
        ])
    func kept(setting: String) throws {
        try script(sandbox.path(), setting)
        let statistics =
            try raw(sandbox.path(), "SELECT name FROM sqlite_master WHERE name = 'sqlite_stat1'").isEmpty
            ? [] : raw(sandbox.path(), "SELECT * FROM sqlite_stat1")
        let before = try indexes()
        #expect(try save(books(1...2_000)).isEmpty)
        #expect(try indexes().pages == before.pages)
        if !statistics.isEmpty { #expect(try raw(sandbox.path(), "SELECT * FROM sqlite_stat1") == statistics) }
    }

    @Test("They are there for who reads within the transaction, and when the last of several pieces is in")
    func pieces() throws {
        let before = try indexes()
        let transaction = try store.beginWrite()
        for piece in 0..<4 {
            let first = Int64(piece) * 1_500 + 1
            #expect(
                try transaction.insertUncontested(
                    books(first...(first + 1_499)).filter { $0.entityIndex == model.entity(named: "Book")?.index }) == 1_000)
            if piece == 1 { #expect(try transaction.read(countBooks) == 2_000) }
        }
        try transaction.commit()
        #expect(try indexes().texts == before.texts)
        #expect(try isWhole())
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 7") == [["80"]])
    }

    @Test("Several pieces have them made once")
    func once() throws {
        let before = try #require(try schemaVersion.flatMap { Int($0) })
        let transaction = try store.beginWrite()
        for piece in 0..<4 {
            var changes = ChangeSet()
            let first = Int64(piece) * 1_000 + 1
            changes.inserted = try books(first...(first + 999))
            #expect(try transaction.apply(changes).isEmpty)
        }
        try transaction.commit()
        let count = try raw(
            sandbox.path(), "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZBOOK' AND sql LIKE 'CREATE INDEX%'")
        let after = try #require(try schemaVersion.flatMap { Int($0) })
        // Each is dropped and made, and each of both changes the schema.
        #expect(try after - before == 2 * #require(count[0][0].flatMap { Int($0) }))
        #expect(try isWhole())
    }

    @Test("Who reads at the time goes on as before, and sees the rows afterwards")
    func readers() throws {
        #expect(try save(books(1...10)).isEmpty)
        let other = try open(sandbox.path(), model)
        try other.read { (reader) throws -> Void in
            #expect(try countBooks(reader) == 10)
            #expect(try save(books(11...4_000)).isEmpty)
            #expect(try countBooks(reader) == 10)
        }
        #expect(try other.read(countBooks) == 4_000)
        #expect(try other.save(deletions([1, 2])).isEmpty)
        try other.close()
        #expect(try isWhole())
    }

    private func countBooks(_ reader: any StoreReader) throws -> Int {
        guard case .rows(let rows, _) = try reader.answer(FetchPlan(#require(model.entity(named: "Book")))) else { return -1 }
        return rows.count
    }

    private func deletions(_ references: [Int64]) throws -> ChangeSet {
        let book = try #require(model.entity(named: "Book")).index
        var changes = ChangeSet()
        changes.deleted = references.map { RowDeletion(entity: book, reference: $0, expectedVersion: 1) }
        return changes
    }
}
