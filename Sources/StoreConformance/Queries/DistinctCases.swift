import FoundationEssentials
import Strata

/// Which values are one where results are distinct, or grouped.
enum DistinctCases {
    /// Items with a flag each: the yes and no of two attributes are in one column.
    private static func data(_ environment: ConformanceEnvironment) throws -> QueryData {
        let rows: [(flag: Bool, double: Double?, decimal: Decimal?)] = [
            (true, 1, nil), (false, nil, 1), (true, 0.5, nil), (false, nil, Decimal(5) / 10), (true, .nan, nil), (false, nil, .nan),
            (true, nil, nil), (false, nil, nil), (true, -0.0, nil), (true, 0, nil), (false, nil, Decimal(25) / 100),
        ]
        return try QueryData(environment) { context in
            for (index, row) in rows.enumerated() {
                let item = Item(context: context)
                item[Item.number] = Int64(index)
                item[Item.flag] = row.flag
                item[Item.double] = row.double
                item[Item.decimal] = row.decimal
            }
        }
    }

    private static func check(_ name: String, _ format: String, _ firstOfEach: [Int]) -> ConformanceCase {
        ConformanceCase(name, in: .queries) { environment in
            let value = try QueryExpression(format: format).named("value")
            for context in try data(environment).contexts {
                let all = try context.fetchDictionaries(ObjectFetchRequest<Item>(sort: [Item.number.ascending]).fetching(value)).map(
                    \.values)
                let expected = firstOfEach.map { all[$0] }
                var request = ObjectFetchRequest<Item>(sort: [Item.number.ascending]).fetching(value, distinct: true)
                try expectEqual(try context.fetchDictionaries(request).map(\.values), expected, "sorted")
                request.offset = 1
                request.limit = 2
                try expectEqual(try context.fetchDictionaries(request).map(\.values), Array(expected[1...].prefix(2)), "a slice")
                request = ObjectFetchRequest<Item>().fetching(value, distinct: true)
                try expectEqual(try context.fetchDictionaries(request).map(\.values), expected, "by reference")
                request = ObjectFetchRequest<Item>(sort: [QuerySort("value")]).fetching(value, distinct: true)
                try expectEqual(try context.fetchDictionaries(request).count, expected.count, "sorted by the value")
                let groups = ObjectFetchRequest<Item>().grouped(by: [value], computing: [.count()])
                let counts = try context.fetchDictionaries(groups).compactMap { $0["count", as: Int.self] }
                try expectEqual(counts.count, expected.count, "groups")
                try expectEqual(counts.reduce(0, +), all.count)
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        check("Numbers of different kinds are one result", "TERNARY(flag == YES, 1, 1.0)", [0])
        check("Truth values and numbers are one result", "TERNARY(flag == YES, TRUE, 1)", [0])
        check("Nil is one result, and so is what is no number", "double", [0, 1, 2, 4, 8])
        check(
            "Decimals and floating-point numbers are one result by magnitude", "TERNARY(flag == YES, double, decimal)", [0, 2, 4, 6, 8, 10])
        ConformanceCase("Different values are counted by magnitude", in: .queries) { environment in
            for context in try data(environment).contexts {
                let request = ObjectFetchRequest<Item>().grouped(computing: [
                    .countDistinct("double", as: "doubles"), .countDistinct("decimal", as: "decimals"),
                ])
                try expectEqual(try context.fetchDictionaries(request)[0].values, [4, 4])
            }
        }
    }
}
