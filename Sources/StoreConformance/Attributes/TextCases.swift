import FoundationEssentials
import Strata

/// Text that a format, a query language or a careless comparison may change.
enum TextCases {
    static func sameBytes(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

    static func roundTrip(_ name: String, _ values: [String?]) -> ConformanceCase {
        ConformanceCase(name, in: .attributes) { environment in try RoundTrip(Item.text, values, same: sameBytes).run(environment) }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        roundTrip("Empty text is not nil", ["", nil, " ", ""])
        roundTrip("Text keeps NUL characters", ["\0", "a\0b", "\0\0", "a", "a\0"])
        roundTrip("Text keeps control characters", ["\u{1}", "\u{8}", "\u{1B}[0m", "\u{7F}", "\u{85}", "\u{9F}", "\u{1F}x"])
        roundTrip("Text keeps line breaks and tabs", ["\r\n", "\r", "\n", "\t", "a\r\nb\rc\nd\te", "\n\n", " \t "])
        roundTrip("Text keeps spaces at its ends", [" a", "a ", "  ", "\u{A0}a\u{A0}", "\u{2003}", "\u{2028}", "\u{2029}"])
        roundTrip(
            "Text keeps what is no character",
            [0xFFFE, 0xFFFF, 0xFDD0, 0x1FFFE, 0x10FFFF, 0xFEFF, 0xFFFD].flatMap { code -> [String?] in
                Unicode.Scalar(code as UInt32).map { ["\($0)", "a\($0)", "\($0)b"] } ?? []
            }
        )
        roundTrip("Text keeps emoji and characters beyond the basic plane", ["😀", "👨‍👩‍👧‍👦", "🇩🇪", "𝒳", "👍🏽", "a😀b", "❤️"])
        roundTrip(
            "Composed and decomposed text are two texts",
            ["é", "e\u{301}", "Å", "Å", "A\u{30A}", "ﬁ", "fi", "가", "\u{1100}\u{1161}"]
        )
        roundTrip(
            "Case and language make no difference to how text is kept",
            ["İ", "i", "ı", "I", "ß", "ẞ", "SS", "ss", "Straße", "ς", "σ", "Σ"]
        )
        roundTrip("Text keeps the wild cards of queries", ["%", "_", "100%", "a_b", "\\", "*", "?", "[a]", "^", "$", ".", "a.b"])
        roundTrip(
            "Text keeps quotes and comments of SQL",
            ["'", "\"", "''", "'; DROP TABLE ZITEM; --", "--", ";", "/*", "*/", "`", "?1", ":a", "@a", "$a"]
        )
        roundTrip(
            "Text keeps markup",
            ["<", ">", "&", "&amp;", "&#0;", "]]>", "<![CDATA[x]]>", "<!-- x -->", "<?x?>", "<a b='c'/>", "\"&'"]
        )
        roundTrip(
            "Text that looks like a number stays text",
            ["1", "01", "1.0", "1e3", "0x10", "NaN", "inf", "-0", "true", "nil", "NULL", "null"]
        )
        roundTrip(
            "Long text with common beginnings is told apart",
            [510, 511, 512, 513, 2000].flatMap { length -> [String?] in
                [
                    String(repeating: "a", count: length), String(repeating: "a", count: length) + "b",
                    String(repeating: "a", count: length) + "c",
                ]
            }
        )
        roundTrip("Text orders by its bytes", ["a", "B", "b", "A", "ä", "z", "Z", "aa", "", "a ", "é", "e", "中", "😀", "\u{FFFF}"])
        ConformanceCase("Text of a million bytes comes back", in: .attributes) { environment in
            let text = String(repeating: "0123456789abcde\n", count: 1 << 16)
            try large(text, environment)
        }
        ConformanceCase("Text of 16 million bytes comes back", in: .attributes) { environment in
            try large(String(repeating: "x", count: 1 << 24), environment)
        }
    }

    private static func large(_ text: String, _ environment: ConformanceEnvironment) throws {
        let stack = try environment.stack(Models.items)
        let context = stack.context()
        Item.insert([text, nil, "short"], of: Item.text, into: context)
        try context.save()
        let items = try stack.reopened().context().fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
        try expectEqual(items.count, 3)
        try expectEqual(items[0][Item.text]?.utf8.count, text.utf8.count)
        try expectEqual(items[0][Item.text], text)
        try expectEqual(items[1][Item.text], nil)
        try expectEqual(items[2][Item.text], "short")
    }
}
