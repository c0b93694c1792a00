import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

@Suite("Tuples that are different from each other")
struct TupleSetTests {
    @Test("Values that are equal in predicates are one, of any kinds; so are two nils and two NaNs")
    func pairs() throws {
        let url = try #require(URL(string: "https://a.b"))
        let values: [Value] = [
            .null, .bool(true), .bool(false), 0, 1, -1, .int(.max), .double(0), .double(-0.0), .double(1), .double(0.5), .double(.nan),
            .double(.infinity), .double(9e18), .double(1e300), .decimal(1), .decimal(Decimal(1) / 2), .decimal(.nan),
            .decimal(Decimal(1) / 3),
            .decimal(Decimal(Int64.max)), .decimal(Decimal(string: "9000000000000000000") ?? 0), "https://a.b", .url(url), "", "a",
            .date(Date(timeIntervalSinceReferenceDate: 1)), .date(Date(timeIntervalSinceReferenceDate: .nan)), [], [1], [.double(1)],
            [.null],
            [.double(.nan)], [.decimal(.nan)], .data(Data([1])),
        ]
        func isNaN(_ value: Value) -> Bool {
            switch value {
            case .double(let number): number.isNaN
            case .decimal(let number): number.isNaN
            default: false
            }
        }
        func areOne(_ a: Value, _ b: Value) -> Bool {
            if a.equals(b) { return true }
            if case .list(let a) = a, case .list(let b) = b { return a.count == b.count && zip(a, b).allSatisfy { areOne($0, $1) } }
            if case .date(let a) = a, case .date(let b) = b {
                return a.timeIntervalSinceReferenceDate.isNaN && b.timeIntervalSinceReferenceDate.isNaN
            }
            return isNaN(a) && isNaN(b)
        }
        for a in values {
            for b in values {
                let areEqual = TupleKey(["x", a]) == TupleKey(["x", b])
                #expect(areEqual == areOne(a, b), "\(a) and \(b)")
                var set = TupleSet()
                let isFirstNew = set.insert([a, 1])
                let isSecondNew = set.insert([b, .double(1)])
                #expect(isFirstNew)
                #expect(isSecondNew == !areOne(a, b), "\(a) and \(b)")
            }
        }
    }
}
