import FoundationEssentials
import StrataModel
import StrataQuery
import StrataText
import Testing

@Suite("The format language")
struct FormatLanguageTests {
    private let a = QueryExpression.keyPath("a")
    private let b = QueryExpression.keyPath("b")
    private let one = QueryExpression.constant(1)

    private func compare(
        _ left: QueryExpression, _ op: QueryComparison.Operator, _ right: QueryExpression, _ options: QueryComparison.Options = [],
        modifier: QueryComparison.Modifier = .direct
    ) -> QueryPredicate { .comparison(.init(left, op, right, options, modifier: modifier)) }

    @Test(
        "Every spelling of every operator",
        arguments: [
            ("=", QueryComparison.Operator.equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less), ("<=", .lessOrEqual),
            ("=<", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("IN", .isIn), ("in", .isIn),
            ("BETWEEN", .between), ("CONTAINS", .contains), ("contains", .contains), ("BEGINSWITH", .beginsWith),
            ("beginsWith", .beginsWith),
            ("ENDSWITH", .endsWith), ("LIKE", .like), ("Matches", .matches),
        ])
    func operators(spelling: String, op: QueryComparison.Operator) throws {
        #expect(try QueryPredicate(format: "a \(spelling) b") == compare(a, op, b))
        #expect(try QueryPredicate(format: "(a)\(spelling)(b)") == compare(a, op, b))
    }

    @Test(
        "Options in any order and case",
        arguments: [
            ("[c]", QueryComparison.Options.caseInsensitive), ("[d]", .diacriticInsensitive), ("[n]", .normalized),
            ("[l]", .localeSensitive),
            ("[cd]", [.caseInsensitive, .diacriticInsensitive]), ("[DC]", [.caseInsensitive, .diacriticInsensitive]),
            (" [ c ] [d]", [.caseInsensitive, .diacriticInsensitive]),
            ("[lncd]", [.caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive]),
        ] as [(String, QueryComparison.Options)])
    func options(spelling: String, options: QueryComparison.Options) throws {
        #expect(try QueryPredicate(format: "a CONTAINS\(spelling) 'x'") == compare(a, .contains, .constant("x"), options))
        #expect(try QueryPredicate(format: "a ==\(spelling) 'x'") == compare(a, .equal, .constant("x"), options))
    }

    @Test("ANY, SOME, ALL and NONE")
    func modifiers() throws {
        let any = compare(.keyPath("a.b"), .greater, one, modifier: .any)
        #expect(try QueryPredicate(format: "ANY a.b > 1") == any)
        #expect(try QueryPredicate(format: "some a.b > 1") == any)
        #expect(try QueryPredicate(format: "NONE a.b > 1") == .not(any))
        #expect(try QueryPredicate(format: "ALL a.b > 1") == compare(.keyPath("a.b"), .greater, one, modifier: .all))
        #expect(try QueryPredicate(format: "NOT ANY a.b > 1 AND a == 1") == .and([.not(any), compare(a, .equal, one)]))
    }

    @Test("AND binds tighter than OR, NOT tighter than both, in words and in signs")
    func logic() throws {
        let (p, q, r) = (compare(a, .equal, one), compare(b, .equal, one), compare(.keyPath("c"), .equal, one))
        #expect(try QueryPredicate(format: "a == 1 OR b == 1 AND c == 1") == .or([p, .and([q, r])]))
        #expect(try QueryPredicate(format: "a == 1 && b == 1 || c == 1") == .or([.and([p, q]), r]))
        #expect(try QueryPredicate(format: "!a == 1 and not (b == 1 or c == 1)") == .and([.not(p), .not(.or([q, r]))]))
        #expect(try QueryPredicate(format: "TRUEPREDICATE OR falsepredicate") == .or([.constant(true), .constant(false)]))
        #expect(try QueryPredicate(format: "a == 1 AND (b == 1 AND c == 1)") == .and([p, .and([q, r])]))
    }

    @Test("Arithmetic by precedence, from the left")
    func arithmetic() throws {
        func parse(_ format: String) throws -> QueryExpression { try QueryExpression(format: format) }
        #expect(try parse("a + b * 1") == .function(.add, [a, .function(.multiply, [b, one])]))
        #expect(try parse("(a + b) * 1") == .function(.multiply, [.function(.add, [a, b]), one]))
        #expect(try parse("a - b - 1") == .function(.subtract, [a, b, one]))
        #expect(try parse("a / b ** 1") == .function(.divide, [a, .function(.raise, [b, one])]))
        #expect(try parse("a & b + 1 | a") == .function(.bitwiseOr, [.function(.bitwiseAnd, [a, .function(.add, [b, one])]), a]))
        #expect(
            try QueryPredicate(format: "a & b == 1 && a | b > 1")
                == .and([compare(.function(.bitwiseAnd, [a, b]), .equal, one), compare(.function(.bitwiseOr, [a, b]), .greater, one)]))
        #expect(try parse("-a ** b") == .function(.raise, [.function(.negate, [a]), b]))
        #expect(try parse("-1") == .constant(-1))
        #expect(try parse("- 1.5") == .constant(-1.5))
        #expect(try parse("-(1)") == .function(.negate, [one]))
        #expect(try parse("a-1") == .function(.subtract, [a, one]))
        #expect(try parse("a --1") == .function(.subtract, [a, .constant(-1)]))
        #expect(try parse("a %% 1") == .function(.modulus, [a, one]))
        #expect(try parse("a + b - 1") == .function(.add, [a, b, .function(.subtract, [one])]))
        #expect(try parse("a - b + 1 - a") == .function(.add, [a, .function(.subtract, [b]), one, .function(.subtract, [a])]))
        #expect(try parse("(a + b) - 1") == .function(.subtract, [.function(.add, [a, b]), one]))
        #expect(try parse("a * b / 1 %% a") == .function(.multiply, [a, b, .function(.divide, [one]), .function(.modulus, [a])]))
        #expect(try parse("a %% b %% 1") == .function(.multiply, [a, .function(.modulus, [b]), .function(.modulus, [one])]))
        #expect(
            try parse("a UNION b MINUS a INTERSECT b")
                == .combined(.intersect, .combined(.minus, .combined(.union, a, b), a), b))
    }

    @Test(
        "Literals",
        arguments: [
            ("1", Value.int(1)), ("-9223372036854775808", .int(.min)), ("9223372036854775807", .int(.max)),
            ("9223372036854775808", .decimal(Decimal(UInt64(1) << 63))),
            ("0x1F", .int(31)), ("0o17", .int(15)), ("0B101", .int(5)), ("-0x8000000000000000", .int(.min)), ("1.5", .double(1.5)),
            (".5", .double(0.5)), ("9.2e-5", .double(9.2e-5)), ("2E3", .double(2000)), ("TRUE", .bool(true)), ("yes", .bool(true)),
            ("False", .bool(false)), ("NO", .bool(false)), ("nil", .null), ("NULL", .null), ("'it\"s'", "it\"s"), ("\"it's\"", "it's"),
            (#"'\n\t\r\\\'\"'"#, "\n\t\r\\'\""), (#"'\101\x41\u0041'"#, "AAA"), (#"'\ud83d\ude42'"#, "🙂"), (#"'\0'"#, "\0"),
            ("'%@ %K %d'", "%@ %K %d"),
            ("{}", []), ("{1, 'a', {nil}}", [1, "a", .list([.null])]), ("'张三'", "张三"),
            ("CAST(5, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 5))), ("CAST('1.50', 'NSDecimalNumber')", .decimal(1.5)),
            ("CAST('AQI=', 'NSData')", .data(Data([1, 2]))), ("CAST('inf', 'NSNumber')", .double(.infinity)),
        ] as [(String, Value)])
    func literals(format: String, value: Value) throws { #expect(try QueryExpression(format: format) == .constant(value)) }

    @Test(
        "Names, paths and operators on collections",
        arguments: [
            ("a", "a"), ("a.b.c", "a.b.c"), ("姓名.größe", "姓名.größe"), ("#size", "size"), ("a.#in.#\"odd name\"", "a.in.odd name"),
            ("a.in", "a.in"),
            ("first", "first"), ("cast", "cast"), ("union", "union"), ("@count", "@count"), ("@sum.sold", "@sum.sold"),
            ("a.@avg.b", "a.@avg.b"),
            ("a.b.@sum", "a.b.@sum"), ("a.@distinctUnionOfObjects.b", "a.@distinctUnionOfObjects.b"), ("_x1", "_x1"),
            ("andy.organ", "andy.organ"),
        ])
    func names(format: String, path: String) throws { #expect(try QueryExpression(format: format) == .keyPath(path)) }

    @Test("Every function by its selector, and with plain names", arguments: QueryFunction.allCases)
    func functions(function: QueryFunction) throws {
        let arguments = Array(repeating: a, count: function.argumentCount ?? 2)
        let list = arguments.map(\.description).joined(separator: ", ")
        #expect(try QueryExpression(format: "\(function.rawValue)(\(list))") == .function(function, arguments))
        if let first = arguments.first {
            let rest = arguments.dropFirst().map { ", \($0)" }.joined()
            #expect(try QueryExpression(format: "FUNCTION(\(first), '\(function.rawValue)'\(rest))") == .function(function, arguments))
        }
        if arguments.count == 1 {
            let name = function.rawValue.dropLast()
            #expect(try QueryExpression(format: "\(name) (a)") == .function(function, arguments))
        }
    }

    @Test("Forms with a syntax of their own")
    func forms() throws {
        func parse(_ format: String) throws -> QueryExpression { try QueryExpression(format: format) }
        let condition = compare(.path(.variable("x"), "a"), .equal, one)
        #expect(try parse("SUBQUERY(a, $x, $x.a == 1).@count") == .path(.subquery(a, variable: "x", condition), "@count"))
        #expect(try parse("ternary(a == 1, a, b)") == .conditional(compare(a, .equal, one), a, b))
        #expect(try parse("FUNCTION(a, 'initials', 1)") == .custom(a, "initials", [one]))
        #expect(try parse("CAST(a, 'NSDate')") == .function(.cast, [a, .constant("NSDate")]))
        #expect(try parse("FETCH('E', 'a == 1', YES)") == .fetch(QueryFetch("E", compare(a, .equal, one), countOnly: true)))
        #expect(try parse("FETCH('E', NULL, 0)") == .fetch(QueryFetch("E")))
        #expect(try parse("FETCH('E')") == .fetch(QueryFetch("E")))
        #expect(try parse("a[FIRST]") == .element(a, .first))
        #expect(try parse("a[last]") == .element(a, .last))
        #expect(try parse("a[SIZE]") == .element(a, .size))
        #expect(try parse("a[1].b") == .path(.element(a, .at(one)), "b"))
        #expect(try parse("a[first.x]") == .element(a, .at(.keyPath("first.x"))))
        #expect(try parse("$x := a + 1") == .assignment("x", .function(.add, [a, one])))
        #expect(try parse("now()") == .function(.now, []))
        #expect(try parse("sum(a, 1)") == .function(.sum, [a, one]))
        #expect(try parse("avg:(a)") == .function(.average, [a]))
        #expect(try parse("random:(a)") == .function(.random, [a]))
        #expect(try parse("SELF") == .evaluatedObject)
        #expect(try parse("ANYKEY") == .anyKey)
        #expect(try parse("self.a") == .path(.evaluatedObject, "a"))
        #expect(try parse("{a, 1}") == .list([a, one]))
    }

    @Test(
        "The operators that people learn first",
        arguments: [
            "age > 18", "age < 18", "age == 18", "age >= 18", "age <= 18", "age != 18", "name IN {'张三','李四'}", "age BETWEEN {18,65}",
            "name BEGINSWITH '张'", "name ENDSWITH '三'", "name CONTAINS '三'", "name LIKE '*三'", "name MATCHES '(张|李).*'", "userId=='123456'",
            "userId==%@",
        ])
    func firstSteps(format: String) throws { _ = try QueryPredicate(format: format, "123456") }

    @Test("A tree prints as the text that makes it")
    func printing() throws {
        let text = #"age >= 18 AND name BEGINSWITH[cd] "A" AND (company.name == "Acme" OR ANY staff.age < 3)"#
        #expect(try QueryPredicate(format: text).predicateFormat == text)
        #expect(compare(a, .less, .constant(.date(Date(timeIntervalSinceReferenceDate: 5)))).predicateFormat == #"a < CAST(5.0, "NSDate")"#)
    }
}
