import FoundationEssentials
import Strata

/// Orders, and slices of them.
enum SortCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("No order is the order of the references", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [5, 3, nil, 1])
            try data.expectOrder([], [0, 1, 2, 3])
            for context in data.contexts {
                let references = try context.fetch(ObjectFetchRequest<Item>()).map(\.objectID.reference)
                try expectEqual(references, references.sorted())
            }
        }
        ConformanceCase("No value comes first upward and last downward", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [5, nil, -1, nil, 7])
            try data.expectOrder([Item.i64.ascending], [1, 3, 2, 0, 4])
            try data.expectOrder([Item.i64.descending], [4, 0, 2, 1, 3])
        }
        ConformanceCase("What is no number comes after all numbers", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.double, [1, .nan, -.infinity, nil, .infinity])
            try data.expectOrder([Item.double.ascending], [3, 2, 0, 4, 1])
            try data.expectOrder([Item.double.descending], [1, 4, 0, 2, 3])
        }
        ConformanceCase("Equal keys follow in the order of the references, downward too", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["b", "a", "b", "a", nil, nil])
            try data.expectOrder([Item.text.ascending], [4, 5, 1, 3, 0, 2])
            try data.expectOrder([Item.text.descending], [0, 2, 1, 3, 4, 5])
        }
        ConformanceCase("Zeros of both signs are one key", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.double, [0.0, -0.0, 0.0, -1])
            try data.expectOrder([Item.double.ascending], [3, 0, 1, 2])
            try data.expectOrder([Item.double.descending], [0, 1, 2, 3])
        }
        ConformanceCase("Several keys order one after the other", in: .queries) { environment in
            let data = try QueryData(environment) { context in
                for (index, (text, number)) in [("a", 2), ("b", 1), ("a", 1), (nil, 3), ("b", 2), ("a", 2)].enumerated()
                    as EnumeratedSequence<[(String?, Int64)]>
                {
                    let item = Item(context: context)
                    item[Item.number] = Int64(index)
                    item[Item.text] = text
                    item[Item.i64] = number
                }
            }
            try data.expectOrder([Item.text.ascending, Item.i64.ascending], [3, 2, 0, 5, 1, 4])
            try data.expectOrder([Item.text.descending, Item.i64.ascending], [1, 4, 2, 0, 5, 3])
            try data.expectOrder([Item.text.ascending, Item.i64.descending], [3, 0, 5, 2, 4, 1])
            try data.expectOrder([Item.i64.descending, Item.text.descending, Item.number.descending], [3, 4, 5, 0, 1, 2])
        }
        ConformanceCase("Text orders by its bytes, or folded", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["b", "B", "ä", "a", "A", "z", "", nil])
            try data.expectOrder([Item.text.ascending], [7, 6, 4, 1, 3, 0, 5, 2])
            try data.expectOrder([QuerySort("text", .caseInsensitive)], [7, 6, 3, 4, 0, 1, 5, 2])
            try data.expectOrder([QuerySort("text", [.caseInsensitive, .diacriticInsensitive])], [7, 6, 2, 3, 4, 0, 1, 5])
            try data.expectOrder(
                [QuerySort("text", ascending: false, [.caseInsensitive, .diacriticInsensitive])],
                [5, 0, 1, 2, 3, 4, 6, 7]
            )
        }
        ConformanceCase("Dates, decimals, truth values, UUIDs and bytes have an order", in: .queries) { environment in
            let storeIDs = [
                "00000000-0000-0000-0000-000000000001", "FFFFFFFF-0000-0000-0000-000000000000", "7FFFFFFF-0000-0000-0000-000000000000",
            ]
            let data = try QueryData(environment) { context in
                for (index, number) in [2.5, -1, 2.25].enumerated() {
                    let item = Item(context: context)
                    item[Item.number] = Int64(index)
                    item[Item.date] = Date(timeIntervalSinceReferenceDate: number)
                    item[Item.decimal] = Decimal(string: "\(number)")
                    item[Item.flag] = number > 2.4
                    item[Item.uuid] = UUID(uuidString: storeIDs[index])
                    item[Item.data] = [Data([1, 2]), Data([0, 255]), Data([1])][index]
                }
            }
            try data.expectOrder([Item.date.ascending], [1, 2, 0])
            try data.expectOrder([Item.decimal.descending], [0, 2, 1])
            try data.expectOrder([Item.flag.ascending], [1, 2, 0])
            try data.expectOrder([Item.uuid.ascending], [0, 2, 1])
            try data.expectOrder([Item.data.ascending], [1, 2, 0])
        }
        ConformanceCase("Objects order by attributes of others", in: .queries) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            for (person, city) in [("p", "Oslo"), ("q", nil), ("r", "Bonn"), ("s", "Rome")] as [(String, String?)] {
                let company = city.map { city in
                    let company = Company(context: context)
                    company.city = city
                    return company
                }
                _ = Person(person, context, company: company)
            }
            try context.save()
            let again = try stack.reopened().context()
            let up = try again.fetch(ObjectFetchRequest<Person>(sort: [QuerySort("company.city")]))
            try expectEqual(try inOrder(up), ["q", "r", "p", "s"])
            let down = try again.fetch(
                ObjectFetchRequest<Person>(key("company") != .null, sort: [QuerySort("company.city", ascending: false)], limit: 2)
            )
            try expectEqual(try inOrder(down), ["s", "p"])
        }
        ConformanceCase("Limit and offset give slices of the whole", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, (0..<20).map { ($0 * 7) % 20 })
            for context in data.contexts {
                for sort in [[], [Item.i64.ascending], [Item.i64.descending, Item.number.ascending]] {
                    for predicate in [nil, Item.i64 >= 5] {
                        let whole = try context.fetchObjectIDs(ObjectFetchRequest<Item>(predicate, sort: sort))
                        for (offset, limit) in [(0, 5), (3, 5), (18, 5), (20, 5), (100, 1), (0, 0), (4, nil), (0, 1000)] as [(Int, Int?)] {
                            let request = ObjectFetchRequest<Item>(predicate, sort: sort, limit: limit, offset: offset)
                            let expected = Array(whole.dropFirst(offset).prefix(limit ?? .max))
                            try expectEqual(try context.fetch(request).map(\.objectID), expected, "offset \(offset), limit \(limit ?? -1)")
                            try expectEqual(try context.fetchObjectIDs(request), expected)
                            try expectEqual(try context.count(for: request), expected.count)
                        }
                    }
                }
            }
        }
        ConformanceCase("Negative limits and offsets are taken for none", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [1, 2, 3])
            try expectEqual(try data.contexts[0].count(for: ObjectFetchRequest<Item>(limit: -1)), 0)
            try expectEqual(try data.contexts[0].fetch(ObjectFetchRequest<Item>(offset: -5)).count, 3)
        }
        ConformanceCase("A fetch request answers to Core Data's names, where a limit of 0 is none", in: .queries) { environment in
            let context = try QueryData.of(environment, Item.i64, [3, 1, 2]).contexts[0]
            var request = ObjectFetchRequest<Item>()
            request.sortDescriptors = [Item.i64.ascending]
            request.fetchOffset = 1
            request.fetchLimit = 1
            try expectEqual(try context.fetch(request).map { $0[Item.i64] }, [2])
            request.fetchLimit = 0
            try expectEqual(try context.fetch(request).map { $0[Item.i64] }, [2, 3])
            try expectEqual(request.limit, nil)
            try expectEqual([request.fetchLimit, request.fetchOffset, request.sortDescriptors.count], [0, 1, 1])
        }
        ConformanceCase("An index with several keys in different directions answers like no index", in: .queries) { environment in
            var generator = SeededGenerator(seed: 11)
            let texts = (0..<60).map { _ in generator.chance(10) ? nil : ["a", "b", "ab", ""][generator.below(4)] }
            let data = try QueryData.of(environment, Item.text, texts)
            for sort in [[Item.text.ascending, Item.number.descending], [Item.text.descending, Item.number.ascending]] {
                let answers = try data.contexts.map {
                    try $0.fetch(ObjectFetchRequest<Item>(sort: sort, limit: 25, offset: 5)).map { $0[Item.number] }
                }
                try expectEqual(answers[0], answers[1])
            }
        }
    }
}
