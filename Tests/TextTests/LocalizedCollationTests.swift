#if ICU && canImport(_FoundationICU)
    import Foundation
    import StrataModel
    import StrataQuery
    import StrataText
    import Testing

    /// Chinese, Japanese and Korean text was sorted by code point, whatever order was asked for.
    @Suite("The order of a named locale")
    struct LocalizedCollationTests {
        private func sorted(_ texts: [String], _ options: QueryComparison.Options) -> [String] {
            let collation = Collation(options)
            return texts.sorted { collation.key($0).lexicographicallyPrecedes(collation.key($1)) }
        }

        @Test("Each language has its own")
        func languages() {
            #expect(sorted(["中", "啊", "波", "阿"], .localizedCompare(in: "zh")) == ["阿", "啊", "波", "中"])
            #expect(sorted(["張", "李", "王"], .localizedCompare(in: "zh")) == ["李", "王", "張"])
            #expect(sorted(["うめ", "アイ", "あお"], .localizedCompare(in: "ja")) == ["アイ", "あお", "うめ"])
            #expect(sorted(["하늘", "가방", "나무"], .localizedCompare(in: "ko")) == ["가방", "나무", "하늘"])
            #expect(sorted(["ö", "z", "o"], .localizedCompare(in: "sv")) == ["o", "z", "ö"])
            #expect(sorted(["ö", "z", "o"], .localizedCompare(in: "de")) == ["o", "ö", "z"])
        }

        @Test("Options leave levels out, and different texts are never equal without them")
        func levels() {
            func key(_ text: String, _ options: QueryComparison.Options) -> [UInt8] { Collation(options).key(text) }
            #expect(sorted(["a10", "a9"], .localizedStandardCompare(in: "zh")) == ["a9", "a10"])
            #expect(sorted(["a10", "a9"], .localizedCompare(in: "zh")) == ["a10", "a9"])
            #expect(key("Ä", .localizedCaseInsensitiveCompare(in: "de")) == key("ä", .localizedCaseInsensitiveCompare(in: "de")))
            #expect(key("Ä", [.locale("de"), .diacriticInsensitive]) == key("A", [.locale("de"), .diacriticInsensitive]))
            #expect(key("Ä", [.locale("de"), .diacriticInsensitive]) != key("ä", [.locale("de"), .diacriticInsensitive]))
            #expect(key("e\u{301}", .locale("fr")) != key("\u{E9}", .locale("fr")))
            #expect(key("", .locale("zh")).lexicographicallyPrecedes(key("a", .locale("zh"))))
            #expect(key(String(repeating: "中", count: 5_000), .locale("zh")).count > 5_000)
        }

        @Test("Sort keys and conditions print, are coded and parsed with their locale")
        func coding() throws {
            let sort = QuerySort("name", ascending: false, .localizedStandardCompare(in: "zh_TW"))
            let data = try JSONEncoder().encode(sort)
            #expect(String(decoding: data, as: UTF8.self).contains("ls@zh_TW"))
            #expect(try JSONDecoder().decode(QuerySort.self, from: data) == sort)
            let predicate = key("name").compared(.less, "b", options: .locale("sv"))
            #expect(predicate.description == "name <[l@sv] \"b\"")
            #expect(try QueryPredicate(format: predicate.description) == predicate)
            #expect(throws: QueryFormatError.self) { try QueryPredicate(format: "name <[l@] 'b'") }
            #expect(QueryComparison.Options.locale("sv").localeIdentifier == "sv")
            #expect(QueryComparison.Options.localizedCompare.localeIdentifier == nil)
        }
    }
#endif
