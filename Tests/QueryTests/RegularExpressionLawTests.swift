import StrataQuery
import TestRandom
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
        for _ in 0..<2500 {
            let pattern = RegularExpressionLawTests.pattern(&random, depth: 2)
            // Of the texts below none has a digit: at a word boundary Swift's engine takes them for no part of a word.
            guard let oracle = try? Regex(pattern).matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple) else { continue }
            let test = try #require(try TextTest(.matches, pattern, []))
            for _ in 0..<6 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in ["a", "b", "c", "é", "_", " "].randomElement(using: &random) ?? "a" }.joined()
                let expected = (try? oracle.wholeMatch(in: text)) != nil
                let found = try test.passes(text)
                #expect(found == expected, "\(text) MATCHES \(pattern)")
                if found { matched += 1 }
            }
        }
        #expect(matched > 500)
    }

    @Test("Both ways of matching agree: an atomic group around nothing changes no answer")
    func matchersAgree() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<2500 {
            let pattern = RegularExpressionLawTests.pattern(&random, depth: 2)
            let linear = try #require(try TextTest(.matches, pattern, []))
            let backtracking = try #require(try TextTest(.matches, "(?>)(?:\(pattern))", []))
            for _ in 0..<6 {
                let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in ["a", "b", "c", "é", "1", " "].randomElement(using: &random) ?? "a" }.joined()
                #expect(try linear.passes(text) == backtracking.passes(text), "\(text) MATCHES \(pattern)")
            }
        }
    }

    @Test("Random bytes as patterns and texts end in an answer or an error")
    func noise() throws {
        var random = SeededGenerator(seed: 13)
        let alphabet = Array(#"()[]{}*+?|\^$.-&:=!<>,abkpPQEuxs0123é "#)
        for _ in 0..<20_000 {
            let pattern = String((0..<Int.random(in: 1...14, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a" })
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            do throws(QueryError) {
                let test = try TextTest(.matches, pattern, [])
                let result = bytes.withUnsafeBytes { bytes in Result { () throws(QueryError) in try test?.passes(bytes) } }
                _ = try result.get()
            } catch {
                #expect(error.reason == .illegalPattern || error.reason == .patternTooCostly)
            }
        }
    }
}
