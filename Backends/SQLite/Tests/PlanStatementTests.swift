import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import StrataTestModels
import Testing

@Suite("Rows that a plan selects, changed by one statement")
struct PlanStatementTests {
    private let model: ManagedObjectModel
    private let sandbox: Sandbox
    private let store: any StoreBackend

    init() throws {
        model = try ManagedObjectModel {
            Entity("Note") {
                Attribute("n", .integer16)
                Attribute("weight", .double).required
                Attribute("text", .string)
                Attribute("scan", .binary).externalStorage
                Relationship("folder", to: "Folder", inverse: "notes")
                Unique("text")
            }
            Entity("Letter", parent: "Note") { Relationship("readers", to: "Folder", inverse: "letters", .toMany) }
            Entity("Folder") {
                Attribute("name", .string)
                Relationships(["notes": .toMany("Note.folder"), "letters": .toMany("Letter.readers")])
            }
            Entity("Word") { Attribute("spelling", .string).required }
        }
        sandbox = try Sandbox()
        store = try open(sandbox.path(), model)
        var changes = ChangeSet()
        changes.inserted = try (1...5).map { (number: Int64) in
            let values: [String: Value] = ["n": .int(number), "weight": .double(Double(number) / 2), "text": .string("t\(number)")]
            return try row(model, number == 5 ? "Letter" : "Note", number, values)
        }
        changes.inserted += try (1...5).map { try row(model, "Word", $0, ["spelling": .string("w\($0)")]) }
        #expect(try store.save(changes).isEmpty)
    }

    private func plan(_ entity: String, _ predicate: QueryPredicate? = nil, _ result: FetchPlan.Result = .count) throws -> FetchPlan {
        let entity = try #require(model.entity(named: entity))
        var plan = FetchPlan(entity, result)
        plan.predicate = try predicate?.resolved(for: entity, in: model)
        return plan
    }

    private func assignments(_ constants: [String: Value] = [:], _ computed: [String: QueryExpression] = [:]) throws -> RowAssignments {
        let entity = try #require(model.entity(named: "Note"))
        let slots = try constants.keys.map { try #require(entity.attribute(named: $0)?.slot) }
        return RowAssignments(
            template: try row(model, "Note", 0, constants), slots: slots.sorted(),
            computations: try computed.map {
                .init(try #require(entity.attribute(named: $0)), try $1.resolved(for: entity, in: model))
            })
    }

    /// What an update answers; what it changed is committed, which has to work after a refusal too.
    private func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        let transaction = try store.beginWrite()
        let answer = try transaction.update(plan, assignments)
        try transaction.commit()
        return answer
    }

    private func isLeft(_ answer: StoreAnswer?) -> Bool { if case nil = answer { true } else { false } }

    private var notes: [[String?]] {
        get throws { try raw(sandbox.path(), "SELECT Z_PK, Z_OPT, ZN, ZWEIGHT, ZTEXT FROM ZNOTE ORDER BY Z_PK") }
    }

    @Test("Constants and computed values, and the next version of each row")
    func updates() throws {
        let sum = QueryExpression.function(.add, [key("weight"), .constant(1)])
        guard case .count(let count) = try update(plan("Note", key("n") > 3), assignments(["n": .null], ["weight": sum])) else {
            Issue.record("left to the core")
            return
        }
        #expect(count == 2)
        #expect(try notes[2...] == [["3", "1", "3", "1.5", "t3"], ["4", "2", nil, "3.0", "t4"], ["5", "2", nil, "3.5", "t5"]])
    }

    @Test("References come in ascending order, with the rows' own entities")
    func references() throws {
        let answer = try update(plan("Note", key("text") > "t1", .references), assignments(["n": 9]))
        guard case .references(let found)? = answer else {
            Issue.record("left to the core")
            return
        }
        #expect(found.map(\.reference) == [2, 3, 4, 5])
        #expect(found.map { model.entities[$0.entity].name } == ["Note", "Note", "Note", "Letter"])
    }

    @Test("What only the core does is left to it, with nothing changed")
    func refusals() throws {
        let before = try notes
        let tenfold = QueryExpression.function(.multiply, [key("n"), .constant(10_000)])
        let none = QueryExpression.function(.divide, [key("weight"), .function(.subtract, [key("n"), .constant(4)])])
        let refused = [
            // Some rows are written before the first value that does not fit, or that another row has.
            try assignments([:], ["n": tenfold]), try assignments(["text": "same"]), try assignments([:], ["weight": none]),
            try assignments([:], ["text": key("folder.name")]), try assignments([:], ["n": key("folder.notes.@count")]),
            try assignments(["scan": .data(Data([1]))]),
        ]
        for (index, assignments) in refused.enumerated() {
            let answer = try update(plan("Note"), assignments)
            #expect(isLeft(answer), "\(index)")
            #expect(try notes == before, "\(index)")
        }
    }

    @Test("Rows are deleted unless links or external values go with them, and their references do not come again")
    func deletions() throws {
        for entity in ["Note", "Letter", "Folder"] {
            let transaction = try store.beginWrite()
            let answer = try transaction.delete(plan(entity))
            #expect(isLeft(answer))
            transaction.rollback()
        }
        let transaction = try store.beginWrite()
        guard case .count(let count)? = try transaction.delete(plan("Word", key("spelling") >= "w2")) else {
            Issue.record("left to the core")
            return
        }
        #expect(count == 4)
        try transaction.commit()
        #expect(try raw(sandbox.path(), "SELECT Z_PK FROM ZWORD") == [["1"]])
        let next = try store.beginWrite()
        #expect(try next.reserveReferences(1, root: #require(model.entity(named: "Word")).index) == 6)
        next.rollback()
    }

    @Test("Rows are inserted up to the first that a constraint keeps out, and the transaction goes on", arguments: [1, 31, 32, 33, 70])
    func uncontested(count: Int) throws {
        let rows = try (0..<100).map {
            try row(model, "Note", Int64(100 + $0), ["weight": 1, "text": .string($0 == count ? "t2" : "x\($0)")])
        }
        let transaction = try store.beginWrite()
        #expect(try transaction.insertUncontested(rows) == count)
        let seen = try transaction.read { try $0.rows(root: rows[0].entityIndex, references: rows.map(\.reference)).count }
        #expect(seen == count)
        var changes = ChangeSet()
        changes.inserted = Array(rows[(count + 1)...])
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM ZNOTE") == [["104"]])
    }
}
