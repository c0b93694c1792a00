import Foundation
import StrataEngine
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataLMDB

@Suite("LMDB: rows, links and metadata")
struct RoundTripTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    private func open(_ change: (inout StoreDescription) -> Void = { _ in }) throws -> any StoreBackend {
        try LMDBDriver().open(Sample.description(scratch.file(), change), model: model)
    }

    @Test("Rows come back after the store was closed, with their values and versions")
    func rows() throws {
        let store = try open()
        let transaction = try store.beginWrite()
        let person = try #require(model.entity(named: "Person"))
        let first = try transaction.reserveReferences(2, root: person.root)
        #expect(first == 1)
        var changes = ChangeSet()
        changes.inserted = [
            try maker.row("Student", first + 1, ["name": "Zoë", "school": "Hard Knocks", "height": .double(-0.5)]),
            try maker.row("Person", first, ["name": "", "age": .int(-7), "balance": .decimal(Decimal(12.25))]),
        ]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        let uuid = store.id
        try store.close()
        #expect(code { _ = try store.metadata() } == .closed)

        let again = try open()
        #expect(again.id == uuid)
        let rows = try again.fetch(try maker.plan("Person"))
        #expect(rows.map(\.reference) == [1, 2])
        #expect(rows.map(\.version) == [1, 1])
        #expect(maker.value(rows[0], "name") == "")
        #expect(maker.value(rows[0], "age") == .int(-7))
        #expect(maker.value(rows[0], "balance") == .decimal(Decimal(12.25)))
        #expect(maker.value(rows[1], "name") == "Zoë")
        #expect(maker.value(rows[1], "school") == "Hard Knocks")
        #expect(try again.fetch(try maker.plan("Student")).map(\.reference) == [2])
        #expect(try again.count(try maker.plan("Person", result: .count)) == 2)
        #expect(try again.beginWrite().reserveReferences(1, root: person.root) == 3)
        try again.close()
    }

    @Test("Stores over one file never give out one reference twice, also where one of them gives up or is opened again")
    func references() throws {
        var stores = [try open(), try open()]
        let person = try #require(model.entity(named: "Person"))
        var given: Set<Int64> = []
        for number in 0..<60 {
            let place = number % 9 < 6 ? 0 : 1
            if number % 20 == 19 {
                try stores[place].close()
                stores[place] = try open()
            }
            let transaction = try stores[place].beginWrite()
            let reference = try transaction.reserveReferences(1, root: person.root)
            var changes = ChangeSet()
            changes.inserted = [try maker.row("Person", reference, ["name": "A"])]
            #expect(try transaction.apply(changes).isEmpty)
            try transaction.prepare()
            if number % 5 == 4 {
                transaction.rollback()
            } else {
                try transaction.commit()
                #expect(given.insert(reference).inserted)
            }
        }
        #expect(try stores[0].count(try maker.plan("Person", result: .count)) == given.count)
        for store in stores { try store.close() }
    }

    @Test("An update needs the version that is in the store")
    func versions() throws {
        let store = try open()
        let row = try maker.row("Person", 1, ["name": "A"])
        try store.insert([row])
        var changes = ChangeSet()
        changes.updated = [try maker.update(row, ["name": "B"])]
        #expect(try store.save(changes).isEmpty)
        let conflicts = try store.save(changes)
        guard case .changed(let current)? = conflicts.first?.reason else {
            Issue.record("no conflict")
            return
        }
        #expect(current.version == 2)
        #expect(maker.value(current, "name") == "B")
        var removal = ChangeSet()
        removal.deleted = [RowDeletion(entity: row.entityIndex, reference: 1, expectedVersion: 2)]
        #expect(try store.save(removal).isEmpty)
        guard case .deleted? = try store.save(removal).first?.reason else {
            Issue.record("no conflict")
            return
        }
        #expect(try store.count(try maker.plan("Person", result: .count)) == 0)
    }

    @Test("Two rows swap a unique value in one save; taking one alone conflicts")
    func constraints() throws {
        let store = try open()
        let a = try maker.row("Person", 1, ["email": "a"])
        let b = try maker.row("Student", 2, ["email": "b"])
        try store.insert([a, b, try maker.row("Person", 3, [:]), try maker.row("Person", 4, [:])])
        var swap = ChangeSet()
        swap.updated = [try maker.update(a, ["email": "b"]), try maker.update(b, ["email": "a"])]
        #expect(try store.save(swap).isEmpty)
        var take = ChangeSet()
        take.inserted = [try maker.row("Person", 5, ["email": "a"])]
        guard case .constraint(let names, let other)? = try store.save(take).first?.reason else {
            Issue.record("no conflict")
            return
        }
        #expect(names == ["email"])
        #expect(other == 2)
        #expect(try store.count(try maker.plan("Person", result: .count)) == 4)
        let long = String(repeating: "x", count: 600)
        try store.insert([
            try maker.row("Person", 6, ["email": .string(long + "1")]), try maker.row("Person", 7, ["email": .string(long + "2")]),
        ])
        take.inserted = [try maker.row("Person", 8, ["email": .string(long + "2")])]
        guard case .constraint(_, 7)? = try store.save(take).first?.reason else {
            Issue.record("a long value conflicts too")
            return
        }
    }

    @Test("To-many relationships answer in their order, by inverse and by links, until rows go")
    func relationships() throws {
        let store = try open()
        let person = try #require(model.entity(named: "Person"))
        let pets = try #require(person.relationship(named: "pets"))
        let groups = try #require(person.relationship(named: "groups"))
        let members = try #require(model.entity(named: "Group")?.relationship(named: "members"))
        guard case .links(let table, let side) = members.storage else {
            Issue.record("members are kept by links")
            return
        }
        func link(_ group: Int64, _ person: Int64, _ order: OrderKey?) -> Link {
            side == .first
                ? Link(first: group, second: person, orderInFirst: order) : Link(first: person, second: group, orderInSecond: order)
        }
        let owner = Value.int(Int64(person.index.rawValue))
        var changes = ChangeSet()
        changes.inserted = [
            try maker.row("Person", 1, [:]), try maker.row("Student", 2, [:]), try maker.row("Group", 1, [:]),
            try maker.row("Group", 2, [:]),
            try maker.row("Pet", 1, ["owner": [.int(1), owner, 2048]]), try maker.row("Pet", 2, ["owner": [.int(1), owner, 1024]]),
        ]
        changes.links = [
            LinkChange(table: table, kind: .put, link: link(1, 1, 2048)), LinkChange(table: table, kind: .put, link: link(1, 2, 1024)),
            LinkChange(table: table, kind: .put, link: link(2, 2, 1024)),
        ]
        #expect(try store.save(changes).isEmpty)
        try store.read { reader in
            #expect(try reader.destinations(of: pets, owner: 1).map(\.reference) == [2, 1])
            let found = try reader.destinations(of: members, owner: 1)
            #expect(found.map(\.reference) == [2, 1])
            #expect(found.map { model.entities[$0.entity].name } == ["Student", "Person"])
            #expect(try reader.destinations(of: groups, owner: 2).map(\.reference) == [1, 2])
            let links = Set(try reader.links(of: model.linkTables[table]))
            #expect(links == Set([link(1, 1, 2048), link(1, 2, 1024), link(2, 2, 1024)]))
        }
        var second = ChangeSet()
        second.deleted = [RowDeletion(entity: try #require(model.entity(named: "Student")).index, reference: 2, expectedVersion: 1)]
        second.links = [
            LinkChange(table: table, kind: .put, link: link(1, 1, nil)), LinkChange(table: table, kind: .put, link: link(2, 1, 5)),
        ]
        #expect(try store.save(second).isEmpty)
        try store.read { reader in
            let links = Set(try reader.links(of: model.linkTables[table]))
            #expect(links == Set([link(1, 1, 2048), link(2, 1, 5)]))
        }
        var third = ChangeSet()
        third.links = [
            LinkChange(table: table, kind: .remove, link: link(2, 1, nil)), LinkChange(table: table, kind: .remove, link: link(9, 9, nil)),
        ]
        #expect(try store.save(third).isEmpty)
        #expect(try store.read { try $0.links(of: model.linkTables[table]) } == [link(1, 1, 2048)])
    }

    @Test("Metadata of every kind comes back, also without opening the store")
    func metadata() throws {
        let store = try open()
        var metadata = try store.metadata()
        #expect(metadata.userInfo[StoreMetadata.writerKey] == .string("2"))
        metadata.userInfo["all"] = .dictionary([
            "flag": .bool(true), "int": .int(.min), "whole": .double(2), "text": .string("é\0"),
            "date": .date(Date(timeIntervalSince1970: 1.5)),
            "data": .data(Data([0, 255])), "list": .array([.int(1), .array([])]),
        ])
        var changes = ChangeSet()
        changes.metadata = metadata
        try store.save(changes)
        #expect(try store.metadata() == metadata)
        #expect(try LMDBDriver().metadata(at: scratch.file()) == metadata)
        try store.close()
        metadata.userInfo["more"] = .int(3)
        try LMDBDriver().setMetadata(metadata, at: scratch.file())
        #expect(try LMDBDriver().metadata(at: scratch.file()) == metadata)
        let again = try open()
        #expect(try again.metadata() == metadata)
    }

    @Test("Large values live in files of their own, which go with them")
    func externalValues() throws {
        let store = try open { $0.options.externalStorageThreshold = 100 }
        let big = Value.data(Data(repeating: 7, count: 1000))
        let small = Value.data(Data([1, 2, 3]))
        let row = try maker.row("Person", 1, ["name": "A", "photo": big])
        try store.insert([row, try maker.row("Person", 2, ["photo": small])])
        func files() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: scratch.path + "/.Store_SUPPORT/_EXTERNAL_DATA"))?.count ?? 0
        }
        #expect(files() == 1)
        let rows = try store.fetch(try maker.plan("Person"))
        #expect(maker.value(rows[0], "photo") == big)
        #expect(maker.value(rows[1], "photo") == small)
        #expect(try store.fetch(try maker.plan("Person", key("photo") == big)).map(\.reference) == [1])
        #expect(try store.fetch(try maker.plan("Person", key("name") == "A")).map { maker.value($0, "photo") } == [big])

        var rename = ChangeSet()
        rename.updated = [try maker.update(rows[0], ["name": "B"])]
        #expect(try store.save(rename).isEmpty)
        #expect(files() == 1)
        let renamed = try #require(try store.fetch(try maker.plan("Person", key("name") == "B")).first)
        #expect(maker.value(renamed, "photo") == big)

        var other = ChangeSet()
        other.updated = [try maker.update(renamed, ["photo": .data(Data(repeating: 8, count: 200))])]
        let dropped = try store.beginWrite()
        #expect(try dropped.apply(other).isEmpty)
        #expect(files() == 2)
        dropped.rollback()
        #expect(files() == 1)
        #expect(try store.save(other).isEmpty)
        #expect(files() == 1)

        var removal = ChangeSet()
        removal.deleted = [RowDeletion(entity: row.entityIndex, reference: 1, expectedVersion: 3)]
        #expect(try store.save(removal).isEmpty)
        #expect(files() == 0)
    }
}
