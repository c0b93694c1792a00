import StrataEvaluation
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Collation")
struct CollationTests {
    private func sorted(_ texts: [String], _ options: QueryComparison.Options) -> [String] {
        let collation = Collation(options)
        return texts.sorted { collation.key($0).lexicographicallyPrecedes(collation.key($1)) }
    }

    @Test("Letters come before diacritics, these before case, and the small letter first")
    func levels() {
        let order = [
            "", " a", "-a", "+a", "1", "2", "a", "A", "á", "Á", "ab", "Ab", "áb", "b", "côte", "coté", "cote2", "d", "o", "ø", "of",
            "strasse", "straße", "z",
            "α", "Α", "б", "日",
        ]
        // Within one length of letters "cote" < "coté" < "côte": the first accent decides.
        let expected = order.map { $0 == "côte" ? "coté" : $0 == "coté" ? "côte" : $0 }
        #expect(sorted(expected.reversed(), .localizedCompare) == expected)
    }

    @Test("Numbers go by their value where asked to")
    func numbers() {
        let plain = ["a1", "a10", "a2", "b"]
        #expect(sorted(plain.reversed(), .localizedCompare) == plain)
        let numeric = ["a", "a0", "a1", "a2", "a٣", "a10", "a10b", "a11", "a99999999999999999999", "a100000000000000000000", "b1"]
        #expect(sorted(numeric.reversed(), .localizedStandardCompare) == numeric)
        #expect(
            sorted(["File 10.txt", "file 9.txt", "File 9.txt"], .localizedStandardCompare) == ["file 9.txt", "File 9.txt", "File 10.txt"])
        let long = String(repeating: "9", count: 600)
        #expect(
            sorted(["1" + long, long, "8" + long.dropFirst()], .localizedStandardCompare) == ["8" + long.dropFirst(), long, "1" + long])
    }

    @Test("Options leave levels out")
    func strengths() {
        func areEqual(_ a: String, _ b: String, _ options: QueryComparison.Options) -> Bool {
            Collation(options).key(a) == Collation(options).key(b)
        }
        #expect(!areEqual("é", "e", []))
        #expect(!areEqual("E", "e", []))
        #expect(!areEqual("\u{E9}", "e\u{301}", []))
        #expect(areEqual("E", "e", .caseInsensitive))
        #expect(!areEqual("é", "e", .caseInsensitive))
        #expect(areEqual("\u{E9}", "E\u{301}", .caseInsensitive))
        #expect(areEqual("é", "e", .diacriticInsensitive))
        #expect(!areEqual("É", "e", .diacriticInsensitive))
        #expect(areEqual("É", "e", [.caseInsensitive, .diacriticInsensitive]))
        #expect(areEqual("STRASSE", "straße", [.caseInsensitive, .diacriticInsensitive]))
        #expect(areEqual("a01", "a1", [.caseInsensitive, .numeric]))
        #expect(!areEqual("a01", "a1", .numeric))
    }

    @Test("Comparisons marked [l] collate")
    func comparisons() throws {
        func passes(_ text: String, _ op: QueryComparison.Operator, _ constant: String, _ options: QueryComparison.Options) throws -> Bool {
            try #require(try TextTest(op, constant, options: options)).passes(text)
        }
        #expect(try passes("b", .greater, "A", .localeSensitive))
        #expect(try passes("B", .greater, "a", .localeSensitive))
        #expect(try !passes("a", .greater, "B", .localeSensitive))
        #expect(try passes("é", .less, "f", .localeSensitive))
        #expect(try !passes("é", .less, "f", []))
        #expect(try passes("e", .lessOrEqual, "é", .localeSensitive))
        #expect(try passes("é", .greaterOrEqual, "e", .localeSensitive))
        #expect(try passes("E", .equal, "e", [.localeSensitive, .caseInsensitive]))
        #expect(try passes("E", .notEqual, "e", .localeSensitive))
        #expect(try passes("e", .equal, "e", .localeSensitive))
        #expect(try passes("CAFÉ", .beginsWith, "CAF", .localeSensitive))
        #expect(try passes("a10", .greater, "a9", [.localeSensitive, .numeric]))
    }

    @Test("The order is a total one over random texts, and that of the letters of ASCII does not depend on what else a text holds")
    func laws() {
        var random = SeededGenerator(seed: 31)
        let alphabet = [
            "a", "A", "b", "B", "z", "0", "1", "9", "٣", " ", "-", "_", "$", "\0", "\t", "é", "É", "e", "\u{301}", "\u{327}", "ß", "ẞ", "ø",
            "æ", "Æ", "İ", "ı",
            "日", "α", "Ω", "½", "\u{1F600}", "ﬁ", "가",
        ]
        let texts = (0..<400).map { _ in (0..<Int.random(in: 0...5, using: &random)).map { _ in random.pick(alphabet) }.joined() }
        for raw in 0..<32 where raw & 4 == 0 {
            let options = QueryComparison.Options(rawValue: raw)
            let collation = Collation(options)
            let keys = texts.map { collation.key($0) }
            for _ in 0..<500 {
                let (a, b) = (Int.random(in: 0..<texts.count, using: &random), Int.random(in: 0..<texts.count, using: &random))
                let isEqual = keys[a] == keys[b]
                if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) {
                    #expect(isEqual == texts[a].utf8.elementsEqual(texts[b].utf8))
                }
                // What is less with fewer levels is less with all of them.
                let full = Collation(options.subtracting([.caseInsensitive, .diacriticInsensitive]))
                if options.contains(.caseInsensitive), keys[a].lexicographicallyPrecedes(keys[b]), !options.contains(.diacriticInsensitive)
                {
                    #expect(full.key(texts[a]).lexicographicallyPrecedes(full.key(texts[b])), "\(texts[a]) \(texts[b])")
                }
                // The same suffix of another script changes the order of no two texts of which neither begins the other.
                let (x, y) = (texts[a].utf8.filter { $0 < 0x80 }, texts[b].utf8.filter { $0 < 0x80 })
                let (left, right) = (String(decoding: x, as: UTF8.self), String(decoding: y, as: UTF8.self))
                if !options.contains(.numeric), left.lowercased().count == right.lowercased().count {
                    let before = collation.key(left).lexicographicallyPrecedes(collation.key(right))
                    let after = collation.key(left + "日").lexicographicallyPrecedes(collation.key(right + "日"))
                    #expect(before == after, "\(left.debugDescription) \(right.debugDescription)")
                }
            }
        }
    }
}
