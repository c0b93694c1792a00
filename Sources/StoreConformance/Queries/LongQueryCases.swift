import Strata

/// Queries of many parts: what is flat has no limit, wherever it is decided.
enum LongQueryCases {
    private static func answers(_ name: String, _ format: @escaping @Sendable () -> String, _ expected: [String]) -> ConformanceCase {
        ConformanceCase(name, in: .queries) { environment in
            let context = try QuantifierCases.build(environment).context()
            let predicate = try QueryPredicate(format: format())
            let printed = try QueryPredicate(format: predicate.predicateFormat)
            try expect(printed == predicate, "it printed as another")
            try expectEqual(try context.names(of: Person.self, predicate), expected)
            try expectEqual(try context.names(of: Person.self, !predicate).count, 5 - expected.count)
            let ann = try context.named("Ann", Person.self)
            try expectEqual(try predicate.evaluate(with: ann), expected.contains("Ann"))
        }
    }

    private static func joined(_ separator: String, _ count: Int = 10_000, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: separator)
    }

    /// Two links of a chain in turn.
    private static func mixed(_ first: String, _ second: String, _ count: Int = 10_000) -> String {
        (0..<count).reduce(into: "") { $0 += $1 % 2 == 0 ? " \(first)" : " \(second)" }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        answers("OR of ten thousand conditions is answered", { joined(" OR ") { "age == \($0 * 20)" } }, ["Bob", "Cid", "Eve"])
        answers("AND of two thousand conditions is answered", { joined(" AND ", 2_000) { "age != \(50 + $0)" } }, ["Bob", "Dan", "Eve"])
        answers(
            "OR of conditions through relationships is answered", { joined(" OR ", 300) { "ANY reports.age == \($0 * 20)" } },
            ["Ann", "Bob"])
        answers("A sum of ten thousand terms is answered", { joined(" + ") { "age * \($0)" } + " == 2499750000" }, ["Ann"])
        answers("A short sum is answered", { "age + age + 1 - 20 - 21 == age * 2 / 2 / 1" }, ["Bob", "Dan"])
        answers("A difference of many terms is answered", { "age - " + joined(" - ", 40) { _ in "1" } + " == 0" }, ["Bob"])
        answers("A chain of ten thousand sums and differences is answered", { "age" + mixed("+ 3", "- 2") + " == 5040" }, ["Bob"])
        answers("A chain of ten thousand products and quotients is answered", { "age" + mixed("* 2", "/ 2") + " == 40" }, ["Bob"])
        answers("A chain of forty sums and differences is answered", { "age" + mixed("- 2", "+ 3", 40) + " == 60" }, ["Bob"])
        answers("A chain of all operators of products is answered", { "age * 2 / 3 %% 7 * 10 / 4 - 1 + age - 3 == 48" }, ["Bob"])
        answers(
            "A chain of differences and sums goes from the left, over the bound of integers",
            { "9223372036854775807 - age + age == 9223372036854775807 AND 9223372036854775807 + age - age != 9223372036854775807" },
            ["Ann", "Bob", "Cid", "Eve"])
        answers(
            "AND and OR of ten thousand conditions in turn are answered",
            { joined("") { "\($0 == 0 ? "" : $0 % 2 == 0 ? " AND " : " OR ")age == \($0 / 2 % 2 == 0 ? 40 : 20)" } }, ["Bob", "Eve"])
        answers(
            "A list of two thousand expressions is answered", { "age IN {" + joined(", ", 2_000) { "age + 1 - \($0)" } + "}" },
            ["Ann", "Bob", "Cid", "Dan", "Eve"])
        answers(
            "ANY of two thousand constants is answered", { "ANY {" + joined(", ", 2_000) { "\($0 * 20)" } + "} > age + 39950" }, ["Eve"])
        ConformanceCase("A tree that a program nested too deep is refused by every request", in: .queries) { environment in
            let context = try QuantifierCases.build(environment).context()
            let deep = (0..<1_000).reduce(key("age") == 1) { tree, _ in .not(tree) }
            let high = (0..<1_000).reduce(key("age")) { tree, _ in .function(.abs, [tree]) }
            let requests = [
                ObjectFetchRequest<Person>(deep), ObjectFetchRequest<Person>(high == 1),
                ObjectFetchRequest<Person>().fetching(high.named("high")),
                ObjectFetchRequest<Person>().grouped(by: ["age"], computing: [.count()], having: deep),
            ]
            for request in requests {
                let error = try expectThrows(QueryError.self) {
                    if request.propertiesToFetch == nil {
                        _ = try context.fetch(request)
                    } else {
                        _ = try context.fetchDictionaries(request)
                    }
                }
                try expectEqual(error.reason, .tooDeep)
            }
            try expectEqual(
                try expectThrows(QueryError.self) { try context.execute(BatchUpdateRequest(entityName: "Person", deep, set: ["age": 1])) }
                    .reason, .tooDeep)
            let ann = try context.named("Ann", Person.self)
            try expectEqual(try expectThrows(QueryError.self) { try deep.evaluate(with: ann) }.reason, .tooDeep)
            try expectEqual(try expectThrows(QueryError.self) { try high.value(with: ann) }.reason, .tooDeep)
        }
    }
}
