import StrataQuery
import Testing

/// Each message of format text that is refused.
@Suite("Messages of format text")
struct FormatMessageTests {
    private func message(_ format: String, _ arguments: [(any QueryArgument)?]) -> String? {
        do throws(QueryFormatError) {
            _ = try QueryPredicate(format: format, argumentArray: arguments)
            return nil
        } catch { return error.description }
    }

    @Test(
        "Malformed format text is refused with its position and what is expected there",
        arguments: [
            ("a == FETCH('E', NULL, 2)", "position 22: expected YES or NO, found \"2\""),
            ("a == FETCH('E', b, YES)", "position 16: expected a condition as a text, or nil, found \"b\""),
            ("a == FETCH(1, NULL, YES)", "position 11: expected the name of an entity as a text, found \"1\""),
            ("a == 0x", "position 7: expected a digit of base 16, found the end"),
            ("a == #", "position 6: expected a name, or one in quotes, found the end"),
            ("a == 0x1FFFFFFFFFFFFFFFFF", "position 5: expected a number of at most 64 bits, found \"0x1FFFFFFFFFFFFFFFFF\""),
            ("a == 1e999", "position 5: expected a number within the range of floating-point numbers, found \"1e999\""),
            (#"a == '\ud800\u0041'"#, #"position 6: expected a pair of surrogates, found "\""#),
            ("a == %z", "position 5: expected a placeholder (%@, %K, %d, %f, %s, …), found \"%z\""),
            (
                "FUNCTION(a, b) == 1",
                "position 9: expected a target, the selector of a function as a text, and its arguments, found \"a\""
            ),
            ("SUBQUERY(a, x, x == 1) == 1", "position 12: expected a variable such as $x, found \"x\""),
            ("$ == 1", "position 1: expected the name of a variable, found \" \""),
            (#"a == '\d'"#, #"position 6: expected an escape (\n, \r, \t, \\, \', \", \ooo, \xhh, \uhhhh), found "\""#),
            (#"a == '\ud800'"#, #"position 6: expected an escape that stands for a character, found "\""#),
            (#"a == '\x1'"#, "position 9: expected 2 hexadecimal digits, found \"'\""),
            ("(1 + a b", "position 7: expected an operator or \")\", found \"b\""),
            ("a[1 == 1", "position 4: expected an operator or \"]\", found \"==\""),
            (
                "a UTI-CONFORMS-TO 'x'",
                "position 2: expected an operator other than UTI-CONFORMS-TO and UTI-EQUALS, which are not supported, found \"UTI\""
            ),
            ("a ==[l@] 1", "position 7: expected the name of a locale, in a package with the trait ICU, found \"]\""),
            ("a..b == 1", "position 2: expected the name of a property, found \".\""),
            ("a.%d == 1", "position 2: expected the name of a property or %K, found \"%d\""),
        ])
    func malformed(format: String, message: String) { #expect(self.message(format, []) == message) }

    @Test("An argument that does not fit its placeholder is refused with what the placeholder takes")
    func arguments() {
        #expect(message("a == %@", []) == "position 5: expected an argument for every placeholder, found only 0 arguments")
        #expect(message("a == %f", ["x"]) == "position 5: expected a number as argument of %f, found a text")
        #expect(message("a == %s", [1]) == "position 5: expected a text as argument of %s, found an integer")
        #expect(message("a == %d", ["x"]) == "position 5: expected an integer as argument of %d, found a text")
        #expect(message("%K == 1", [""]) == "position 0: expected the name of a property as argument of %K, found an empty text")
        #expect(message("%K == 1", [1]) == "position 0: expected the name of a property as argument of %K, found an integer")
    }

    @Test("Text behind a value is refused")
    func value() {
        let error = #expect(throws: QueryFormatError.self) { try QueryExpression(format: "1 2") }
        #expect(error?.description == "position 2: expected an operator of arithmetic or the end, found \"2\"")
    }

    @Test("Text nested too deeply is refused with the bound")
    func depth() {
        let deep = "a == " + String(repeating: "(1 + ", count: 300) + "1" + String(repeating: ")", count: 300)
        #expect(message(deep, []) == "position 641: expected at most 128 levels of nesting, found one more")
    }
}
