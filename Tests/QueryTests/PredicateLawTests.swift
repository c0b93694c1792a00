import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestRandom
import Testing

@Suite("Laws of predicates, over random ones")
struct PredicateLawTests {
    private let office: Office
    private let everyone: [Int64]

    init() throws {
        office = try Office()
        var random = SeededGenerator(seed: 6)
        for reference in 1...40 { try office.add(Int64(reference), RandomPeople.values(&random)) }
        everyone = (1...40).map { Int64($0) }
    }

    /// Runs a body with 400 pairs of predicates.
    private func forPairs(seed: UInt64, _ body: (QueryPredicate, QueryPredicate) throws -> Void) throws {
        var random = SeededGenerator(seed: seed)
        let person = try office.person
        for _ in 0..<400 {
            try body(RandomPeople.predicate(person, depth: 3, &random), RandomPeople.predicate(person, depth: 3, &random))
        }
    }

    @Test("NOT is the complement, and twice NOT is nothing")
    func complement() throws {
        try forPairs(seed: 7) { predicate, _ in
            let passing = try office.matching(predicate)
            #expect(try office.matching(!predicate) == everyone.filter { !passing.contains($0) }, "\(predicate)")
            #expect(try office.matching(!(!predicate)) == passing)
        }
    }

    @Test("De Morgan's laws hold")
    func deMorgan() throws {
        try forPairs(seed: 8) { a, b in
            let (neither, notBoth) = (try office.matching(!a && !b), try office.matching(!a || !b))
            #expect(try office.matching(!(a && b)) == notBoth, "\(a); \(b)")
            #expect(try office.matching(!(a || b)) == neither, "\(a); \(b)")
        }
    }

    @Test("AND is the intersection and OR the union")
    func sets() throws {
        try forPairs(seed: 9) { a, b in
            let (inA, inB) = (Set(try office.matching(a)), Set(try office.matching(b)))
            let (both, either) = (Set(try office.matching(a && b)), Set(try office.matching(a || b)))
            #expect(both == inA.intersection(inB))
            #expect(either == inA.union(inB))
        }
    }

    @Test("IN is the OR of equalities, and BETWEEN the AND of its bounds")
    func listOperators() throws {
        var random = SeededGenerator(seed: 10)
        let person = try office.person
        var seen = 0
        for _ in 0..<2000 {
            let comparison = RandomPeople.comparison(person, &random)
            guard case .constant(.list(let values)) = comparison.right else { continue }
            seen += 1
            func part(_ op: QueryComparison.Operator, _ value: Value) -> QueryPredicate {
                .comparison(.init(comparison.left, op, .constant(value), comparison.options))
            }
            let expanded: QueryPredicate =
                comparison.operator == .isIn
                ? .or(values.map { part(.equal, $0) }) : .and([part(.greaterOrEqual, values[0]), part(.lessOrEqual, values[1])])
            #expect(try office.matching(.comparison(comparison)) == office.matching(expanded), "\(comparison)")
        }
        #expect(seen > 100)
    }

    @Test("The compiled test of row bytes decides as the test of decoded values")
    func compiledEqualsDecoded() throws {
        var random = SeededGenerator(seed: 11)
        let person = try office.person
        var passed = 0
        for _ in 0..<3000 {
            let comparison = RandomPeople.comparison(person, &random)
            guard case .comparison(let resolved) = try office.resolve(.comparison(comparison)) else { continue }
            let test = RowPredicate(.comparison(resolved))
            for reference in everyone {
                let row = try #require(try office.row(root: person.root, reference: reference))
                let left = try value(resolved.left, row)
                let right = try resolved.right.path.map { try value($0, row) } ?? resolved.right.constant ?? .null
                let decided = try ValueTest.compare(left, resolved.operator, right, options: resolved.options)
                let expected: Bool = try #require(decided as Bool?, "\(comparison)")
                let isPassing = try test.passes(row, office)
                if isPassing != expected { Issue.record("\(comparison) of \(left) and \(right): \(isPassing)") }
                passed += isPassing ? 1 : 0
            }
        }
        #expect(passed > 10_000)
    }

    private func value(_ path: PropertyPath, _ row: Row) throws -> Value {
        guard let end = try RowPredicate.follow(path, from: row, office) else { return .null }
        return end.value(try #require(path.leafSlot), path.leafKind)
    }
}
