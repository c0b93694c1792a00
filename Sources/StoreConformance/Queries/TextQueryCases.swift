import Strata

/// CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES.
enum TextQueryCases {
    private static let odd: [String?] = ["100%", "1000", "a_b", "axb", "a\\b", "a*b", "a?b", "it's", "]]>", "a.b", nil, ""]

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Text contains, begins and ends with text", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["abc", "bcd", "cde", "ABC", "", nil, "abcabc"])
            try data.expect(Item.text.contains("bc"), [0, 1, 6])
            try data.expect(Item.text.beginsWith("abc"), [0, 6])
            try data.expect(Item.text.endsWith("cd"), [1])
            try data.expect(Item.text.endsWith("abc"), [0, 6])
            try data.expect(!Item.text.contains("bc"), [2, 3, 4, 5])
            try data.expect(!Item.text.beginsWith("a"), [1, 2, 3, 4, 5])
        }
        ConformanceCase("All text contains empty text, no value does not", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["a", "", nil])
            try data.expect(Item.text.contains(""), [0, 1])
            try data.expect(Item.text.beginsWith(""), [0, 1])
            try data.expect(Item.text.endsWith(""), [0, 1])
            try data.expect(Item.text.like("*"), [0, 1])
            try data.expect(Item.text.like(""), [1])
            try data.expect(Item.text.matches(""), [1])
            try data.expect(Item.text.matches(".*"), [0, 1])
        }
        ConformanceCase("Text operators take nil for nothing", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["a", "", nil])
            for op in [QueryComparison.Operator.contains, .beginsWith, .endsWith, .like, .matches] {
                try data.expect(.comparison(.init(key("text"), op, .constant(.null))), [])
                try data.expect(!.comparison(.init(key("text"), op, .constant(.null))), [0, 1, 2])
            }
        }
        ConformanceCase("Text operators know no wild cards but their own", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, odd)
            try data.expect(Item.text.contains("%"), [0])
            try data.expect(Item.text.contains("_"), [2])
            try data.expect(Item.text.contains("\\"), [4])
            try data.expect(Item.text.contains("*"), [5])
            try data.expect(Item.text.contains("?"), [6])
            try data.expect(Item.text.beginsWith("100%"), [0])
            try data.expect(Item.text.beginsWith("a_"), [2])
            try data.expect(Item.text.endsWith("0%"), [0])
            try data.expect(Item.text.contains("'"), [7])
            try data.expect(Item.text.endsWith("]]>"), [8])
            try data.expect(Item.text == "it's", [7])
        }
        ConformanceCase("LIKE knows ? and * only", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, odd)
            try data.expect(Item.text.like("a?b"), [2, 3, 4, 5, 6, 9])
            try data.expect(Item.text.like("100*"), [0, 1])
            try data.expect(Item.text.like("*%"), [0])
            try data.expect(Item.text.like("a_b"), [2])
            try data.expect(Item.text.like("a.b"), [9])
            try data.expect(Item.text.like("1*0"), [1])
            try data.expect(Item.text.like("????"), [0, 1, 7])
            try data.expect(!Item.text.like("a?b"), [0, 1, 7, 8, 10, 11])
            try data.expect(Item.text.like("A?B", .caseInsensitive), [2, 3, 4, 5, 6, 9])
        }
        ConformanceCase("LIKE counts characters, and * may stand for none or many", in: .queries) { environment in
            let data = try QueryData.of(
                environment,
                Item.text,
                ["a😀b", "ab", "a\nb", "aéb", "a" + String(repeating: "x", count: 3000) + "b", "aab"]
            )
            try data.expect(Item.text.like("a?b"), [0, 2, 3, 5])
            try data.expect(Item.text.like("a*b"), [0, 1, 2, 3, 4, 5])
            try data.expect(Item.text.like("*a*a*b*"), [5])
            try data.expect(Item.text.like("**b"), [0, 1, 2, 3, 4, 5])
        }
        ConformanceCase("MATCHES is from end to end", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["abc", "ab", "ABC", "xabcx", "a.c", "", nil, "12-34"])
            try data.expect(Item.text.matches("abc"), [0])
            try data.expect(Item.text.matches("ab.?"), [0, 1])
            try data.expect(Item.text.matches("a\\.c"), [4])
            try data.expect(Item.text.matches("[a-z]+"), [0, 1, 3])
            try data.expect(Item.text.matches("[0-9]{2}-[0-9]{2}"), [7])
            try data.expect(Item.text.matches("(?i)abc"), [0, 2])
            try data.expect(Item.text.matches("abc", .caseInsensitive), [0, 2])
            try data.expect(Item.text.matches("a|ab|abc"), [0, 1])
            try data.expect(!Item.text.matches(".*"), [6])
        }
        ConformanceCase("Text operators fold case and diacritics where they are told to", in: .queries) { environment in
            let data = try QueryData.of(
                environment,
                Item.text,
                ["Émile", "emile", "EMILE", "e\u{301}mile", "Zola", "straße", "STRASSE", nil]
            )
            try data.expect(Item.text.beginsWith("em"), [1])
            try data.expect(Item.text.beginsWith("em", .caseInsensitive), [1, 2])
            try data.expect(Item.text.beginsWith("em", .diacriticInsensitive), [1, 3])
            try data.expect(Item.text.beginsWith("ÉM", [.caseInsensitive, .diacriticInsensitive]), [0, 1, 2, 3])
            try data.expect(Item.text.contains("OL", .caseInsensitive), [4])
            try data.expect(Item.text.endsWith("ILE", .caseInsensitive), [0, 1, 2, 3])
            try data.expect(Item.text.contains("strasse", .caseInsensitive), [5, 6])
            try data.expect(Item.text.like("É*", .diacriticInsensitive), [0, 2])
        }
        ConformanceCase("Composed and decomposed text do not contain each other", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["caf\u{E9}", "cafe\u{301}", "cafe"])
            try data.expect(Item.text.contains("\u{E9}"), [0])
            try data.expect(Item.text.endsWith("\u{301}"), [1])
            try data.expect(Item.text.beginsWith("cafe"), [1, 2])
            try data.expect(Item.text.contains("e\u{301}"), [1])
        }
        ConformanceCase("Text operators see past a NUL", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["a\0b", "a\0c", "a", "\0"])
            try data.expect(Item.text == "a", [2])
            try data.expect(Item.text == "a\0b", [0])
            try data.expect(Item.text.contains("\0"), [0, 1, 3])
            try data.expect(Item.text.endsWith("c"), [1])
            try data.expect(Item.text.beginsWith("a\0"), [0, 1])
            try data.expect(Item.text > "a", [0, 1])
            try data.expect(Item.text.isIn(["a\0b", "a"]), [0, 2])
        }
        ConformanceCase("Beginnings are found at the ends of what bytes can be", in: .queries) { environment in
            let data = try QueryData.of(
                environment,
                Item.text,
                ["\u{10FFFF}", "\u{10FFFF}a", "\u{FFFF}", "z", "\u{7F}", "\u{7F}a", "\u{80}"]
            )
            try data.expect(Item.text.beginsWith("\u{10FFFF}"), [0, 1])
            try data.expect(Item.text.beginsWith("\u{7F}"), [4, 5])
            try data.expect(Item.text.beginsWith("\u{FFFF}"), [2])
        }
        ConformanceCase("A URL can be searched like text", in: .queries) { environment in
            let data = try QueryData(environment) { context in
                for (index, text) in ["https://a.org/x", "http://b.org/y"].enumerated() {
                    let item = Item(context: context)
                    item[Item.number] = Int64(index)
                    try item.setValue(.some(Value.string(text)), forKey: "url")
                }
            }
            try data.expect(key("url").beginsWith("https:"), [0])
            try data.expect(key("url").contains("b.org"), [1])
            try data.expect(key("url") == "http://b.org/y", [1])
        }
    }
}
