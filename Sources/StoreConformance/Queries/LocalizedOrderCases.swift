import Strata

/// The orders of named locales, which the trait `ICU` adds; no cases without it.
enum LocalizedOrderCases {
    static var all: [ConformanceCase] {
        #if ICU && canImport(_FoundationICU)
            localized
        #else
            []
        #endif
    }

    #if ICU && canImport(_FoundationICU)
        @ConformanceCaseList private static var localized: [ConformanceCase] {
            // They were sorted by code point.
            ConformanceCase("Chinese, Japanese and Korean text sorts in the order of its language", in: .queries) { environment in
                let texts = ["中", "啊", "波", "阿", nil, "张", "うめ", "アイ", "あお", "하늘", "가방", "나무", "第10章", "第9章"]
                let stack = try environment.stack(Models.items)
                let context = stack.context()
                Item.insert(texts, of: Item.text, into: context)
                try context.save()
                func sorted(_ texts: [String], _ options: QueryComparison.Options, in context: ManagedObjectContext) throws -> [String] {
                    var request = ObjectFetchRequest<Item>(Item.text.isIn(texts), sort: [QuerySort("text", options)])
                    let found = try context.fetch(request).map { $0[Item.text] ?? "" }
                    request.limit = 2
                    request.offset = 1
                    try expectEqual(try context.fetch(request).map { $0[Item.text] ?? "" }, Array(found.dropFirst().prefix(2)))
                    return found
                }
                func check(_ context: ManagedObjectContext) throws {
                    try expectEqual(
                        try sorted(["中", "啊", "波", "阿", "张"], .localizedStandardCompare(in: "zh"), in: context),
                        ["阿", "啊", "波", "张", "中"])
                    try expectEqual(
                        try sorted(["うめ", "アイ", "あお"], .localizedStandardCompare(in: "ja"), in: context), ["アイ", "あお", "うめ"])
                    try expectEqual(
                        try sorted(["하늘", "가방", "나무"], .localizedStandardCompare(in: "ko"), in: context), ["가방", "나무", "하늘"])
                    try expectEqual(
                        try sorted(["第10章", "第9章"], .localizedStandardCompare(in: "zh"), in: context), ["第9章", "第10章"])
                    let before = ObjectFetchRequest<Item>(
                        key("text").compared(.less, "波", options: .locale("zh")) && Item.text.isIn(["中", "啊", "阿"]))
                    try expectEqual(try context.count(for: before), 2)
                }
                try check(context)
                try check(stack.context())
                let reopened = try stack.reopened()
                try check(reopened.context())
            }
        }
    #endif
}
