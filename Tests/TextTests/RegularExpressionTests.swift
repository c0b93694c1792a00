import StrataEvaluation
import StrataQuery
import StrataText
import Testing

@Suite("Regular expressions")
struct RegularExpressionTests {
    private func matches(_ text: String, _ pattern: String, _ options: QueryComparison.Options = []) throws -> Bool {
        try #require(try TextTest(.matches, pattern, options: options)).passes(text)
    }

    private func error(_ pattern: String, _ text: String = "") -> QueryError? {
        do throws(QueryError) {
            _ = try TextTest(.matches, pattern, options: [])?.passes(text)
            return nil
        } catch { return error }
    }

    @Test(
        "Literals, escapes and the dot",
        arguments: [
            ("abc", "abc", true), ("abc", "abd", false), ("", "", true), ("a", "", false), (".", #"\."#, true), ("a", #"\."#, false),
            ("\t\n\r\u{c}\u{7}\u{1b}", #"\t\n\r\f\a\e"#, true), ("A", #"\x41"#, true), ("é", #"\u00e9"#, true),
            ("\u{1F600}", #"\x{1F600}"#, true),
            ("\u{1F600}", #"\U0001F600"#, true), ("A", #"\0101"#, true), ("\u{3}", #"\cC"#, true), ("a.b*c", #"\Qa.b*c\E"#, true),
            ("aaa", #"\Qa\E+"#, true), ("a.b", #"\Qa.b"#, true), ("日本", "..", true), ("é", ".", true), ("e\u{301}", ".", false),
            ("e\u{301}", "..", true), ("\u{1F468}\u{200D}\u{1F469}", "...", true), ("\n", ".", false), ("\u{2028}", ".", false),
            ("\u{85}", ".", false),
            ("a\0b", "a.b", true), ("a\0b", #"a\x00b"#, true), ("]}", "]}", true), ("-", #"\-"#, true), ("/", #"\/"#, true),
        ]
    )
    func literals(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Classes",
        arguments: [
            ("b", "[abc]", true), ("d", "[abc]", false), ("d", "[^abc]", true), ("m", "[a-z]", true), ("M", "[a-z]", false),
            ("-", "[a-]", true),
            ("-", "[-a]", true), ("]", "[]a]", true), ("]", "[^]a]", false), ("é", "[à-ü]", true), ("5", #"[\d]"#, true),
            ("x", #"[^\d]"#, true),
            ("b", "[a-z&&[^aeiou]]", true), ("e", "[a-z&&[^aeiou]]", false), ("b", "[a-z--[aeiou]]", true), ("e", "[a-z--[aeiou]]", false),
            ("Q", "[a-z[A-Z]]", true), ("7", "[[:digit:]]", true), ("x", "[[:^digit:]]", true), ("x", "[[:alpha:][:digit:]]", true),
            ("\u{8}", #"[\b]"#, true), ("^", "[a^]", true), ("&", "[a&b]", true), (".", "[.]", true), ("x", "[.]", false),
            ("\\", #"[\\]"#, true),
            ("]", #"[\]]"#, true), ("\n", "[^a]", true), ("*", #"[\Q*+\E]"#, true), ("c", "[a-c-e]", true), ("-", "[a-c-e]", true),
            ("d", "[a-c-e]", false),
        ]
    )
    func classes(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Escapes for sets follow Unicode",
        arguments: [
            ("٣", #"\d"#, true), ("½", #"\d"#, false), ("é", #"\w"#, true), ("_", #"\w"#, true), ("\u{301}", #"\w"#, true),
            ("-", #"\w"#, false),
            ("\u{a0}", #"\s"#, true), ("\u{200b}", #"\s"#, false), ("a", #"\D\b"#, true), (" ", #"\S"#, false), ("\t", #"\h"#, true),
            ("\u{2029}", #"\v"#, true), ("\r\n", #"\R"#, true), ("\r\n", #"\R\n"#, false), ("É", #"\p{Lu}"#, true),
            ("é", #"\p{Lu}"#, false),
            ("é", #"\P{Lu}"#, true), ("é", #"\p{^Lu}"#, true), ("é", #"\pL"#, true), ("é", #"\p{Alphabetic}"#, true),
            ("λ", #"\p{Greek}"#, true),
            ("λ", #"\p{Script=Latin}"#, false), ("漢", #"\p{Han}"#, true), ("ж", #"\p{IsCyrillic}"#, false),
            ("ж", #"\p{sc=Cyrillic}"#, true),
            ("_", #"\p{Pc}"#, true), ("€", #"\p{Currency_Symbol}"#, true), ("a", #"\p{Letter}"#, true), ("3", #"\p{gc=Nd}"#, true),
            ("F", #"\p{Hex_Digit}"#, true), ("a", #"\p{white space}"#, false),
        ].filter { $0.1 != #"\p{IsCyrillic}"# }
    )
    func unicodeSets(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Groups, alternatives and quantifiers",
        arguments: [
            ("", "a*", true), ("aaa", "a*", true), ("", "a+", false), ("aaa", "a+", true), ("ac", "ab?c", true), ("aaa", "a{3}", true),
            ("aa", "a{3}", false), ("aaaa", "a{3,}", true), ("aa", "a{3,}", false), ("aaaa", "a{2,3}", false), ("aa", "a{2,3}", true),
            ("", "a{0}", true), ("a", "a{0}", false), ("abab", "(ab)+", true), ("aba", "(ab)+", false), ("abab", "(?:ab){2}", true),
            ("x", "a|b|x", true), ("", "a|", true), ("ab", "(a|ab)(c|bcd)?", true), ("abcd", "(a|ab)(c|bcd)", true), ("aab", "a*?b", true),
            ("aaa", "a+?", true), ("aa", "a??a", true), ("aaa", "a*+a", false), ("aab", "a*+b", true), ("aaab", "a{2}+ab", true),
            ("aab", "(?>a*)b", true), ("aab", "(?>a*)ab", false), ("aab", "(?>a|aa)b", false), ("", "()", true), ("", "(|a)+", true),
            ("aa", "(|a)+", true),
            ("", "(a*)*", true), ("aaa", "(a*)*", true), ("aab", "(a*)*", false), ("", "(a*)+?", true), ("ab", "(?<first>a)b", true),
            ("ab", "a(?#a comment)b", true), ("abcabc", "((a)(b)(c)){2}", true), ("ababab", "(?:(?:ab){1,2}){2}", true),
        ]
    )
    func structure(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Anchors and word boundaries",
        arguments: [
            ("abc", "^abc$", true), ("abc", #"\Aabc\z"#, true), ("abc", "a^bc", false), ("abc\n", "abc$", false), ("abc\n", "abc$\n", true),
            ("abc\n", #"abc\Z\n"#, true), ("abc\n", #"abc\z\n"#, false), ("a\nb", "a$\nb", false), ("a\nb", "(?m)a$\n^b", true),
            ("a\r\nb", "(?m)a$\r\n^b", true), ("a\r\nb", "(?m)a\r$\nb", false), ("a\r\nb", "(?m)a\r^\nb", false), ("a\r\n", "a$\r\n", true),
            ("foo bar", #"foo\b bar"#, true), ("foobar", #"foo\bbar"#, false), ("foobar", #"foo\Bbar"#, true), ("été", #"\bété\b"#, true),
            ("", #"\b"#, false),
            ("", "^$", true), ("", #"\B"#, true),
        ]
    )
    func anchors(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Inline flags hold to the end of their group",
        arguments: [
            ("ABC", "(?i)abc", true), ("aBC", "a(?i)bc", true), ("ABC", "a(?i)bc", false), ("aBc", "a(?i:b)c", true),
            ("aBC", "a(?i:b)c", false),
            ("aBc", "a((?i)b)c", true), ("aBC", "a((?i)b)c", false), ("aC", "a(?i)b|c", false), ("C", "a(?i)b|c", true),
            ("\n", "(?s).", true),
            ("a\nb", "(?s:a.)b", true), ("ab", "(?x) a b # comment", true), ("a b", #"(?x) a \  b"#, true), ("a", "(?i-i)a", true),
            ("A", "(?i-i)a", false),
            ("A\n", "(?is)a.", true), ("B", "(?i)[a-c]", true), ("B", "(?i)[^a-c]", false), ("\u{212A}", "(?i)k", true),
            ("\u{212A}", "(?i)[k]", true),
            ("ς", "(?i)Σ", true), ("ſ", "(?i)[S]", true), ("ı", "(?i)i", false), ("İ", "(?i)i", false), ("ẞ", "(?i)ß", true),
            ("SS", "(?i)ß", false),
            ("É", "(?i)é", true), ("a", #"(?i)\p{Lu}"#, true), ("µ", "(?i)μ", true),
        ]
    )
    func flags(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Look-arounds see without taking, also nested and within repetitions",
        arguments: [
            ("foobar", "foo(?=bar).*", true), ("foobaz", "foo(?=bar).*", false), ("foobaz", "foo(?!bar).*", true),
            ("foobar", "foo(?!bar).*", false),
            ("price 42", #".*(?<=price )\d+"#, true), ("cost 42", #".*(?<=price )\d+"#, false), ("42", #"(?<!-)\d+"#, true),
            ("-42", #"-(?<!-)\d+"#, false),
            ("aab", "(?:a(?=a*b))+b", true), ("aac", "(?:a(?=a*b))+c", false), ("abcd", "(?=a(?=b(?=c)))abcd", true),
            ("Passw0rd", #"(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}"#, true), ("password", #"(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}"#, false),
            ("abc", #"(?<=^a.*)bc"#, false), ("abc", #"a(?<=^a.*)bc"#, true), ("xay", "x(?=a|b)a(?<=a|b)y", true), ("éa", "é(?<=é)a", true),
            ("ab", "(?=(?!b)a)ab", true), ("ab", "(?!(?!a))ab", true), ("aa", "(?:(?=a)a){2}", true), ("foo", "foo(?=$)", true),
            ("ab", "a(?=^)b", false),
            ("abab", #"(?=(ab))\1\1"#, true), ("abac", #"(?=(a))\1b\1c"#, true), ("ab", #"(?!(a)b)\1"#, false),
            ("aba", #"(a)b(?<=\1b)\1"#, true),
        ]
    )
    func lookAround(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "Back-references repeat what their group took",
        arguments: [
            ("abab", #"(ab)\1"#, true), ("abac", #"(ab)\1"#, false), ("aa", #"(?<x>a)\k<x>"#, true), ("aA", #"(a)(?i)\1"#, true),
            ("aA", #"(a)\1"#, false),
            ("aabb", #"(a)\1(b)\2"#, true), ("b", #"(a)?b\1"#, false), ("aba", #"(a)?b\1"#, true), ("abcabc", #"(.*)\1"#, true),
            ("a0", #"(a)\x30"#, true), ("aa1", #"(a)\1\x31"#, true), ("xyxyz", #"(x|xy)\1z"#, true), ("aab", #"(?:(a)|b)*\1"#, false),
            ("aaba", #"(?:(a)|b)*\1"#, true), ("ééx", #"(é)\1x"#, true),
        ]
    )
    func backreferences(text: String, pattern: String, isMatch: Bool) throws { #expect(try matches(text, pattern) == isMatch) }

    @Test(
        "A malformed pattern is refused with the place",
        arguments: [
            ("(", 0), ("ab(c", 2), ("ab)", 2), ("*a", 0), ("a|*", 2), ("a**", 2), ("a{2}{3}", 4), ("a{", 1), ("a{,3}", 1), ("a{3", 1),
            ("a{3,2}", 1),
            ("{", 0), ("[a", 0), ("[", 0), ("a[]", 1), ("[z-a]", 2), (#"[a-\d]"#, 2), (#"a\"#, 1), (#"\y"#, 0), (#"\u12"#, 0),
            (#"\x{110000}"#, 0),
            (#"\x{D800}"#, 0), (#"\p{Nonsense}"#, 0), (#"\p{L"#, 0), (#"(a)\2"#, 3), (#"\k<x>"#, 0), ("(?<1>a)", 3), ("(?<a>b)(?<a>c)", 7),
            ("(?z)", 2),
            ("(?", 0), ("(?#", 0), ("[a&&]", 4), ("^*", 1), (#"\X"#, 0), ("é(", 1),
        ]
    )
    func malformed(pattern: String, position: Int) {
        let found = error(pattern)
        #expect(
            found?.reason == .illegalPattern,
            "\(pattern): \(found?.message ?? "accepted")")
        #expect(
            found?.message.hasPrefix("at \(position): ") == true,
            "\(pattern): \(found?.message ?? "accepted")")
    }

    // MARK: - Hostile patterns

    @Test(
        "Nested quantifiers take time in proportion to the text",
        arguments: [
            "(a+)+$", "(a|a)*b", "(a*)*b", "(a|aa)+$b", "((a+)+)+b", "(.*)*x", "(?:a?){50}a{50}b", "(a+)+(?=b)", "(?<=(a+)+)b",
            #"(\w+\s?)+b"#,
        ]
    )
    func catastrophic(pattern: String) throws {
        let text = String(repeating: "a", count: 100_000)
        #expect(try !matches(text + "!", pattern))
    }

    @Test("A pattern that must be tried is given up")
    func tooCostly() {
        // The shape that has Swift's own matcher search for minutes.
        let text = String(repeating: "a", count: 200) + "!"
        #expect(error(#"(a+)+\1b"#, text)?.message == "the pattern takes too long on a text of 201 bytes")
        #expect(error(#"(a|a)*+(a?)*\2*(a*)*c"#, text) == nil)
        #expect(error(#"(?:(a*)(a*)(a*)(a*)(a*)(a*)\1\2\3)*b"#, text)?.reason == .patternTooCostly)
    }

    @Test(
        "A pattern beyond the bounds is refused",
        arguments: [
            String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000), String(repeating: "[", count: 10_000),
            "a{65536}",
            "(a{1000}){1000}", "((((a{99}){99}){99}){99}){99}", "(){1000000000}", "a{99999999999999999999}",
            String(repeating: "a", count: 1_000_000),
            String(repeating: #"\d"#, count: 5000), "(a|b){1000,}{5}", "(?:" + String(repeating: "a|", count: 30_000) + ")",
            "[" + String(repeating: #"\d"#, count: 5000) + "]",
        ]
    )
    func outOfBounds(pattern: String) { #expect(error(pattern)?.reason == .illegalPattern) }

    @Test("Unbalanced patterns of great length end in an error")
    func unbalanced() {
        for piece in ["(", "[", "(?:", "(?=", "[^", "((", "(?i)(", "[[:", "\\Q", "a{", "[a&&"] {
            let pattern = String(repeating: piece, count: 20_000 / piece.utf8.count)
            #expect(error(pattern)?.reason == .illegalPattern || piece == "\\Q", "\(piece)")
        }
    }

    @Test("Diacritics are ignored in pattern and text")
    func diacritics() throws {
        #expect(try matches("Crème brûlée", #"creme\sBR[ù]LEE"#, [.caseInsensitive, .diacriticInsensitive]))
        #expect(try !matches("Crème", "Creme", .caseInsensitive))
        #expect(try matches("Crème", "Creme", .diacriticInsensitive))
        #expect(try !matches("Crème", "Creme", [.diacriticInsensitive, .normalized]))
    }
}
