import Foundation
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import Testing

@Suite("Transactions")
struct TransactionTests {
    private let model: ManagedObjectModel
    private let sandbox: Sandbox
    private let store: any StoreBackend

    init() throws {
        model = try Models.shop()
        sandbox = try Sandbox()
        store = try open(sandbox.path(), model)
    }

    private func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

    private func update(_ name: String, _ reference: Int64, _ values: [String: Value], _ keys: String..., version: UInt32 = 2) throws
        -> RowUpdate
    {
        let entity = try entity(name)
        let slots = entity.layout.slots.typedIndices(Slot.self).filter {
            keys.contains(entity.properties[entity.layout.slots[$0].property].name)
        }
        return RowUpdate(row: try row(model, name, reference, values, version: version), changedSlots: slots)
    }

    @Test("Unique values of two rows can be swapped within one save")
    func swap() throws {
        #expect(
            try store.insert(
                row(model, "Book", 1, ["isbn": "a"]),
                row(model, "Book", 2, ["isbn": "b"]),
                row(model, "Novel", 3, ["isbn": "c"])
            ).isEmpty
        )
        var changes = ChangeSet()
        changes.updated = [
            try update("Book", 1, ["isbn": "b"], "isbn"), try update("Book", 2, ["isbn": "c"], "isbn"),
            try update("Novel", 3, ["isbn": "a"], "isbn"),
        ]
        #expect(try store.save(changes).isEmpty)
        #expect(try raw(sandbox.path(), "SELECT ZISBN, Z_OPT FROM ZBOOK ORDER BY Z_PK") == [["b", "2"], ["c", "2"], ["a", "2"]])
    }

    @Test("A value that a deleted row had is free for an inserted one")
    func freed() throws {
        #expect(try store.insert(row(model, "Book", 1, ["isbn": "a"])).isEmpty)
        var changes = ChangeSet()
        changes.deleted = [RowDeletion(entity: try entity("Book").index, reference: 1, expectedVersion: 1)]
        changes.inserted = [try row(model, "Novel", 2, ["isbn": "a"])]
        #expect(try store.save(changes).isEmpty)
    }

    @Test("Rows that break a constraint are named with the ones they collide with", arguments: [1, 31, 32, 33, 70])
    func duplicates(count: Int) throws {
        #expect(try store.insert(row(model, "Novel", 1000, ["isbn": "7"])).isEmpty)
        var changes = ChangeSet()
        for index in 0..<count { changes.inserted.append(try row(model, "Book", Int64(index + 1), ["isbn": .string(String(index))])) }
        changes.inserted.append(try row(model, "Book", 500, ["isbn": "0"]))
        let conflicts = try store.save(changes)
        let found = conflicts.map { conflict in
            guard case .constraint(let names, let other) = conflict.reason else { return "" }
            return "\(conflict.reference) \(names) \(other)"
        }
        #expect(found == (count > 7 ? ["8 [\"isbn\"] 1000"] : []) + ["500 [\"isbn\"] 1"])
        #expect(try store.fetch(FetchPlan(try entity("Book"))).map(\.reference) == [1000])
    }

    @Test("A constraint of a sub-entity over an inherited attribute holds in its own hierarchy only")
    func inheritedConstraint() throws {
        #expect(
            try store.insert(
                row(model, "Book", 1, ["pages": 5]),
                row(model, "Novel", 2, ["pages": 5]),
                row(model, "Comic", 3, ["pages": 5])
            ).isEmpty
        )
        let conflicts = try store.insert(row(model, "Comic", 4, ["pages": 5]))
        guard case .constraint(["pages"], other: 3)? = conflicts.first?.reason else {
            Issue.record("\(conflicts)")
            return
        }
    }

    @Test("A row that another connection changed or deleted is a conflict")
    func stale() throws {
        #expect(try store.insert(row(model, "Book", 1, ["pages": 1]), row(model, "Book", 2)).isEmpty)
        var first = ChangeSet()
        first.updated = [try update("Book", 1, ["pages": 2], "pages")]
        #expect(try store.save(first).isEmpty)
        first.updated = [try update("Book", 1, ["pages": 3], "pages"), try update("Book", 9, ["pages": 3], "pages")]
        first.deleted = [RowDeletion(entity: try entity("Book").index, reference: 1, expectedVersion: 1)]
        let conflicts = try store.save(first)
        #expect(conflicts.map(\.reference) == [1, 1, 9])
        guard case .changed(let current)? = conflicts.first?.reason, case .deleted? = conflicts.last?.reason else {
            Issue.record("\(conflicts)")
            return
        }
        #expect(try value(current, "pages", model) == 2)
        #expect(current.version == 2)
    }

    @Test("References are never given out twice, but for those of a transaction that was rolled back")
    func references() throws {
        let root = try entity("Book").index
        let first = try store.beginWrite()
        #expect(try first.reserveReferences(10, root: root) == 1)
        #expect(try first.reserveReferences(1, root: root) == 11)
        first.rollback()
        let second = try store.beginWrite()
        #expect(try second.reserveReferences(3, root: root) == 1)
        try second.commit()
        #expect(try store.insert(row(model, "Novel", 20)).isEmpty)
        var changes = ChangeSet()
        changes.deleted = [RowDeletion(entity: try entity("Novel").index, reference: 20, expectedVersion: 1)]
        #expect(try store.save(changes).isEmpty)
        let third = try store.beginWrite()
        #expect(try third.reserveReferences(1, root: root) == 21)
        third.rollback()
    }

    /// Saves one row, with the reference that the store gives it.
    private func saveBook(_ store: any StoreBackend) throws -> Int64 {
        let transaction = try store.beginWrite()
        let reference = try transaction.reserveReferences(1, root: entity("Book").index)
        var changes = ChangeSet()
        changes.inserted = [try row(model, "Book", reference)]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.prepare()
        try transaction.commit()
        return reference
    }

    @Test("The noted reference stays at or above all that are in use, and most saves leave it alone")
    func ahead() throws {
        var notes: Set<String> = []
        for number in 1...60 {
            #expect(try saveBook(store) == number)
            let found = try raw(sandbox.path(), "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")
            let note = try #require(found.first?.first ?? nil)
            #expect(try #require(Int64(note)) >= number)
            notes.insert(note)
        }
        #expect(notes.count < 12)
    }

    @Test("What one store set aside, another one over the same file never gives out, nor does it give out what was used behind its back")
    func several() throws {
        let other = try open(sandbox.path(), model)
        var given: Set<Int64> = []
        for number in 0..<40 {
            let store = number % 7 < 4 ? store : other
            #expect(given.insert(try saveBook(store)).inserted)
            if number % 10 == 9 {
                let next = (given.max() ?? 0) + 1
                try raw(sandbox.path(), "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT) SELECT \(next), Z_ENT, 1 FROM ZBOOK LIMIT 1")
                given.insert(next)
            }
        }
        try other.close()
    }

    @Test("A log that grows save by save has space ahead, which readers take for its end")
    func room() throws {
        for _ in 0..<20 { _ = try saveBook(store) }
        let log = try PosixFileSystem.shared.contents(of: sandbox.path() + "-wal")
        #expect(log.suffix(4096).allSatisfy { $0 == 0 })
        let copy = try Sandbox()
        try Data(log).write(to: URL(filePath: copy.path() + "-wal"))
        try Data(PosixFileSystem.shared.contents(of: sandbox.path())).write(to: URL(filePath: copy.path()))
        #expect(try raw(copy.path(), "SELECT count(*) FROM ZBOOK") == [["20"]])
        for _ in 0..<20 { _ = try saveBook(store) }
        let reopened = try open(copy.path(), model)
        #expect(try saveBook(reopened) > 20)
        try reopened.close()
    }

    @Test("A dropped transaction is rolled back and gives the turn away")
    func dropped() throws {
        do {
            var changes = ChangeSet()
            changes.inserted = [try row(model, "Book", 1)]
            _ = try store.beginWrite().apply(changes)
        }
        #expect(try store.fetch(FetchPlan(try entity("Book"))).isEmpty)
        #expect(try store.insert(row(model, "Book", 1)).isEmpty)
    }

    @Test("A second transaction waits, and gives up after the time-out")
    func locked() throws {
        var options = StoreOptions()
        options.timeout = 0.05
        let other = try open(sandbox.path(), model, options: options)
        let transaction = try store.beginWrite()
        #expect(code { _ = try other.beginWrite() } == .locked)
        transaction.rollback()
        try other.beginWrite().rollback()
        let first = try other.beginWrite()
        #expect(code { _ = try other.beginWrite() } == .locked)
        first.rollback()
        try other.close()
    }

    @Test("A reader sees one state while another one is committed")
    func snapshot() throws {
        #expect(try store.insert(row(model, "Book", 1)).isEmpty)
        let book = try entity("Book")
        let before = try store.read { reader in
            let first = try reader.row(root: book.index, reference: 1)
            var changes = ChangeSet()
            changes.inserted = [try row(model, "Book", 2)]
            changes.updated = [try update("Book", 1, ["pages": 9], "pages")]
            #expect(try store.save(changes).isEmpty)
            guard case .count(let count) = try reader.execute(FetchPlan(book, .count)) else { return -1 }
            #expect(first?.version == 1)
            #expect(try reader.row(root: book.index, reference: 1)?.version == 1)
            return count
        }
        #expect(before == 1)
        #expect(try store.fetch(FetchPlan(book)).map(\.version) == [2, 1])
    }

    @Test("Deleting a row deletes its links, on both sides")
    func links() throws {
        var changes = ChangeSet()
        changes.inserted = [
            try row(model, "Book", 1), try row(model, "Comic", 2), try row(model, "Tag", 1), try row(model, "Author", 1),
            try row(model, "Author", 2),
        ]
        let tags = try #require(entity("Book").relationship(named: "tags"))
        let friends = try #require(entity("Author").relationship(named: "friends"))
        guard case .links(let table, let side) = tags.storage, case .links(let friendTable, _) = friends.storage else {
            Issue.record("both relationships are kept as links")
            return
        }
        func link(_ book: Int64, _ tag: Int64, _ order: OrderKey?) -> Link {
            side == .first ? Link(first: book, second: tag, orderInFirst: order) : Link(first: tag, second: book, orderInSecond: order)
        }
        changes.links = [
            LinkChange(table: table, kind: .put, link: link(1, 1, 1024)), LinkChange(table: table, kind: .put, link: link(2, 1, 2048)),
            LinkChange(table: friendTable, kind: .put, link: Link(first: 1, second: 2)),
            LinkChange(table: friendTable, kind: .put, link: Link(first: 2, second: 1)),
        ]
        #expect(try store.save(changes).isEmpty)
        changes = ChangeSet()
        changes.links = [
            LinkChange(table: table, kind: .put, link: link(1, 1, nil)), LinkChange(table: table, kind: .put, link: link(2, 1, 512)),
        ]
        #expect(try store.save(changes).isEmpty)
        #expect(try Set(store.read { try $0.links(of: model.linkTables[table]) }) == [link(1, 1, 1024), link(2, 1, 512)])
        let books = try #require(entity("Tag").relationship(named: "books"))
        #expect(
            try store.read { try $0.destinations(of: books, owner: 1) }
                == [
                    ObjectReference(entity: entity("Book").index, reference: 1),
                    ObjectReference(entity: entity("Comic").index, reference: 2),
                ]
        )
        changes = ChangeSet()
        changes.deleted = [
            RowDeletion(entity: try entity("Comic").index, reference: 2, expectedVersion: 1),
            RowDeletion(entity: try entity("Author").index, reference: 2, expectedVersion: 1),
        ]
        #expect(try store.save(changes).isEmpty)
        #expect(try store.read { try $0.links(of: model.linkTables[table]) } == [link(1, 1, 1024)])
        #expect(try store.read { try $0.links(of: model.linkTables[friendTable]) }.isEmpty)
    }

    @Test("Destinations by inverse come in their order")
    func ordered() throws {
        #expect(
            try store.insert(
                row(model, "Author", 1),
                row(model, "Book", 1, ["author": 1, "author.order": 3072]),
                row(model, "Novel", 2, ["author": 1, "author.order": 1024]),
                row(model, "Comic", 3, ["author": 1, "author.order": 2048])
            ).isEmpty
        )
        let books = try #require(entity("Author").relationship(named: "books"))
        #expect(try store.read { try $0.destinations(of: books, owner: 1) }.map(\.reference) == [2, 3, 1])
        #expect(try raw(sandbox.path(), "SELECT Z_FOK_AUTHOR FROM ZBOOK ORDER BY Z_PK") == [["3072"], ["1024"], ["2048"]])
    }

    @Test("The entity of a destination is kept as its number")
    func destinationEntity() throws {
        #expect(try store.insert(row(model, "Tag", 1, ["favourite": 7, "favourite.entity": "Novel"])).isEmpty)
        #expect(try raw(sandbox.path(), "SELECT ZFAVOURITE, Z2_FAVOURITE FROM ZTAG") == [["7", "4"]])
        let favourite = try #require(entity("Tag").relationship(named: "favourite"))
        guard case .toOne(_, let slot?, _) = favourite.storage else {
            Issue.record("the destination's entity has a slot of its own")
            return
        }
        let found = try #require(store.fetch(FetchPlan(entity("Tag"))).first)
        #expect(try found.integer(slot) == Int64(entity("Novel").index.rawValue))
    }

    @Test("Metadata are replaced with the rest of a transaction")
    func metadata() throws {
        var changes = ChangeSet()
        var metadata = try store.metadata()
        #expect(metadata.userInfo[StoreMetadata.writerKey] == .string("2"))
        #expect(try metadata.model()?.encoded() == model.encoded())
        #expect(Set(metadata.userInfo.keys) == [StoreMetadata.writerKey, StoreMetadata.modelKey, StoreMetadata.layoutKey])
        metadata.userInfo["key"] = .dictionary(["a": .array([.int(1), .bool(true), .double(0.5), .data(Data([1]))])])
        changes.metadata = metadata
        #expect(try store.save(changes).isEmpty)
        #expect(try store.metadata() == metadata)
        #expect(try SQLiteDriver.sqlite.metadata(at: sandbox.path()) == metadata)
        metadata.userInfo["key"] = nil
        try SQLiteDriver.sqlite.setMetadata(metadata, at: sandbox.path())
        #expect(try store.metadata() == metadata)
    }

    @Test("Nothing works after closing, and closing twice does nothing")
    func closed() throws {
        try store.close()
        try store.close()
        #expect(code { _ = try store.beginWrite() } == .closed)
        #expect(code { _ = try store.metadata() } == .closed)
        #expect(sandbox.names == ["Store.sqlite"])
    }
}
