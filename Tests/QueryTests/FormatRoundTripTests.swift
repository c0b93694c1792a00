import FoundationEssentials
import StrataModel
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Format text and trees")
struct FormatRoundTripTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") { Attribute("name", .string) }
            Entity("Größe/x") { Attribute("name", .string) }
        }
    }

    private func queries() throws -> (RandomQuery, ManagedObjectModel) {
        let model = try model()
        var queries = RandomQuery(seed: RunSeed.value)
        queries.scopes = model.entities.flatMap {
            [ObjectIDScope(storeID: "A-B", entity: $0), ObjectIDScope(storeID: nil, entity: $0)]
        }
        return (queries, model)
    }

    /// Prints trees and parses the texts, until one comes back as another tree.
    private func roundTrip<Tree: Equatable>(
        _ count: Int, _ tree: (inout RandomQuery) -> Tree, print: (Tree) -> String, parse: (String, ManagedObjectModel) throws -> Tree
    ) throws {
        var (queries, model) = try queries()
        for _ in 0..<count {
            let tree = tree(&queries)
            let text = print(tree)
            let parsed = try parse(text, model)
            guard parsed == tree else {
                Issue.record("seed \(RunSeed.value): \(text) came back as \(print(parsed))")
                return
            }
        }
    }

    @Test("A printed predicate parses to an equal tree")
    func predicates() throws {
        try roundTrip(
            RunSeed.trials(5_000, soak: 100_000), { $0.predicate(depth: 3) }, print: \.predicateFormat,
            parse: { try QueryPredicate(format: $0, model: $1) })
    }

    @Test("A printed expression parses to an equal tree, deeper")
    func expressions() throws {
        try roundTrip(
            RunSeed.trials(1_000, soak: 20_000), { $0.expression(depth: 4) }, print: \.description,
            parse: { try QueryExpression(format: $0, model: $1) })
    }

    @Test("Without a model a printed tree parses to one that prints the same")
    func withoutModel() throws {
        var (queries, _) = try queries()
        for _ in 0..<500 {
            let text = queries.predicate(depth: 3).predicateFormat
            #expect(try QueryPredicate(format: text).predicateFormat == text)
        }
    }

    @Test("Trees are encoded and decoded")
    func coding() throws {
        var (queries, model) = try queries()
        let decoder = JSONDecoder()
        if let key = CodingUserInfoKey.queryModel { decoder.userInfo[key] = model }
        for _ in 0..<200 {
            let predicate = queries.predicate(depth: 3)
            let expression = queries.expression(depth: 3)
            #expect(try decoder.decode([QueryPredicate].self, from: JSONEncoder().encode([predicate])) == [predicate])
            #expect(try decoder.decode([QueryExpression].self, from: JSONEncoder().encode([expression])) == [expression])
        }
        let sorts = [QuerySort("a.b", ascending: false, [.caseInsensitive, .localeSensitive, .numeric]), QuerySort("c")]
        #expect(try decoder.decode([QuerySort].self, from: JSONEncoder().encode(sorts)) == sorts)
    }

    @Test("Text that does not parse, or options that there are not, fail to decode")
    func decodingFailures() {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([QueryPredicate].self, from: Data(#"["a =="]"#.utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([QueryExpression].self, from: Data(#"["a =="]"#.utf8)) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([QuerySort].self, from: Data(#"[{"keyPath": "a", "options": "cx"}]"#.utf8))
        }
    }

    @Test(
        "Parentheses appear only where the tree needs them",
        arguments: [
            "a == 1 AND b == 2 OR c == 3", "(a == 1 OR b == 2) AND c == 3", "NOT (a == 1 AND b == 2)", "NOT a == 1 AND b == 2",
            "a + b * c == 1", "(a + b) * c == 1", "a - (b - c) == 1", "a - b - c == 1", "a ** b ** c == 1", "a ** (b ** c) == 1",
            "-a ** b == 1", "-(a ** b) == 1", "-(5) == -5", "a UNION b + c == d", "(a UNION b) + c == d", "a[0].b[FIRST] == 1",
            "(a).b == 1", "($x.a).b == 1", "$x.a[LAST].b == 1", "($x := 1) + 2 == 3", "$x := 1 + 2 == 3",
            "a == 1 AND (b == 2 AND c == 3)", "(a == 1 AND b == 2) AND c == 3", "#in == #\"a b\".#\"\"", "a.#size[SIZE] == 1",
        ])
    func parentheses(format: String) throws {
        #expect(try QueryPredicate(format: format).predicateFormat == format)
    }

    @Test("AND and OR of no or one part print as what they mean")
    func degenerate() {
        let a = key("a") == 1
        #expect(QueryPredicate.and([]).predicateFormat == "TRUEPREDICATE")
        #expect(QueryPredicate.or([]).predicateFormat == "FALSEPREDICATE")
        #expect(QueryPredicate.and([a]).predicateFormat == "a == 1")
        #expect(QueryPredicate.not(.and([.or([a, a])])).predicateFormat == "NOT (a == 1 OR a == 1)")
    }
}
