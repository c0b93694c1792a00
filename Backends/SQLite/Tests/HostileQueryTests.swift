import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import StrataText
import Testing

@testable import StrataSQLite

@Suite("Names and values that look like SQL")
struct HostileQueryTests {
    private static let texts = [
        "'; DROP TABLE ZITEM; --", "\" OR 1=1 --", "%", "_", "a%b_c", "\u{0}", "x\u{0}y", "''", "\\", "?", "?1", ":name", "@p", "$x",
        "{\"}",
        "]", "[\"a\"]", "NULL", "1e999", "\u{FFFD}", "\u{202E}abc", "NaN",
    ]

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Select") {
                Attributes(["group": .string, "order": .string, "z_pk": .integer64, "t0": .integer64])
                Relationships(["where": .toOne("Select.from"), "from": .toMany("Select.where"), "join": .toMany("Select.join")])
                FetchIndex("index", on: "group")
            }
        }
    }

    @Test("Keywords as names, and SQL as values, mean what they say", arguments: texts)
    func values(text: String) throws {
        let model = try model()
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        let entity = try #require(model.entity(named: "Select"))
        var changes = ChangeSet()
        for (offset, other) in (HostileQueryTests.texts + [""]).enumerated() {
            changes.inserted.append(
                try row(
                    model, "Select", Int64(offset + 1),
                    ["group": .string(other), "order": .string(other + text), "z_pk": .int(Int64(offset)), "where": 1]))
        }
        #expect(try store.save(changes).isEmpty)
        let position = Int64(try #require(HostileQueryTests.texts.firstIndex(of: text))) + 1
        let all = Array(1...Int64(HostileQueryTests.texts.count + 1))
        let group = key("group")
        let expected: [(QueryPredicate, [Int64])] = [
            (group == .string(text), [position]), (group != .string(text), all.filter { $0 != position }),
            (key("order").endsWith(text), all), (group.isIn([.string(text), "no"]), [position]),
            (group.isIn([.string(text)] + (0..<300).map { .string("no \($0)") }), [position]),
            (.comparison(.init(.keyPath("from.group"), .equal, .constant(.string(text)), modifier: .any)), [1]),
        ]
        for (predicate, references) in expected {
            var plan = FetchPlan(entity)
            plan.predicate = try predicate.resolved(for: entity, in: model)
            let found = try store.fetch(plan)
            #expect(found.map(\.reference) == references, "\(predicate)")
            plan.sort = [try ResolvedSort(QuerySort("order"), of: entity, in: model)]
            #expect(try store.fetch(plan).count == references.count)
        }
        for op in [QueryComparison.Operator.contains, .beginsWith, .like, .matches] {
            var plan = FetchPlan(entity)
            let predicate = QueryPredicate.comparison(.init(group, op, .constant(.string(text)), .caseInsensitive))
            guard let resolved = try? predicate.resolved(for: entity, in: model) else { continue }
            plan.predicate = resolved
            let test = RowPredicate(resolved)
            let references = try store.read { reader in
                try changes.inserted.filter { try test.passes($0, reader) }.map(\.reference)
            }
            #expect(try store.fetch(plan).map(\.reference) == references, "\(predicate)")
        }
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM ZSELECT") == [[String(all.count)]])
    }
}
