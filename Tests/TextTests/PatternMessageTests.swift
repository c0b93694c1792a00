import StrataEvaluation
import StrataQuery
import Testing

/// Each message of a regular expression that is refused.
@Suite("Messages of regular expressions")
struct PatternMessageTests {
    private func message(_ pattern: String) -> String? {
        do throws(QueryError) {
            _ = try TextTest(.matches, pattern, options: [])?.passes("")
            return nil
        } catch { return error.message }
    }

    @Test(
        "A malformed pattern is refused with its position and the reason",
        arguments: [
            (#"\c"#, #"at 0: \c takes a letter"#), (#"\kx"#, #"at 0: \k takes a name between < and >"#),
            ("(?<1>a)", "at 3: a group's name is letters and digits between < and >"), ("a**", "at 2: a quantifier of a quantifier"),
            ("(?<a>b)(?<a>c)", "at 7: a second group a"), (#"[a-\d]"#, "at 2: no range ends with a set"),
            (#"\x{D800}"#, "at 0: no scalar has that number"), (#"a\"#, "at 1: nothing follows the backslash"),
            ("a{3,2}", "at 1: nothing is at least 3 and at most 2"), ("[a&&]", "at 4: nothing to combine"),
            ("*a", "at 0: nothing to repeat"),
            ("[z-a]", "at 2: the range runs backward"), (#"(a)\2"#, "at 3: there is no group 2"),
            (#"\k<x>"#, "at 0: there is no group x before this"), (#"\u12"#, "at 0: too few digits"), (#"\p{L"#, #"at 0: unfinished \p{"#),
            (#"\x{41"#, #"at 0: unfinished \x{"#), ("(?#", "at 0: unfinished comment"), ("(?", "at 0: unfinished group"),
            ("a{3", "at 1: unfinished {"), (#"\y"#, #"at 0: unknown escape \y"#), ("(?z)", "at 2: unknown flag z"),
            ("(?i", "at 0: unknown kind of group"), ("ab(c", "at 2: unmatched ("), ("ab)", "at 2: unmatched )"),
            ("[a", "at 0: unmatched ["),
            ("{", #"at 0: { is no quantifier here; write \{"#), ("a{,3}", "at 1: { takes numbers"),
            (#"\p{Nonsense}"#, "at 0: unknown property Nonsense"),
        ])
    func malformed(pattern: String, message: String) { #expect(self.message(pattern) == message) }

    @Test(
        "A pattern beyond the bounds is refused with the bound",
        arguments: [
            (String(repeating: "(", count: 201) + String(repeating: ")", count: 201), "at 200: groups are nested too deep"),
            (String(repeating: "[", count: 201), "at 200: classes are nested too deep"),
            (String(repeating: #"\d"#, count: 2001), "at 4002: more than 2000 classes"),
            ("[" + String(repeating: #"\d"#, count: 2001) + "]", "at 4003: a class of more than 2000 parts"),
            (String(repeating: "a", count: 65_537), "at 65536: the pattern is too long"),
            ("(a{1000}){1000}", "at 0: written out, the pattern is too large"),
        ])
    func tooLarge(pattern: String, message: String) { #expect(self.message(pattern) == message) }
}
