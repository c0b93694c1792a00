import StrataEvaluation
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Laws of regular expressions")
struct RegularExpressionLawTests {
    /// A random pattern of what the two engines mean alike, of so few repetitions that the other one ends too.
    private static func pattern(_ random: inout SeededGenerator, depth: Int) -> String {
        func term() -> String {
            switch Int.random(in: 0..<(depth > 0 ? 12 : 7), using: &random) {
            case 0...3: return ["a", "b", "c", "é"].randomElement(using: &random) ?? "a"
            case 4: return "."
            case 5: return ["[ab]", "[^a]", "[a-c]", #"\w"#, #"\d"#, "[bé]"].randomElement(using: &random) ?? "."
            case 6: return ["^", "$", #"\b"#, #"\B"#].randomElement(using: &random) ?? "^"
            case 7...8: return "(" + pattern(&random, depth: depth - 1) + ")"
            case 9: return "(?:" + pattern(&random, depth: depth - 1) + ")"
            case 10: return ["(?=", "(?!"].randomElement(using: &random)! + pattern(&random, depth: depth - 1) + ")"
            default: return "(?>" + pattern(&random, depth: depth - 1) + ")"
            }
        }
        func quantified() -> String {
            let term = term()
            if ["^", "$", #"\b"#, #"\B"#].contains(term) || term.hasPrefix("(?=") || term.hasPrefix("(?!") { return term }
            return term + (["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??"].randomElement(using: &random) ?? "")
        }
        let branches = (0..<Int.random(in: 1...2, using: &random)).map { _ in
            (0..<Int.random(in: 1...3, using: &random)).map { _ in quantified() }.joined()
        }
        return branches.joined(separator: "|")
    }

    @Test("Matches are those of Swift's own engine over random patterns and texts")
    func agreesWithSwift() throws {
        var random = SeededGenerator(seed: 11)
        var matched = 0
        let trials = RunSeed.trials(1_000, soak: 20_000)
        for _ in 0..<trials {
            let pattern = RegularExpressionLawTests.pattern(&random, depth: 2)
            // Of the texts below none has a digit: at a word boundary Swift's engine takes them for no part of a word.
            guard let oracle = try? Regex(pattern).matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple) else { continue }
            let test = try #require(try TextTest(.matches, pattern, options: []))
            for _ in 0..<6 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    ["a", "b", "c", "é", "_", " "].randomElement(using: &random) ?? "a"
                }.joined()
                let expected = (try? oracle.wholeMatch(in: text)) != nil
                let found = try test.passes(text)
                #expect(found == expected, "\(text) MATCHES \(pattern)")
                if found { matched += 1 }
            }
        }
        #expect(matched > trials / 5)
    }

    @Test("Both ways of matching agree: an atomic group around nothing changes no answer")
    func matchersAgree() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<RunSeed.trials(1_000, soak: 20_000) {
            let pattern = RegularExpressionLawTests.pattern(&random, depth: 2)
            let linear = try #require(try TextTest(.matches, pattern, options: []))
            let backtracking = try #require(try TextTest(.matches, "(?>)(?:\(pattern))", options: []))
            for _ in 0..<6 {
                let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                    ["a", "b", "c", "é", "1", " "].randomElement(using: &random) ?? "a"
                }.joined()
                #expect(try linear.passes(text) == backtracking.passes(text), "\(text) MATCHES \(pattern)")
            }
        }
    }

    /// The same pattern for the linear matcher: a look-around that always holds is nothing that the automaton knows.
    private static func withoutAutomaton(_ pattern: String) throws -> TextTest {
        try #require(try TextTest(.matches, "(?=)(?:\(pattern))", options: []))
    }

    @Test("Matching along remembered states gives the linear matcher's answers, also about lines, words and malformed text")
    func automatonAgrees() throws {
        var random = SeededGenerator(seed: 14)
        let pieces =
            ["a", "b", "c", "é", "1", " ", "\n", "\r", "\u{2028}", "_", "三", "B", "\u{301}"].map { Array($0.utf8) } + [
                [0xC3], [0xA9], [0xFF],
            ]
        let wraps = ["%", "%", "%", "(?i)%", "(?m)%", "(?m)^%$", "^%$", "(?s)%", #"\A%\Z"#, #"\b%\b"#, #".*\B%.*"#, ".*%.*", "(?:%)*"]
        var matched = 0
        let trials = RunSeed.trials(1_200, soak: 20_000)
        for _ in 0..<trials {
            let inner = RegularExpressionLawTests.pattern(&random, depth: 2)
            let pattern = (wraps.randomElement(using: &random) ?? "%").replacing("%", with: "(?:\(inner))")
            let automaton = try #require(try TextTest(.matches, pattern, options: []))
            let linear = try RegularExpressionLawTests.withoutAutomaton(pattern)
            // One test for many texts, so that states are used again.
            for _ in 0..<12 {
                let text = (0..<Int.random(in: 0...9, using: &random)).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
                let results = text.withUnsafeBytes { text in (Result { try automaton.passes(text) }, Result { try linear.passes(text) }) }
                let (found, expected) = (try results.0.get(), try results.1.get())
                if found != expected { Issue.record("\(text) MATCHES \(pattern): \(found)") }
                if found { matched += 1 }
            }
        }
        #expect(matched > trials / 2)
    }

    @Test("Patterns of more states than are remembered match as before", arguments: [3, 8, 12, 16])
    func manyStates(length: Int) throws {
        var random = SeededGenerator(seed: 15)
        let pattern = ".*a.{\(length)}(?:b|cc)*"
        let automaton = try #require(try TextTest(.matches, pattern, options: []))
        let linear = try RegularExpressionLawTests.withoutAutomaton(pattern)
        for count in [0, 5, 20, 100, 1_000, 5_000, 20_000, 300, 20] {
            let letters = ["a", "b", count % 3 == 0 ? "a" : "cc"]
            let text = (0..<count).map { _ in letters.randomElement(using: &random) ?? "a" }.joined()
            #expect(try automaton.passes(text) == linear.passes(text))
        }
    }

    @Test("Patterns that distinguish more scalars than there are classes match as before")
    func manyClasses() throws {
        var random = SeededGenerator(seed: 16)
        let scalars = (0..<200).compactMap { Unicode.Scalar(0x4E00 + 7 * $0) }
        let pattern = "(?:" + scalars.map { "\($0)" }.joined(separator: "|") + ")*"
        let automaton = try #require(try TextTest(.matches, pattern, options: []))
        let linear = try RegularExpressionLawTests.withoutAutomaton(pattern)
        for count in [1, 3, 10, 100, 1] {
            for isWhole in [true, false] {
                let text = (0..<count).map { _ in String(scalars.randomElement(using: &random) ?? "a") }.joined() + (isWhole ? "" : "x")
                #expect(try automaton.passes(text) == isWhole)
                #expect(try linear.passes(text) == isWhole)
            }
        }
    }

    @Test("LIKE with ? finds what the same regular expression finds, in ASCII and beyond")
    func likeAgrees() throws {
        var random = SeededGenerator(seed: 17)
        var matched = 0
        let trials = RunSeed.trials(3_000, soak: 50_000)
        for _ in 0..<trials {
            let pattern = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                ["?", "?", "*", "a", "b", "ab", "é"].randomElement(using: &random) ?? "a"
            }.joined()
            let expression = pattern.reduce(into: "(?s)") { $0 += $1 == "?" ? "." : $1 == "*" ? ".*" : String($1) }
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                ["a", "b", "A", "é", "\n"].prefix(Bool.random(using: &random) ? 3 : 5).randomElement(using: &random) ?? "a"
            }.joined()
            for options: QueryComparison.Options in [[], .caseInsensitive] {
                let like = try #require(try TextTest(.like, pattern, options: options)).passes(text)
                let matches = try #require(try TextTest(.matches, expression, options: options)).passes(text)
                if like != matches { Issue.record("\(text) LIKE \(pattern): \(like)") }
                if like { matched += 1 }
            }
        }
        #expect(matched > trials / 10)
    }

    @Test("Random bytes as patterns and texts end in an answer or an error")
    func noise() throws {
        var random = SeededGenerator(seed: 13)
        let alphabet = Array(#"()[]{}*+?|\^$.-&:=!<>,abkpPQEuxs0123é "#)
        for _ in 0..<RunSeed.trials(8_000, soak: 100_000) {
            let pattern = String((0..<Int.random(in: 1...14, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a" })
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            do throws(QueryError) {
                let test = try TextTest(.matches, pattern, options: [])
                let result = bytes.withUnsafeBytes { bytes in Result { () throws(QueryError) in try test?.passes(bytes) } }
                _ = try result.get()
            } catch {
                #expect(error.reason == .illegalPattern || error.reason == .patternTooCostly)
            }
        }
    }
}
