import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Comparing values of any kinds")
struct ValueTestTests {
    private let values: [Value]
    private let office: Office

    init() throws {
        office = try Office()
        try office.add(1, ["name": "Ann", "age": 30, "height": 1.5])
        let uuid = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        let page = try #require(URL(string: "https://a.b"))
        values = [
            .null, true, false, 0, 1, 2, -1, .int(.max), .int(.min), 0.0, 1.0, 0.5, -0.0, .double(.nan), .double(.infinity), 1e300, 0x1p63,
            .decimal(1), .decimal(try #require(Decimal(string: "0.5"))), .decimal(try #require(Decimal(string: "0.1"))), .decimal(.nan),
            0.1,
            "", "a", "A", "\u{E9}", "e\u{301}", "https://a.b", .url(page), .date(Date(timeIntervalSinceReferenceDate: 1)),
            .date(Date(timeIntervalSinceReferenceDate: .nan)), .data(Data([1])), .data(Data()), .uuid(uuid),
            .objectID(try office.id(1)), .objectID(try office.id(1, store: "OTHER")), .objectID(try office.id(1, of: "Company")),
            [], [1, 2], [1.0, 2.0], ["a"], [.null], [[1]], [0.5, 2],
        ]
    }

    private func holds(_ a: Value, _ op: QueryComparison.Operator, _ b: Value, _ options: QueryComparison.Options = []) throws -> Bool {
        try ValueTest.holds(a, op, b, options: options)
    }

    @Test("Every operator answers for all kinds, != as the negation of ==, and <= as < or ==")
    func total() throws {
        for options in [QueryComparison.Options(), .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
            for a in values {
                for b in values {
                    for op in QueryComparison.Operator.allCases where op != .matches { _ = try holds(a, op, b, options) }
                    let isEqual = try holds(a, .equal, b, options)
                    #expect(try holds(a, .notEqual, b, options) != isEqual, "\(a) and \(b)")
                    #expect(try holds(b, .equal, a, options) == isEqual, "\(a) and \(b)")
                    let isLess = try holds(a, .less, b, options)
                    #expect(try holds(b, .greater, a, options) == isLess, "\(a) and \(b)")
                    #expect(!(isLess && isEqual), "\(a) and \(b)")
                    if try holds(a, .lessOrEqual, b, options) { #expect(isLess || isEqual, "\(a) and \(b)") }
                }
            }
        }
    }

    @Test("A compiled comparison decides as that of values, whichever sides are known beforehand")
    func compiled() throws {
        func unknown(_ value: Value) -> QueryExpression { .conditional(.constant(true), .constant(value), .constant(.null)) }
        var passed = 0
        for a in values {
            for b in values {
                for op in QueryComparison.Operator.allCases where op != .matches {
                    if op == .between, case .list(let bounds) = b, bounds.count == 2 {} else if op == .between { continue }
                    let expected = try holds(a, op, b)
                    let test = ResolvedTest(try office.resolve(unknown(a)), op, .constant(b))
                    let dynamic = ResolvedTest(test.left, op, try office.resolve(unknown(b)))
                    let decided = try [test, dynamic].map { try !office.matching(.test($0)).isEmpty }
                    if decided != [expected, expected] { Issue.record("\(a) \(op.rawValue) \(b): \(decided)") }
                    passed += expected ? 1 : 0
                }
            }
        }
        #expect(passed > 300)
    }

    @Test("IN a list is the OR of equalities, however the list is looked up")
    func membership() throws {
        var random = SeededGenerator(seed: 31)
        for options in [QueryComparison.Options(), .caseInsensitive] {
            for _ in 0..<300 {
                let list = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in values.randomElement(using: &random) }
                for value in values {
                    let test = ResolvedTest(
                        .conditional(.constant(true), .constant(value), .constant(.null)), .isIn, .constant(.list(list)), options: options)
                    let isAmong = try !office.matching(.test(test)).isEmpty
                    let equals = try list.contains { try holds(value, .equal, $0, options) }
                    if isAmong != equals { Issue.record("\(value) in \(list): \(isAmong)") }
                }
            }
        }
    }

    @Test("Numbers are equal by magnitude, truth values as 0 and 1, and a NaN equals nothing")
    func numbers() throws {
        #expect(try holds(1, .equal, 1.0))
        #expect(try holds(true, .equal, 1))
        #expect(try holds(true, .equal, 1.0))
        #expect(try holds(.decimal(1), .equal, true))
        #expect(try holds(1, .isIn, [2.0, 1.0]))
        #expect(try !holds(.double(.nan), .isIn, [.double(.nan)]))
        #expect(try holds(.null, .isIn, [1, .null]))
        #expect(try !holds(.int(.max), .equal, 0x1p63))
        #expect(try !holds(.int(.max), .isIn, [0x1p63]))
        #expect(try holds(1, .between, [0.5, .decimal(2)]))
        #expect(try !holds(1, .between, [.null, 2]))
        #expect(try !holds(1, .between, [1]))
    }

    @Test("Text IN text is found within it; a list CONTAINS an element, a text another")
    func contains() throws {
        #expect(try holds("nn", .isIn, "Ann"))
        #expect(try !holds("NN", .isIn, "Ann"))
        #expect(try holds("NN", .isIn, "Ann", .caseInsensitive))
        #expect(try holds("ANN", .isIn, ["ann"], .caseInsensitive))
        #expect(try holds(["ann"], .contains, "ANN", .caseInsensitive))
        #expect(try holds([1, 2], .contains, 2.0))
        #expect(try !holds([1, 2], .contains, "2"))
        #expect(try holds([[1]], .contains, [1.0]))
        #expect(try !holds(1, .isIn, 1))
        #expect(try !holds("a", .isIn, .null))
        #expect(try !holds(.null, .isIn, "a"))
        let page = try #require(URL(string: "https://a.b"))
        #expect(try holds(.url(page), .equal, "https://a.b"))
        #expect(try holds("a.b", .isIn, .url(page)))
        #expect(try holds(.url(page), .beginsWith, "https"))
    }

    @Test("Lists are equal element by element")
    func lists() throws {
        #expect(try holds([1, "a", .null], .equal, [1.0, "a", .null]))
        #expect(try !holds([1], .equal, [1, 1]))
        #expect(try !holds([1, 2], .equal, [2, 1]))
        #expect(try holds(["a"], .equal, ["A"], .caseInsensitive))
        #expect(try !holds(["a"], .equal, ["A"]))
        #expect(try !holds([.double(.nan)], .equal, [.double(.nan)]))
        #expect(try !holds([1], .less, [2]))
        #expect(try holds([1], .notEqual, 1))
    }

    @Test("Bounds may be computed of the row")
    func computedBounds() throws {
        func between(_ low: QueryExpression, _ high: QueryExpression) throws -> Bool {
            try office.matching(.comparison(.init(.function(.add, [.keyPath("age"), .constant(0)]), .between, .list([low, high])))) == [1]
        }
        let age = QueryExpression.keyPath("age")
        #expect(try between(age, age))
        #expect(try between(.constant(1), .function(.multiply, [age, .constant(2)])))
        #expect(try !between(.function(.add, [age, .constant(1)]), .constant(99)))
        #expect(try !between(.keyPath("boss.age"), .constant(99)))
    }

    @Test("A pattern from a column is matched row by row")
    func computedPatterns() throws {
        try office.add(2, ["name": "Bob", "nick": "B*"])
        try office.add(3, ["name": "Cid", "nick": "B*"])
        try office.add(4, ["name": "Bill", "nick": "?ill"])
        try office.add(5, ["nick": "*"])
        let pattern = QueryExpression.function(.noIndex, [.keyPath("nick")])
        #expect(try office.matching(.comparison(.init(.keyPath("name"), .like, pattern))) == [2, 4])
    }

    @Test("A tree of 64 levels is evaluated")
    func depth() throws {
        var predicate = key("age") == 30
        var sum = QueryExpression.keyPath("age")
        for level in 0..<64 {
            predicate = level.isMultiple(of: 2) ? .not(predicate) : .and([predicate, .constant(true)])
            sum = .function(.add, [sum, .constant(1)])
        }
        #expect(try office.matching(predicate) == [1])
        #expect(try office.value(sum, 1) == 94)
        var list = Value.list([1])
        for _ in 0..<64 { list = .list([list]) }
        #expect(try holds(list, .equal, list))
    }
}
