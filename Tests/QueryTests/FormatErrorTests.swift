import FoundationEssentials
import StrataModel
import StrataQuery
import StrataTestRandom
import Testing

@Suite("Text that is no format")
struct FormatErrorTests {
    private func failure(_ format: String) -> QueryFormatError? {
        do throws(QueryFormatError) {
            _ = try QueryPredicate(format: format, argumentArray: ["x", 1, "y"])
            return nil
        } catch { return error }
    }

    @Test(
        "An error says where, what was expected and what is there",
        arguments: [
            ("", "position 0: expected a condition, found the end"),
            ("a ==", "position 4: expected a value, found the end"),
            ("a == 1 AND ", "position 11: expected a condition, found the end"),
            ("(a == 1", "position 7: expected AND, OR or \")\", found the end"),
            ("a == 1)", "position 6: expected AND, OR or the end, found \")\""),
            ("a == 1 b", "position 7: expected AND, OR or the end, found \"b\""),
            ("a < b < c", "position 6: expected AND, OR or the end of the condition, found \"<\""),
            ("a == AND", "position 5: expected a value, found \"AND\""),
            ("a ==[cx] 'a'", "position 6: expected an option (c, d, n, l or s), found \"x\""),
            ("a IN {1, 2", "position 10: expected \",\" or \"}\", found the end"),
            ("a == 'abc", "position 9: expected a closing ' for the text at 5, found the end"),
            (
                "a == foo(1)",
                "position 5: expected a function of the language (others are called by FUNCTION(target, \"name\")), found \"foo\""
            ),
            ("abs:(1, 2) == 1", "position 0: expected 1 argument for abs:, found 2"),
            ("a == 1 + (b == 2)", "position 9: expected a value, found a condition"),
            ("姓名 == 姓名 == 1", "position 9: expected AND, OR or the end of the condition, found \"==\""),
            ("a == 1\nAND (b == 2 c)", "line 2, column 13: expected AND, OR or \")\", found \"c\""),
            (
                "a ! 2",
                "position 2: expected an operator "
                    + "(==, !=, <, <=, >, >=, IN, BETWEEN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES), found \"!\""
            ),
            (
                "a == FETCH('E', 'b ==')",
                "position 16: expected a condition within the text, found at its position 4: expected a value, found the end"
            ),
        ])
    func messages(format: String, message: String) { #expect(failure(format)?.description == message) }

    @Test("A location is known by bytes, characters, line and column")
    func locations() throws {
        let error = try #require(failure("姓名 == 1 AND\n姓名 ! 2"))
        #expect(error.utf8Offset == 23)
        #expect(error.position == 15)
        #expect(error.line == 2)
        #expect(error.column == 4)
        #expect(error.expected.hasPrefix("an operator (=="))
        #expect(error.found == "\"!\"")
        #expect(error.format.hasPrefix("姓名"))
    }

    // An open name of a locale was read past the end of the text, which ended the process.
    @Test(
        "What the language has not is refused",
        arguments: [
            "a", "1", "a + b", "SELF", "a b", "a = = b", "a ==== b", "a UTI-CONFORMS-TO 'x'", "a uti-equals 'x'", "a == 'x\\d'",
            "a == '\\ud800'",
            "a == '\\u12'", "a == '\\x1'", "a == 1e999", "a == 0x", "a == 0b2", "a == 0x1FFFFFFFFFFFFFFFFF", "a == %", "a == %z", "a == %%",
            "a % 2 == 1",
            "a..b == 1", "a. == 1", ".a == 1", "a.1 == 1", "@ == 1", "# == 1", "#'x == 1", "$ == 1", "$x := == 1", "a == {1,}", "a == {,}",
            "a[ == 1",
            "a[] == 1", "a[1 == 1", "a ==[] 1", "a ==[l@", "a ==[l@zh", "a ==[l@] 1", "a == ()", "() == 1", "()", "ANY a", "ANY ANY a == 1",
            "NOT", "NOT a", "!!", "a AND b",
            "1 + NOT a == 1",
            "SUBQUERY(a, x, x == 1) == 1", "SUBQUERY(a, $x, 1) == 1", "SUBQUERY(a, $x) == 1", "TERNARY(a, b, c) == 1",
            "TERNARY(a == 1, b) == 1",
            "CAST(a) == 1", "FUNCTION(a) == 1", "FUNCTION(a, b) == 1", "FETCH(a, 'b', YES) == 1", "FETCH('E', b, YES) == 1",
            "FETCH('E', '', YES) == 1",
            "FETCH('E', '%@ == 1', YES) == 1", "FETCH('E', NULL, 2) == 1", "now(1) == 1", "add:to:(1) == 1", "uppercase:a == 1",
            "a == “x”", "a == 1;", "a == 1 /* x */", "a == `b`", "a == b'c'", "a == 1 AND\0", "\0", "a == ?", "?", "a & == 1",
            "a | | b == 1",
            "name == 'x' OR 1=1; DROP TABLE ZPERSON",
        ])
    func refused(format: String) throws {
        let error = try #require(failure(format))
        #expect(error.utf8Offset <= format.utf8.count)
        #expect(!error.description.isEmpty)
    }

    private static let samples = [
        #"age >= 18 AND name BEGINSWITH[cd] %@ AND company.name == "Acme""#,
        #"ANY a.b < %@ OR c == %d OR NOT (x IN {1, 2.5e3, 'a\u00e9\n', 0x1F}) && !y BETWEEN {$a, $b := 3 ** -4}"#,
        #"SUBQUERY(staff, $x, $x.age > 3 AND ALL $x.a LIKE '*?').@count == a[FIRST].b + c[SIZE] * (d[3 - 1] UNION e)"#,
        #"TERNARY(a == nil, CAST(5, "NSDate"), FUNCTION(a, 'foo', 1)) != FETCH("E", "a == \"x\"", NO)"#,
        #"姓名 CONTAINS '三' || #size == #"odd \x41".@sum.%K || modulus:by:(a, 2) == now() || TRUEPREDICATE"#,
    ]

    private func tries(_ format: String) {
        guard let error = failure(format) else { return }
        let isInside = error.utf8Offset >= 0 && error.utf8Offset <= format.utf8.count && error.line >= 1 && error.column >= 1
        if !isInside || error.description.isEmpty { Issue.record("\(format): \(error)") }
    }

    @Test("The samples themselves parse", arguments: samples)
    func intact(sample: String) { #expect(failure(sample) == nil) }

    @Test("A text that ends anywhere gives an error within it, or a tree", arguments: samples)
    func truncated(sample: String) {
        let bytes = Array(sample.utf8)
        for length in 0...bytes.count {
            tries(String(decoding: bytes[..<length], as: UTF8.self))
            tries(String(decoding: bytes[length...], as: UTF8.self))
        }
    }

    @Test("Random bytes in a text give an error within it, or a tree that prints and parses")
    func mutated() throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let signs = Array("()[]{}'\"\\%$#@.,:=!<>&|+-*/ \0\nabNOTand019eEx\u{e9}三".utf8)
        for _ in 0..<5_000 {
            var bytes = Array(random.pick(FormatErrorTests.samples).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[position] = random.pick(signs)
                case 1: bytes.insert(random.pick(signs), at: position)
                default: bytes.remove(at: position)
                }
            }
            let format = String(decoding: bytes, as: UTF8.self)
            if let predicate = try? QueryPredicate(format: format, argumentArray: ["x", 1, "y"]) {
                let text = predicate.predicateFormat
                guard (try? QueryPredicate(format: text)) == predicate else {
                    Issue.record("seed \(RunSeed.value): \(format) printed as \(text)")
                    return
                }
            } else {
                tries(format)
            }
        }
    }

    @Test(
        "Ten thousand levels of nesting are an error with a location",
        arguments: [
            "(", "NOT ", "!", "-", "{", "abs:(", "SUBQUERY(a, $x, ", "TERNARY(", "ANY ", "a[", "$x := ", "FUNCTION(", "a AND (", "1 + (",
            "a == (", "FETCH('E', \"",
        ])
    func deep(opening: String) throws {
        let error = try #require(failure(String(repeating: opening, count: 10_000)))
        #expect(error.utf8Offset <= opening.utf8.count * 10_000)
        #expect(failure(String(repeating: opening, count: 10_000) + "a == 1" + String(repeating: ")", count: 10_000)) != nil)
    }

    @Test("Sixty-four levels of conditions parse, print and compare")
    func sixtyFour() throws {
        var predicate = key("a") == 1
        for level in 0..<63 { predicate = level.isMultiple(of: 2) ? .and([key("b") == 2, predicate]) : .or([key("b") == 2, predicate]) }
        #expect(try QueryPredicate(format: predicate.predicateFormat) == predicate)
    }

    @Test("Chains of ten thousand conditions are one level; chains of alternating operators that are too long are an error")
    func chains() throws {
        for word in [" AND ", " OR ", " && ", "||"] {
            let format = Array(repeating: "a == 1", count: 10_000).joined(separator: word)
            let predicate = try QueryPredicate(format: format)
            let isWhole =
                switch predicate {
                case .and(let parts), .or(let parts): parts.count == 10_000
                default: false
                }
            let printed = try QueryPredicate(format: predicate.predicateFormat)
            #expect(isWhole)
            #expect(printed == predicate)
        }
        for sign in [" UNION "] {
            let error = failure(Array(repeating: "a", count: 10_000).joined(separator: sign) + " == 1")
            #expect(error?.expected == "at most \(QueryPredicate.greatestDepth) levels of nesting")
        }
        #expect(failure("a" + String(repeating: "[0]", count: 10_000) + " == 1") != nil)
        let list = "a IN {" + (0..<40_000).map { String($0) }.joined(separator: ",") + "}"
        #expect(failure(list) == nil)
    }

    @Test("Megabytes of text, of name and of nothing")
    func megabytes() throws {
        let long = String(repeating: "x三'", count: 300_000)
        #expect(try QueryPredicate(format: "a == \"\(long)\"") == (key("a") == .string(long)))
        #expect(try QueryPredicate(format: "a == \"" + String(repeating: "\\n", count: 500_000) + "\"").variables.isEmpty)
        let name = String(repeating: "a.", count: 500_000) + "a"
        #expect(try QueryPredicate(format: name + " == 1") == (key(name) == 1))
        #expect(try QueryPredicate(format: String(repeating: " ", count: 1_000_000) + "a == 1") == (key("a") == 1))
        for junk in ["a", "=", "%", "'", "\\", "\0", "三", ")", "#", "$", ".", "1", "!="] {
            let format = String(repeating: junk, count: 1_000_000 / junk.utf8.count)
            #expect(failure(format) != nil)
        }
    }
}
