import Strata

/// Groups with computed results, and conditions on groups.
enum HavingCases {
    private static func build(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        let stack = try environment.stack(Models.sales)
        let context = stack.context()
        Sale.insert(into: context)
        try context.save()
        return try stack.reopened().context()
    }

    private static let sold = QueryExpression.keyPath("@sum.sold")
    private static let byLine = ObjectFetchRequest<Sale>().grouped(
        by: ["productLine"],
        computing: [
            sold.named("SoldCount", .integer32), QueryExpression.function(.sum, [.keyPath("returned")]).named("ReturnedCount", .integer32),
        ])

    private static func lines(_ context: ManagedObjectContext, _ condition: QueryPredicate) throws -> [Value?] {
        var request = byLine
        request.havingPredicate = condition
        return try context.fetchDictionaries(request).map { $0["productLine"] }
    }

    private static func reason(_ context: ManagedObjectContext, _ request: ObjectFetchRequest<Sale>) throws -> QueryError.Reason {
        try expectThrows(QueryError.self) { try context.fetchDictionaries(request) }.reason
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Product lines are summed up", in: .queries) { environment in
            let rows = try build(environment).fetchDictionaries(byLine)
            try expectEqual(
                rows.map(\.dictionary),
                [
                    ["productLine": "Bowler", "SoldCount": 48, "ReturnedCount": 4],
                    ["productLine": "Stetson", "SoldCount": 142, "ReturnedCount": 27],
                    ["productLine": "Top Hat", "SoldCount": 50, "ReturnedCount": 6],
                ])
        }
        ConformanceCase("Conditions on groups name results, keys and aggregates", in: .queries) { environment in
            let context = try build(environment)
            try expectEqual(try lines(context, key("SoldCount") > 49), ["Stetson", "Top Hat"])
            try expectEqual(try lines(context, key("productLine") == "Bowler"), ["Bowler"])
            try expectEqual(try lines(context, key("@sum.sold") < 49), ["Bowler"])
            try expectEqual(try lines(context, QueryExpression.function(.max, [.keyPath("sold")]) == 25), ["Top Hat"])
            try expectEqual(try lines(context, QueryExpression.function(.count, [.evaluatedObject]) == 3), ["Stetson", "Top Hat"])
            try expectEqual(try lines(context, key("@count") == 2 || key("ReturnedCount") > 20), ["Bowler", "Stetson"])
            try expectEqual(try lines(context, !(key("SoldCount") > 49)), ["Bowler"])
            try expectEqual(try lines(context, key("productLine").beginsWith("T") && key("SoldCount") > 1), ["Top Hat"])
            try expectEqual(try lines(context, .constant(false)), [])
            let kept = QueryExpression.function(.subtract, [sold, .keyPath("ReturnedCount")])
            try expectEqual(try lines(context, kept > 100), ["Stetson"])
        }
        ConformanceCase("What is fetched of a group is computed of its aggregates", in: .queries) { environment in
            let context = try build(environment)
            let revenue = QueryExpression.function(.sum, [.function(.multiply, [.keyPath("sold"), .keyPath("price")])])
            let mean = QueryExpression.function(.divide, [sold, .function(.count, [.keyPath("sold")])])
            let request = ObjectFetchRequest<Sale>(sort: [QuerySort("revenue")]).grouped(
                by: ["productLine"],
                computing: [
                    revenue.named("revenue"), mean.named("mean"), QueryExpression.constant("hat").named("kind"),
                    QueryExpression.function(.uppercase, [.keyPath("productLine")]).named("LINE"),
                ])
            let rows = try context.fetchDictionaries(request)
            try expectEqual(rows.map { $0["LINE"] }, ["BOWLER", "TOP HAT", "STETSON"])
            try expectEqual(rows.map { $0["revenue"] }, [24.0, 125.0, 213.0])
            try expectEqual(rows.map { $0["mean"] }, [24, 16, 47])
            try expectEqual(rows.map { $0["kind"] }, ["hat", "hat", "hat"])
        }
        ConformanceCase("Groups sort by results and aggregates, with limit and offset", in: .queries) { environment in
            let context = try build(environment)
            var request = byLine
            request.sort = [QuerySort("SoldCount", ascending: false)]
            request.limit = 2
            try expectEqual(try context.fetchDictionaries(request).map { $0["productLine"] }, ["Stetson", "Top Hat"])
            request.offset = 1
            try expectEqual(try context.fetchDictionaries(request).map { $0["productLine"] }, ["Top Hat", "Bowler"])
            request.sort = [QuerySort("@count"), QuerySort("@min.sold")]
            request.offset = 0
            try expectEqual(try context.fetchDictionaries(request).map { $0["productLine"] }, ["Bowler", "Top Hat"])
            request.havingPredicate = key("SoldCount") < 100
            request.sort = [QuerySort("productLine", ascending: false)]
            try expectEqual(try context.fetchDictionaries(request).map { $0["productLine"] }, ["Top Hat", "Bowler"])
        }
        ConformanceCase("Groups are keyed by objects, paths and expressions", in: .queries) { environment in
            let context = try build(environment)
            let shops = try context.fetch(ObjectFetchRequest<Shop>(sort: [QuerySort("city")]))
            let byShop = ObjectFetchRequest<Sale>().grouped(by: ["shop"], computing: [.sum("sold", as: "sold")])
            let rows = try context.fetchDictionaries(byShop)
            try expectEqual(Set(rows.map { $0["shop"] }), [.null, .objectID(shops[0].objectID), .objectID(shops[1].objectID)])
            let ofOslo = try context.fetchDictionaries(
                ObjectFetchRequest<Sale>().grouped(
                    by: ["shop"], computing: [.sum("sold", as: "sold")], having: key("shop") == .objectID(shops[0].objectID)))
            try expectEqual(ofOslo.map { $0["sold"] }, [105])
            let byCity = ObjectFetchRequest<Sale>().grouped(
                by: [QueryExpression.function(.uppercase, [.keyPath("shop.city")]).named("CITY")], computing: [.count()])
            try expectEqual(
                try context.fetchDictionaries(byCity).map(\.values), [[.null, 2], ["OSLO", 3], ["ROME", 3]])
        }
        ConformanceCase("All statistics apply to groups", in: .queries) { environment in
            let context = try build(environment)
            let request = ObjectFetchRequest<Sale>(Sale.productLine == "Top Hat").grouped(
                computing: [
                    .count(), .count("shop", as: "rows"), .countDistinct("price", as: "prices"), .median("sold", as: "median"),
                    .standardDeviation("sold", as: "deviation"), .average("sold", as: "mean"), .min("sold", as: "least"),
                    .max("sold", as: "greatest"),
                ])
            let row = try unwrap(context.fetchDictionaries(request).first)
            try expectEqual(row["count"], 3)
            try expectEqual(row["rows"], 2)
            try expectEqual(row["prices"], 1)
            try expectEqual(row["median", as: Double.self] ?? row["median", as: Int.self].map { Double($0) }, 20)
            try expect(abs((row["deviation", as: Double.self] ?? 0) - 8.498365855987975) < 1e-9, "\(row)")
            try expect(abs((row["mean", as: Double.self] ?? 0) - 50.0 / 3) < 1e-9, "\(row)")
            try expectEqual(row["least"], 5)
            try expectEqual(row["greatest"], 25)
        }
        ConformanceCase("Aggregates without groups are one dictionary, also of nothing", in: .queries) { environment in
            let context = try build(environment)
            let request = ObjectFetchRequest<Sale>().fetching(.count(), .sum("sold"))
            try expectEqual(try context.fetchDictionaries(request).map(\.values), [[8, 240]])
            var nothing = request
            nothing.predicate = .constant(false)
            try expectEqual(try context.fetchDictionaries(nothing).map(\.values), [[0, 0]])
            nothing.havingPredicate = key("count") > 0
            try expectEqual(try context.fetchDictionaries(nothing).count, 0)
        }
        ConformanceCase("Equal results of groups come once where asked", in: .queries) { environment in
            let context = try build(environment)
            let sort = [QuerySort("count", ascending: false)]
            var request = ObjectFetchRequest<Sale>(sort: sort).grouped(by: ["productLine"], computing: [.count()])
            request.propertiesToFetch = [.count()]
            try expectEqual(try context.fetchDictionaries(request).map(\.values), [[3], [3], [2]])
            request.returnsDistinctResults = true
            try expectEqual(try context.fetchDictionaries(request).map(\.values), [[3], [2]])
        }
        ConformanceCase("What is neither grouped by nor aggregated is an error", in: .queries) { environment in
            let context = try build(environment)
            func grouped(_ results: ExpressionDescription..., having condition: QueryPredicate? = nil) -> ObjectFetchRequest<Sale> {
                ObjectFetchRequest<Sale>().grouped(by: ["productLine"], computing: results, having: condition)
            }
            try expectEqual(try reason(context, grouped("sold")), .notGrouped)
            try expectEqual(try reason(context, grouped(QueryExpression.function(.add, [.keyPath("sold"), sold]).named("x"))), .notGrouped)
            try expectEqual(try reason(context, grouped("SELF")), .notGrouped)
            try expectEqual(try reason(context, grouped(.count(), having: key("returned") > 1)), .notGrouped)
            try expectEqual(try reason(context, ObjectFetchRequest<Sale>().fetching("productLine", .count())), .notGrouped)
            try expectEqual(try reason(context, grouped(.sum("productLine"))), .typeMismatch)
            try expectEqual(try reason(context, grouped(.sum("nothing"))), .unknownKey)
            try expectEqual(try reason(context, grouped(.max("shop"))), .typeMismatch)
            try expectEqual(try reason(context, grouped(.count(), .count())), .duplicateName)
            var sorted = grouped(.count())
            sorted.sort = [QuerySort("sold")]
            try expectEqual(try reason(context, sorted), .notGrouped)
            let toMany = ObjectFetchRequest<Shop>().grouped(by: ["sales"], computing: [.count()])
            try expectEqual(try expectThrows(QueryError.self) { try context.fetchDictionaries(toMany) }.reason, .illegalKeyPath)
        }
    }
}
