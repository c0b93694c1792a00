import StrataEvaluation
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Text tested where it lies")
struct TextFastPathTests {
    private static let alphabet = [
        "a", "A", "b", "B", "k", "K", "s", "S", "i", "I", "@", "`", "[", "{", "*", "?", "\\", "\0", " ", "é", "É", "e\u{301}", "\u{301}",
        "ß", "ẞ", "ſ",
        "\u{212A}", "İ", "ı", "σ", "ς", "Σ", "ﬁ", "日", "が", "\u{1F600}", "ﬀ", "ŉ", "ǅ", "ΐ", "\u{1D165}",
    ]

    private static func text(_ random: inout SeededGenerator, _ most: Int, onlyASCII: Bool) -> String {
        let choices = onlyASCII ? Array(alphabet.prefix(19)) : alphabet
        return (0..<Int.random(in: 0...most, using: &random)).map { _ in random.pick(choices) }.joined()
    }

    /// What a test means: both sides folded by the standard library's tables, then compared by bytes.
    private static func expected(_ text: String, _ op: QueryComparison.Operator, _ constant: String, _ options: QueryComparison.Options)
        -> Bool
    {
        let (text, constant) = (Array(TextFolding.fold(text, options).utf8), Array(TextFolding.fold(constant, options).utf8))
        switch op {
        case .equal: return text == constant
        case .notEqual: return text != constant
        case .less: return text.lexicographicallyPrecedes(constant)
        case .greaterOrEqual: return !text.lexicographicallyPrecedes(constant)
        case .beginsWith: return text.starts(with: constant)
        case .endsWith: return text.reversed().starts(with: constant.reversed())
        case .contains: return constant.isEmpty || text.indices.contains { text[$0...].starts(with: constant) }
        default: return false
        }
    }

    @Test("Searching agrees with comparing whole folded texts, of whatever they consist")
    func agreesWithFolding() throws {
        var random = SeededGenerator(seed: 21)
        var held = 0
        let operators: [QueryComparison.Operator] = [.equal, .notEqual, .less, .greaterOrEqual, .beginsWith, .endsWith, .contains]
        let choices: [QueryComparison.Options] = [[], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]
        for _ in 0..<4000 {
            let (op, options) = (random.pick(operators), random.pick(choices))
            let constant = TextFastPathTests.text(&random, 4, onlyASCII: Bool.random(using: &random))
            let test = try #require(try TextTest(op, constant, options: options))
            for _ in 0..<6 {
                var text = TextFastPathTests.text(&random, 30, onlyASCII: Bool.random(using: &random))
                // Often the constant itself is in the text, in another case.
                if Bool.random(using: &random) {
                    text = random.pick([constant.uppercased() + text, text + constant, text + constant + text])
                }
                let isExpected = TextFastPathTests.expected(text, op, constant, options)
                #expect(
                    try test.passes(text) == isExpected, "\(text.debugDescription) \(op.rawValue) \(constant.debugDescription) \(options)")
                held += isExpected ? 1 : 0
            }
        }
        #expect(held > 4000)
    }

    @Test("Folding by table is folding scalar by scalar")
    func foldingTables() {
        // What a text folds to within a longer one that the tables do not reach, it folds to alone.
        for value in UInt32(0)..<0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for options: QueryComparison.Options in [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
                let text = String(Character(scalar)) + "x"
                let beyond = "\u{1F600}"
                let (alone, within) = (TextFolding.fold(text, options), TextFolding.fold(text + beyond, options))
                #expect(Array((alone + beyond).utf8) == Array(within.utf8), "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test("A letter of ASCII is found without regard to case in every scalar that folds to it, and in no other")
    func scalarsThatFoldToASCII() throws {
        let tests = try "abcdefghijklmnopqrstuvwxyz".map {
            ($0, try #require(try TextTest(.contains, String($0), options: .caseInsensitive)))
        }
        for value in UInt32(0x80)..<0x20000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = TextFolding.fold(String(Character(scalar)), .caseInsensitive)
            let isASCII = folded.utf8.contains { $0 < 0x80 }
            // All others are left to one letter: that is quick, and a scalar mistaken for plain shows here too.
            for (letter, test) in tests where isASCII || letter == "s" {
                let found = try test.passes(String(Character(scalar)))
                if found != folded.unicodeScalars.contains(letter.unicodeScalars.first ?? "s") {
                    Issue.record("U+\(String(value, radix: 16)) \(letter)")
                }
            }
        }
    }

    /// What LIKE means over folded text: a list of characters, each of them what one scalar folds to.
    private static func matches(_ text: ArraySlice<[Unicode.Scalar]>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let head = pattern.first else { return text.isEmpty }
        let next = pattern.dropFirst()
        // A star, like a letter, may end within a character.
        func behindScalar() -> ArraySlice<[Unicode.Scalar]> {
            guard let first = text.first, first.count > 1 else { return text.dropFirst() }
            return [Array(first.dropFirst())] + text.dropFirst()
        }
        if head == "*" { return matches(text, next) || (!text.isEmpty && matches(behindScalar()[...], pattern)) }
        guard let first = text.first else { return false }
        if head == "?" { return matches(text.dropFirst(), next) }
        return first[0] == head && matches(behindScalar()[...], next)
    }

    @Test("LIKE without regard to case or diacritics takes a character for one, however many it folds to")
    func foldedLike() throws {
        // 'Straße' LIKE[c] 'Stra?e' was false, as ß folds to two.
        var random = SeededGenerator(seed: 22)
        let letters = ["a", "A", "b", "B", "é", "É", "e\u{301}", "s", "ß", "ẞ", "İ", "i", "ﬁ", "f", "ŉ", "ΐ", "한", "\u{1F600}"]
        let elements = ["a", "B", "é", "s", "i", "f", "*", "*", "?", "?", "ß"]
        let choices: [QueryComparison.Options] = [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]
        var held = 0
        for _ in 0..<8000 {
            let options = random.pick(choices)
            let pattern = (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(elements) }.joined()
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in random.pick(letters) }.joined()
            func folded(_ text: String) -> [Unicode.Scalar] { Array(TextFolding.fold(text, options).unicodeScalars) }
            let characters = text.unicodeScalars.map { folded(String(Character($0))) }.filter { !$0.isEmpty }
            let expected = TextFastPathTests.matches(characters[...], folded(pattern)[...])
            let test = try #require(try TextTest(.like, pattern, options: options))
            #expect(try test.passes(text) == expected, "\(text.debugDescription) LIKE \(pattern.debugDescription) \(options)")
            held += expected ? 1 : 0
        }
        #expect(held > 300)
    }

    @Test(
        "A ? matches a character as it is written",
        arguments: [
            ("ß", "?", true), ("ẞ", "?", true), ("İ", "?", true), ("ﬁ", "?", true), ("ŉ", "?", true), ("Straße", "Stra?e", true),
            ("STRASSE", "Stra?e", false), ("STRASSE", "Stra??e", true), ("Straße", "Stra??e", false), ("ß", "s?", true), ("ß", "?s", false),
            ("ßß", "*??", true), ("ßß", "?*?", true), ("ß", "*?*", true), ("ﬁx\u{1F600}", "?x?", true),
        ])
    func written(text: String, pattern: String, isMatch: Bool) throws {
        let test = try #require(try TextTest(.like, pattern, options: .caseInsensitive))
        #expect(try test.passes(text) == isMatch)
    }

    @Test("A needle that almost occurs everywhere is looked for in time proportional to the text")
    func repetitive() throws {
        let text = String(repeating: "a", count: 1_000_000)
        let needle = String(repeating: "a", count: 200_000) + "b" + String(repeating: "a", count: 200_000)
        for options: QueryComparison.Options in [[], .caseInsensitive] {
            let test = try #require(try TextTest(.contains, needle, options: options))
            #expect(try !test.passes(text))
            #expect(try test.passes(text + needle + text))
            let like = try #require(try TextTest(.like, "*" + needle + "*", options: options))
            #expect(try !like.passes(text))
            #expect(try like.passes(text + needle))
        }
    }

    @Test("A LIKE that would take too long is given up")
    func costlyLike() throws {
        // A part with one run of letters is found in time proportional to the text.
        let quick = try #require(try TextTest(.like, "*?" + String(repeating: "a", count: 50_000) + "b*", options: []))
        #expect(try !quick.passes(String(repeating: "a", count: 100_000)))
        let test = try #require(try TextTest(.like, "*" + String(repeating: "a?", count: 5_000) + "b*", options: []))
        let error = #expect(throws: QueryError.self) { try test.passes(String(repeating: "a", count: 100_000)) }
        #expect(error?.reason == .patternTooCostly)
    }

    @Test("Bytes that are no UTF-8 are tested like any others")
    func malformed() throws {
        let operators: [QueryComparison.Operator] = [.equal, .less, .contains, .beginsWith, .endsWith, .like, .matches]
        var random = SeededGenerator(seed: 23)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            for op in operators {
                let options = QueryComparison.Options(rawValue: Int.random(in: 0..<32, using: &random))
                let test = try #require(try TextTest(op, "a?é", options: options))
                let passes = try bytes.withUnsafeBytes { try test.passes($0) }
                if op == .equal && options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) { #expect(!passes) }
            }
        }
        let test = try #require(try TextTest(.contains, "A", options: .caseInsensitive))
        #expect(try [0xFF, 0x61].withUnsafeBytes { try test.passes($0) })
        #expect(try [0xC3, 0x41].withUnsafeBytes { try test.passes($0) })
    }

    @Test("Texts that were normalized already are compared by bytes")
    func normalized() throws {
        let all: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive]
        for op: QueryComparison.Operator in [.equal, .contains, .beginsWith, .endsWith, .like, .matches] {
            #expect(try #require(try TextTest(op, "É", options: all)).passes("É"))
            #expect(try !#require(try TextTest(op, "É", options: all)).passes("é"))
        }
        #expect(try #require(try TextTest(.less, "a", options: all)).passes("B"))
    }

    @Test(
        "Folding of the scalars that are easily got wrong",
        arguments: [
            ("ẞ", "SS", true), ("ß", "ẞ", true), ("ς", "σ", true), ("ı", "i", false), ("ı", "I", false), ("İ", "i", false),
            ("ﬀ", "FF", true),
            ("ŉ", "ʼN", true), ("ǅ", "ǆ", true), ("Ω", "\u{2126}", true), ("caf\u{E9}", "CAFE\u{301}", false),
            ("CAFE\u{301}", "cafe\u{301}", true),
            ("a\0B", "A\0b", true), ("ΐ", "\u{3b9}\u{308}\u{301}", true), ("Ꭰ", "ꭰ", true), ("Ⅷ", "ⅷ", true), ("Ａ", "ａ", true),
        ]
    )
    func folding(a: String, b: String, isEqual: Bool) throws {
        #expect(try #require(try TextTest(.equal, a, options: .caseInsensitive)).passes(b) == isEqual)
        #expect(try #require(try TextTest(.equal, b, options: .caseInsensitive)).passes(a) == isEqual)
    }
}
