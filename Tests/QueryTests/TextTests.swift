import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Comparing text")
struct TextTests {
    private func passes(_ text: String, _ op: QueryComparison.Operator, _ constant: String, _ options: QueryComparison.Options = []) throws
        -> Bool
    {
        try #require(try TextTest(op, constant, options: options)).passes(text)
    }

    private static let folded: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]

    @Test(
        "CONTAINS, BEGINSWITH and ENDSWITH look for bytes",
        arguments: [
            ("abcabd", "abd", true, false, true), ("abc", "abc", true, true, true), ("abc", "", true, true, true),
            ("", "", true, true, true),
            ("", "a", false, false, false), ("ab", "abc", false, false, false), ("aab", "ab", true, false, true),
            ("a\0b", "\0", true, false, false),
        ]
    )
    func substrings(text: String, part: String, contains: Bool, begins: Bool, ends: Bool) throws {
        #expect(try passes(text, .contains, part) == contains)
        #expect(try passes(text, .beginsWith, part) == begins)
        #expect(try passes(text, .endsWith, part) == ends)
    }

    @Test("Plain comparison is by bytes: composed and decomposed letters differ until diacritics are ignored")
    func normalisation() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(try !passes(composed, .equal, decomposed))
        #expect(try passes(composed, .notEqual, decomposed))
        #expect(try passes(composed, .equal, decomposed, .diacriticInsensitive))
        #expect(try passes(composed, .equal, "cafe", .diacriticInsensitive))
        #expect(try !passes("CAF\u{C9}", .equal, "cafe", .diacriticInsensitive))
        #expect(try passes("CAF\u{C9}", .equal, "cafe", TextTests.folded))
        #expect(try passes("CAF\u{C9}", .equal, composed, .caseInsensitive))
        #expect(try !passes(composed, .equal, "cafe", .caseInsensitive))
    }

    @Test(
        "Case is folded by the full mappings of Unicode",
        arguments: [("Straße", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ﬁn", "FIN"), ("\u{212A}", "k"), ("ſ", "S"), ("ÅNGSTRÖM", "ångström")]
    )
    func caseFolding(a: String, b: String) throws {
        #expect(try passes(a, .equal, b, .caseInsensitive))
        #expect(try passes(b, .equal, a, .caseInsensitive))
        #expect(try !passes(a, .equal, b))
    }

    @Test("The dotted capital İ folds to i only where diacritics are ignored too")
    func turkish() throws {
        #expect(try passes("İstanbul", .equal, "istanbul", TextTests.folded))
        #expect(try !passes("İstanbul", .equal, "istanbul", .caseInsensitive))
        #expect(try passes("İ", .equal, "i\u{307}", .caseInsensitive))
    }

    @Test("Orders of folded text are those of the folded bytes")
    func foldedOrder() throws {
        #expect(try passes("b", .greater, "A", .caseInsensitive))
        #expect(try passes("a", .lessOrEqual, "A", .caseInsensitive))
        #expect(try !passes("a", .less, "A", .caseInsensitive))
        #expect(try passes("Z", .less, "a"))
    }

    // MARK: - LIKE

    @Test(
        "LIKE knows ? and *, and takes everything else as it is",
        arguments: [
            ("abc", "abc", true), ("abc", "a?c", true), ("abc", "a*", true), ("abc", "*c", true), ("abc", "*", true), ("", "*", true),
            ("", "", true),
            ("", "?", false), ("abc", "ab", false), ("abc", "?", false), ("abc", "a*b", false), ("aXbXc", "a*b*c", true),
            ("abc", "***", true),
            ("a.c", "a.c", true), ("abc", "a.c", false), ("a[b]", "a[b]", true), ("100%", "100%", true), ("100x", "100%", false),
            ("a_c", "a_c", true), ("abc", "a_c", false), ("a\nb", "a*b", true), ("é", "?", true), ("日本", "??", true), ("(a+", "(a+", true),
        ]
    )
    func like(text: String, pattern: String, isMatch: Bool) throws { #expect(try passes(text, .like, pattern) == isMatch) }

    @Test(
        "A backslash takes the next character as it is",
        arguments: [
            ("a*c", #"a\*c"#, true), ("abc", #"a\*c"#, false), ("a?", #"a\?"#, true), ("ab", #"a\?"#, false), (#"a\c"#, #"a\\c"#, true),
            (#"a\"#, #"a\"#, true), ("abc", #"\a\b\c"#, true),
        ]
    )
    func escapes(text: String, pattern: String, isMatch: Bool) throws { #expect(try passes(text, .like, pattern) == isMatch) }

    @Test("LIKE folds the pattern as it folds the text")
    func foldedLike() throws {
        #expect(try passes("CRÈME brûlée", .like, "creme*BRULEE", TextTests.folded))
        #expect(try !passes("CRÈME", .like, "creme", .caseInsensitive))
        #expect(try passes("ABC", .like, "a?C", .caseInsensitive))
    }

    @Test("A pattern of many stars against a long text that just does not match ends")
    func adversarialLike() throws {
        let text = String(repeating: "a", count: 5000)
        let pattern = String(repeating: "*a", count: 50) + "*b"
        #expect(try !passes(text, .like, pattern))
        #expect(try passes(text + "b", .like, pattern))
    }

    @Test("LIKE agrees with a plain recursive matcher over random patterns")
    func likeLaw() throws {
        func matches(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
            guard let head = pattern.first else { return text.isEmpty }
            if head == "*" {
                return matches(text, pattern.dropFirst()) || (!text.isEmpty && matches(text.dropFirst(), pattern))
            }
            guard let first = text.first else { return false }
            return (head == "?" || head == first) && matches(text.dropFirst(), pattern.dropFirst())
        }
        var random = SeededGenerator(seed: 4)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in "ab".randomElement(using: &random) ?? "a" }
            let pattern = (0..<Int.random(in: 0...6, using: &random)).map { _ in "ab?**".randomElement(using: &random) ?? "a" }
            let expected = matches(text[...], pattern[...])
            #expect(try passes(String(text), .like, String(pattern)) == expected, "\(String(text)) LIKE \(String(pattern))")
        }
    }

    // MARK: - MATCHES

    @Test(
        "MATCHES takes the whole text",
        arguments: [
            ("abc", "a.c", true), ("xabc", "a.c", false), ("abcx", "a.c", false), ("ab12", #"[a-z]+\d+"#, true), ("", ".*", true),
            ("a\nc", "a.c", false), ("ab", "a|ab", true),
        ]
    )
    func matches(text: String, pattern: String, isMatch: Bool) throws { #expect(try passes(text, .matches, pattern) == isMatch) }

    @Test("MATCHES ignores case and diacritics where asked to, in the pattern too")
    func foldedMatches() throws {
        #expect(try passes("ABC", .matches, "a.c", .caseInsensitive))
        #expect(try !passes("ABC", .matches, "a.c"))
        #expect(try passes("Crème", .matches, "Cr.me", .diacriticInsensitive))
        #expect(try passes("Crème", .matches, "Creme", .diacriticInsensitive))
        #expect(try passes("Creme", .matches, "Crème", .diacriticInsensitive))
        #expect(try !passes("Creme", .matches, "Crème"))
    }

    @Test("No test is made of an operator that does not compare text, or of a broken pattern")
    func refused() throws {
        #expect(try TextTest(.isIn, "a", options: []) == nil)
        #expect(try TextTest(.between, "a", options: []) == nil)
        #expect(throws: QueryError.self) { try TextTest(.matches, "(", options: []) }
    }
}
