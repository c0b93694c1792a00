import FoundationEssentials
import StrataEngine
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Saving to tables")
struct TableEngineTests: CompanySuite {
    let tables: CompanyTables

    init() throws { tables = try CompanyTables() }

    private func everything() throws -> [Int64] { try engine.references(company.plan("Person")) }

    @Test("What was inserted is fetched, by reference, with the rows of sub-entities")
    func insert() throws {
        try engine.save { changes in
            changes.inserted = [
                try company.row("Person", 3, ["name": "Cy"]), try company.row("Employee", 1, ["name": "Ann"]),
                try company.row("Person", 2),
            ]
        }
        #expect(try everything() == [1, 2, 3])
        #expect(try engine.references(company.plan("Employee")) == [1])
        var plan = try company.plan("Person")
        plan.includesSubentities = false
        #expect(try engine.references(plan) == [2, 3])
        #expect(try engine.count(company.plan("Person")) == 3)
        #expect(try engine.count(plan) == 2)
        let names = try engine.rows(company.plan("Person")).map { try company.text($0, "name") }
        #expect(names == ["Ann", nil, "Cy"])
    }

    @Test("An update takes the place of the row that it expects")
    func update() throws {
        try engine.save { $0.inserted = [try company.row("Person", 1, ["name": "Ann"])] }
        try engine.save { $0.updated = [company.update(try company.row("Person", 1, version: 2, ["name": "Bea"]))] }
        let rows = try engine.rows(company.plan("Person", Key<String>("name") == "Bea"))
        #expect(rows.map(\.version) == [2])
        #expect(try engine.rows(company.plan("Person", Key<String>("name") == "Ann")).isEmpty)
    }

    @Test("An update of another version than the one in the store conflicts with the row as it is, and nothing changes")
    func updateConflict() throws {
        try engine.save { $0.inserted = [try company.row("Person", 1, ["name": "Ann"])] }
        try engine.save { $0.updated = [company.update(try company.row("Person", 1, version: 2, ["name": "Bea"]))] }
        let conflicts = try engine.save { changes in
            changes.inserted = [try company.row("Person", 2)]
            changes.updated = [company.update(try company.row("Person", 1, version: 2, ["name": "Cy"]))]
        }
        guard case .changed(let row)? = conflicts.first?.reason else {
            Issue.record("there is no conflict with the changed row")
            return
        }
        #expect(conflicts.count == 1)
        #expect(row.version == 2)
        #expect(try company.text(row, "name") == "Bea")
        #expect(try everything() == [1])
    }

    @Test("Updating or deleting a deleted row conflicts")
    func deletedConflict() throws {
        let entity = try company.entity("Person").index
        try engine.save { $0.inserted = [try company.row("Person", 1)] }
        try engine.save { $0.deleted = [RowDeletion(entity: entity, reference: 1, expectedVersion: 1)] }
        #expect(try everything().isEmpty)
        let conflicts = try engine.save { changes in
            changes.updated = [company.update(try company.row("Person", 1, version: 2))]
            changes.deleted = [RowDeletion(entity: entity, reference: 7, expectedVersion: 1)]
        }
        let references = conflicts.compactMap { conflict in
            if case .deleted = conflict.reason { conflict.reference } else { nil }
        }
        #expect(references.sorted() == [1, 7])
    }

    @Test("A deletion that expects another version conflicts")
    func deletionConflict() throws {
        let entity = try company.entity("Person").index
        try engine.save { $0.inserted = [try company.row("Person", 1)] }
        let conflicts = try engine.save { $0.deleted = [RowDeletion(entity: entity, reference: 1, expectedVersion: 2)] }
        #expect(conflicts.count == 1)
        #expect(try everything() == [1])
    }

    @Test("Changes that conflict cannot be committed")
    func conflictsStay() throws {
        let transaction = try engine.beginWrite()
        var changes = ChangeSet()
        changes.updated = [company.update(try company.row("Person", 1, version: 2))]
        #expect(try transaction.apply(changes).count == 1)
        #expect { try transaction.commit() } throws: { ($0 as? StoreError)?.code == .conflict }
        // Changes that can be applied do not make up for it.
        var others = ChangeSet()
        others.inserted = [try company.row("Person", 2)]
        #expect(try transaction.apply(others).isEmpty)
        #expect { try transaction.commit() } throws: { ($0 as? StoreError)?.code == .conflict }
        transaction.rollback()
        #expect { try transaction.commit() } throws: { ($0 as? StoreError)?.code == .closed }
    }

    // The records behind a damaged one were left out without a word, and their numbers used again.
    @Test("Damaged records of a history are an error of its requests and stay as they are, and rows are saved")
    func damagedHistory() throws {
        var metadata = try engine.beginWrite().metadata()
        metadata.historyRecords = (1...3).map { HistoryRecord(number: $0, time: 0, origin: [1], body: [2]) }
        let key = "StrataHistoryRecords"
        guard case .data(let bytes)? = metadata.userInfo[key] else { throw CancellationError() }
        for damaged in [PropertyListValue.data(bytes.dropLast(2)), .data(bytes + bytes), .string("none")] {
            metadata.userInfo[key] = damaged
            let engine = try TableEngine(TableContents(metadata: metadata), model: company.model, timeout: 0.05)
            let error = #expect(throws: StoreError.self) { try engine.current.history.answer(HistoryQuery(), path: nil) }
            #expect(error?.message == "malformed transaction in the history")
            let transaction = try engine.beginWrite()
            var changes = ChangeSet()
            changes.inserted = [try company.row("Person", 1)]
            #expect(try transaction.apply(changes).isEmpty)
            #expect(throws: StoreError.self) { try transaction.append(HistoryRecord(time: 0, origin: [1], body: [2])) }
            #expect(throws: StoreError.self) { try transaction.deleteHistory(through: .deleted(through: 1, time: 0)) }
            #expect(try transaction.contents.metadata.userInfo[key] == damaged)
            try transaction.commit()
        }
    }

    @Test("References are consecutive, per hierarchy, and not given out again once committed")
    func references() throws {
        let (people, projects) = (try company.entity("Person").index, try company.entity("Project").index)
        var transaction = try engine.beginWrite()
        #expect(try transaction.reserveReferences(10, root: people) == 1)
        #expect(try transaction.reserveReferences(2, root: people) == 11)
        #expect(try transaction.reserveReferences(1, root: projects) == 1)
        try transaction.commit()
        try engine.save { $0.inserted = [try company.row("Person", 40)] }
        let entity = people
        try engine.save { $0.deleted = [RowDeletion(entity: entity, reference: 40, expectedVersion: 1)] }
        transaction = try engine.beginWrite()
        #expect(try transaction.reserveReferences(1, root: people) == 41)
        #expect(try transaction.reserveReferences(1, root: projects) == 2)
        transaction.rollback()
    }

    @Test("One writer waits for the other, and gives up after the time-out")
    func turns() throws {
        let first = try engine.beginWrite()
        #expect { try engine.beginWrite() } throws: { ($0 as? StoreError)?.code == .locked }
        first.rollback()
        try engine.beginWrite().rollback()
    }

    @Test("A transaction that is dropped passes its turn on and changes nothing")
    func dropped() throws {
        do {
            var changes = ChangeSet()
            changes.inserted = [try company.row("Person", 1)]
            _ = try engine.beginWrite().apply(changes)
        }
        try engine.beginWrite().rollback()
        #expect(try everything().isEmpty)
    }

    @Test("A reader sees the version that it began with, whatever is committed meanwhile")
    func snapshots() throws {
        let entity = try company.entity("Person").index
        try engine.save { changes in changes.inserted = try (1...500).map { try company.row("Person", $0, ["age": .int($0 % 50)]) } }
        let plan = try company.plan("Person", Key<Int>("age") == 7)
        let (before, after) = try engine.read { reader -> (StoreAnswer, StoreAnswer) in
            let before = try reader.execute(plan)
            try engine.save { changes in
                changes.deleted = [RowDeletion(entity: entity, reference: 57, expectedVersion: 1)]
                changes.updated = [company.update(try company.row("Person", 1, version: 2, ["age": 7]))]
                changes.inserted = [try company.row("Person", 1000, ["age": 7])]
            }
            return (before, try reader.execute(plan))
        }
        guard case .rows(let first, _) = before, case .rows(let second, _) = after else {
            Issue.record("there are no rows")
            return
        }
        let expected = (1...500).filter { $0 % 50 == 7 }.map(Int64.init)
        #expect(first.map(\.reference) == expected)
        #expect(second.map(\.reference) == expected)
        #expect(try engine.references(plan) == ([1, 1000] + expected.filter { $0 != 57 }).sorted())
    }

    @Test("The metadata changes with the transaction")
    func metadata() throws {
        var metadata = engine.metadata
        metadata.userInfo["key"] = .int(7)
        var changes = ChangeSet()
        changes.metadata = metadata
        let transaction = try engine.beginWrite()
        _ = try transaction.apply(changes)
        #expect(engine.metadata.userInfo["key"] == nil)
        try transaction.commit()
        #expect(engine.metadata.userInfo["key"] == .int(7))
    }

    @Test("Rows whose memory was reused by their writer are as they were saved")
    func compaction() throws {
        try engine.save { changes in changes.inserted = try (1...20).map { try company.row("Person", $0, ["name": .string("n\($0)")]) } }
        let names = try engine.rows(company.plan("Person")).map { try company.text($0, "name") }
        #expect(names == (1...20).map { "n\($0)" })
    }

    @Test("An unknown entity and a reference that is none are errors")
    func mistakes() throws {
        #expect { try engine.save { $0.deleted = [RowDeletion(entity: 99, reference: 1, expectedVersion: 1)] } } throws: {
            ($0 as? StoreError)?.code == .unknownEntity
        }
        #expect { try engine.save { $0.inserted = [try company.row("Person", -1)] } } throws: { ($0 as? StoreError)?.code == .wrongValue }
        #expect(try engine.save { $0.inserted = [try company.row("Person", 1)] }.isEmpty)
    }
}
