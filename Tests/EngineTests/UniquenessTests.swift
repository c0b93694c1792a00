import StrataEngine
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Uniqueness constraints of tables")
struct UniquenessTests: CompanySuite {
    let tables: CompanyTables

    init() throws { tables = try CompanyTables() }

    private func others(_ conflicts: [StoreConflict]) -> [[Int64]] {
        conflicts.compactMap { conflict in
            if case .constraint(_, let other) = conflict.reason { [conflict.reference, other] } else { nil }
        }
    }

    private func insert(_ count: Int64) throws {
        try engine.save { changes in
            changes.inserted = try (1...count).map { try company.row("Person", $0, ["email": .string("person\($0)@example.org")]) }
        }
    }

    @Test("A value that another row has conflicts, and names the constraint and the other row", arguments: [Int64(3), 2000])
    func taken(count: Int64) throws {
        try insert(count)
        let conflicts = try engine.save {
            $0.inserted = [try company.row("Employee", 5000, ["email": "person2@example.org"])]
        }
        guard case .constraint(let names, let other)? = conflicts.first?.reason else {
            Issue.record("there is no conflict of the constraint")
            return
        }
        #expect(conflicts.map(\.reference) == [5000])
        #expect(names == ["email"])
        #expect(other == 2)
        #expect(try engine.count(company.plan("Person")) == Int(count))
    }

    @Test("An update to a value that another row has conflicts, whichever has the greater reference", arguments: [Int64(1), 3])
    func takenByUpdate(reference: Int64) throws {
        try insert(3)
        let row = try company.row("Person", reference, version: 2, ["email": "person2@example.org"])
        #expect(try others(engine.save { $0.updated = [company.update(row)] }) == [[reference, 2]])
        #expect(try engine.references(company.plan("Person", Key<String>("email") == "person2@example.org")) == [2])
    }

    @Test("Rows of which a constraint keeps one out are not inserted, and the transaction goes on", arguments: [Int64(3), 2000])
    func uncontested(count: Int64) throws {
        try insert(count)
        let transaction = try engine.beginWrite()
        let free = try company.row("Person", 5000, ["email": "free@example.org"])
        #expect(try transaction.insertUncontested([free, company.row("Person", 5001, ["email": "person2@example.org"])]) == 0)
        #expect(try transaction.insertUncontested([free, company.row("Person", 5001, ["email": "free@example.org"])]) == 0)
        #expect(try transaction.insertUncontested([free]) == 1)
        let seen = try transaction.read { try $0.rows(root: free.entityIndex, references: [1, 5000, 5001]).map(\.reference) }
        #expect(seen == [1, 5000])
        try transaction.commit()
        #expect(try engine.count(company.plan("Person")) == Int(count) + 1)
    }

    @Test("Rows without a value do not conflict")
    func nulls() throws {
        #expect(try engine.save { $0.inserted = [try company.row("Person", 1), try company.row("Person", 2)] }.isEmpty)
        #expect(
            try engine.save { changes in
                changes.inserted = [try company.row("Employee", 3, ["grade": 1]), try company.row("Employee", 4, ["grade": 1])]
            }.isEmpty)
    }

    @Test("Two new rows of one value conflict once, the later with the earlier")
    func withinOneSave() throws {
        let conflicts = try engine.save { changes in
            changes.inserted = [try company.row("Person", 2, ["email": "a"]), try company.row("Person", 1, ["email": "a"])]
        }
        #expect(others(conflicts) == [[2, 1]])
    }

    @Test("Swapping the values of two rows in one save works", arguments: [Int64(2), 3000])
    func swap(count: Int64) throws {
        try insert(count)
        let conflicts = try engine.save { changes in
            changes.updated = [
                company.update(try company.row("Person", 1, version: 2, ["email": "person2@example.org"])),
                company.update(try company.row("Person", 2, version: 2, ["email": "person1@example.org"])),
            ]
        }
        #expect(conflicts.isEmpty)
        #expect(try engine.references(company.plan("Person", Key<String>("email") == "person1@example.org")) == [2])
        #expect(try engine.references(company.plan("Person", Key<String>("email") == "person2@example.org")) == [1])
    }

    @Test("A value is free once its row was deleted, in the same save")
    func freed() throws {
        try insert(3)
        let entity = try company.entity("Person").index
        let conflicts = try engine.save { changes in
            changes.deleted = [RowDeletion(entity: entity, reference: 2, expectedVersion: 1)]
            changes.inserted = [try company.row("Person", 9, ["email": "person2@example.org"])]
        }
        #expect(conflicts.isEmpty)
        #expect(try engine.references(company.plan("Person", Key<String>("email") == "person2@example.org")) == [9])
    }

    @Test("A constraint over two attributes compares both")
    func compound() throws {
        try engine.save { $0.inserted = [try company.row("Employee", 1, ["grade": 1, "note": "a long note, the same"])] }
        #expect(try engine.save { $0.inserted = [try company.row("Employee", 2, ["grade": 1, "note": "a long note, another"])] }.isEmpty)
        #expect(try engine.save { $0.inserted = [try company.row("Employee", 3, ["grade": 2, "note": "a long note, the same"])] }.isEmpty)
        let conflicts = try engine.save { $0.inserted = [try company.row("Employee", 4, ["grade": 1, "note": "a long note, the same"])] }
        #expect(others(conflicts) == [[4, 1]])
    }

    @Test("An update that leaves the value alone does not conflict with itself")
    func untouched() throws {
        try insert(3)
        let row = try company.row("Person", 2, version: 2, ["email": "person2@example.org", "name": "new"])
        #expect(try engine.save { $0.updated = [company.update(row)] }.isEmpty)
    }
}
