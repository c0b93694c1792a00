import FoundationEssentials
import Strata
import StrataEvaluation
import StrataModel
import StrataStore

/// Laws that hold for every predicate and order, tried on random ones.
enum LawCases {
    private static func fill(_ context: ManagedObjectContext, seed: UInt64, count: Int = 120) throws {
        var generator = SeededGenerator(seed: seed)
        for index in 0..<count {
            let item = Item(context: context)
            item[Item.number] = Int64(index)
            if !generator.chance(20) { item[Item.i32] = Int32(generator.below(10)) - 3 }
            if !generator.chance(20) { item[Item.double] = [0, -0.0, 1.5, -2, .infinity, .nan, 3][generator.below(7)] }
            if !generator.chance(20) { item[Item.text] = ["", "a", "A", "ab", "ä", "b%", "a_b", "zz"][generator.below(8)] }
            if !generator.chance(20) { item[Item.flag] = generator.chance(50) }
            if !generator.chance(20) { item[Item.date] = Date(timeIntervalSinceReferenceDate: Double(generator.below(5)) * 86_400) }
            if !generator.chance(20) { item[Item.decimal] = Decimal(generator.below(6)) / 4 }
        }
    }

    private static func constant(_ path: String, _ generator: inout SeededGenerator) -> Value {
        if generator.chance(12) { return .null }
        switch path {
        case "i32": return generator.chance(80) ? .int(Int64(generator.below(10)) - 3) : .double(Double(generator.below(20)) / 2 - 3)
        case "double": return generator.chance(90) ? .double([0, 1.5, -2, 3, 2.5][generator.below(5)]) : .double(.nan)
        case "decimal": return .decimal(Decimal(generator.below(8)) / 4)
        case "text": return .string(["", "a", "A", "ab", "ä", "b%", "a", "z"][generator.below(8)])
        case "flag": return .bool(generator.chance(50))
        default: return .date(Date(timeIntervalSinceReferenceDate: Double(generator.below(5)) * 86_400))
        }
    }

    /// A random predicate over items.
    static func predicate(_ generator: inout SeededGenerator, depth: Int) -> QueryPredicate {
        if depth > 0 && generator.chance(60) {
            let parts = (0..<(1 + generator.below(3))).map { _ in predicate(&generator, depth: depth - 1) }
            switch generator.below(3) {
            case 0: return .and(parts)
            case 1: return .or(parts)
            default: return .not(parts[0])
            }
        }
        let path = ["i32", "double", "text", "flag", "date", "decimal"][generator.below(6)]
        let operators: [QueryComparison.Operator] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between]
        let textual: [QueryComparison.Operator] = [.contains, .beginsWith, .endsWith, .like]
        if path == "text" && generator.chance(50) {
            let options = QueryComparison.Options(rawValue: generator.below(4))
            return .comparison(
                .init(
                    key(path),
                    textual[generator.below(4)],
                    .constant(["a", "A", "b%", "_", "*a", "?b", ""][generator.below(7)]),
                    options
                )
            )
        }
        let chosen = operators[generator.below(operators.count)]
        switch chosen {
        case .isIn: return key(path).isIn((0..<generator.below(4)).map { _ in constant(path, &generator) })
        case .between: return key(path).between(constant(path, &generator), constant(path, &generator))
        default: return .comparison(.init(key(path), chosen, .constant(constant(path, &generator))))
        }
    }

    private static func numbers(_ context: ManagedObjectContext, _ request: ObjectFetchRequest<Item>) throws -> [Int64] {
        try context.fetch(request).map { $0[Item.number] ?? -1 }
    }

    /// Runs a law over random predicates, with an index over each attribute and without.
    private static func law(
        _ name: String,
        seed: UInt64,
        rounds: Int = 120,
        _ body: @escaping @Sendable (ManagedObjectContext, QueryPredicate, inout SeededGenerator) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, in: .queries) { environment in
            let data = try QueryData(environment) { try fill($0, seed: seed) }
            for context in data.contexts {
                var generator = SeededGenerator(seed: seed &+ 1)
                for _ in 0..<rounds {
                    let predicate = predicate(&generator, depth: 3)
                    do { try body(context, predicate, &generator) } catch let failure as ConformanceFailure {
                        throw ConformanceFailure(
                            "\(failure.message), where \(predicate)",
                            fileID: failure.fileID,
                            filePath: failure.filePath,
                            line: failure.line
                        )
                    }
                }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        law("What meets a predicate and what meets its negation are everything, once each", seed: 1) { context, predicate, _ in
            let (yes, no) = (try numbers(context, ObjectFetchRequest(predicate)), try numbers(context, ObjectFetchRequest(!predicate)))
            try expectEqual((yes + no).sorted(), Array(0..<120))
        }
        law("The count is the number of objects fetched", seed: 2) { context, predicate, _ in
            let fetched = try numbers(context, ObjectFetchRequest(predicate))
            try expectEqual(try context.count(for: ObjectFetchRequest<Item>(predicate)), fetched.count)
            try expectEqual(
                try context.fetchDictionaries(ObjectFetchRequest<Item>(predicate).grouped(computing: [.count()]))[0]["count"],
                .int(Int64(fetched.count)))
        }
        law("The store answers as the predicate evaluated over objects does", seed: 3) { context, predicate, _ in
            let entity = try context.entity(named: "Item")
            let test = RowPredicate(try predicate.resolved(for: entity, in: context.model))
            let stored = try numbers(context, ObjectFetchRequest(predicate))
            // Rows come from the store without a condition, and the test has them alone.
            guard case .rows(let all) = try context.coordinator.fetch(FetchPlan(entity), affectedStores: nil) else {
                throw ConformanceFailure("no rows")
            }
            let slot = try unwrap(entity.attribute(named: "number")?.slot)
            let expected = try all.rows.filter { try test.passes($0, NoRows()) }.compactMap { $0.integer(slot) }
            try expectEqual(stored, expected)
        }
        law("An order is a permutation that holds between neighbours, ties by reference", seed: 4, rounds: 60) {
            context,
            predicate,
            generator in
            let paths = ["i32", "double", "text", "flag", "date", "decimal"].shuffled(using: &generator).prefix(2)
            let sort = paths.map { QuerySort($0, ascending: generator.chance(50)) }
            let sorted = try numbers(context, ObjectFetchRequest(predicate, sort: sort))
            try expectEqual(sorted.sorted(), try numbers(context, ObjectFetchRequest(predicate)), "sorted by \(sort)")
            let entity = try context.entity(named: "Item")
            let order = RowOrder(try sort.map { try ResolvedSort($0, of: entity, in: context.model) })
            var plan = FetchPlan(entity)
            plan.predicate = try predicate.resolved(for: entity, in: context.model)
            guard case .rows(var answer) = try context.coordinator.fetch(plan, affectedStores: nil) else {
                throw ConformanceFailure("no rows")
            }
            try order.sort(&answer.rows, NoRows())
            let slot = try unwrap(entity.attribute(named: "number")?.slot)
            try expectEqual(sorted, answer.rows.compactMap { $0.integer(slot) }, "sorted by \(sort)")
        }
        law("Limit and offset are a slice of the whole", seed: 5) { context, predicate, generator in
            let sort = generator.chance(50) ? [QuerySort("text"), QuerySort("i32", ascending: false)] : []
            let whole = try numbers(context, ObjectFetchRequest(predicate, sort: sort))
            let (offset, limit) = (generator.below(60), generator.below(60))
            let slice = try numbers(context, ObjectFetchRequest(predicate, sort: sort, limit: limit, offset: offset))
            try expectEqual(slice, Array(whole.dropFirst(offset).prefix(limit)))
            let request = ObjectFetchRequest<Item>(predicate, sort: sort, limit: limit, offset: offset)
            try expectEqual(try context.count(for: request), slice.count)
        }
        law("De Morgan's laws hold", seed: 6, rounds: 60) { context, predicate, generator in
            let other = LawCases.predicate(&generator, depth: 2)
            try expectEqual(
                try numbers(context, ObjectFetchRequest(.not(.and([predicate, other])))),
                try numbers(context, ObjectFetchRequest(.or([.not(predicate), .not(other)])))
            )
            try expectEqual(
                try numbers(context, ObjectFetchRequest(.not(.or([predicate, other])))),
                try numbers(context, ObjectFetchRequest(.and([.not(predicate), .not(other)])))
            )
        }
        law("Said twice is said once", seed: 7, rounds: 60) { context, predicate, _ in
            let once = try numbers(context, ObjectFetchRequest(predicate))
            try expectEqual(try numbers(context, ObjectFetchRequest(.and([predicate, predicate]))), once)
            try expectEqual(try numbers(context, ObjectFetchRequest(.or([predicate, predicate]))), once)
            try expectEqual(try numbers(context, ObjectFetchRequest(!(!predicate))), once)
        }
        law("Groups add up to the whole", seed: 8, rounds: 40) { context, predicate, generator in
            let path = ["i32", "double", "text", "flag", "date", "decimal"][generator.below(6)]
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Item>(predicate).grouped(by: [ExpressionDescription(path)], computing: [.count(), .sum("number")]))
            let fetched = try numbers(context, ObjectFetchRequest(predicate))
            var (count, sum): (Int64, Int64) = (0, 0)
            for group in groups {
                if case .int(let part)? = group["count"] { count += part }
                if case .int(let part)? = group["sum_number"] { sum += part }
            }
            try expectEqual(count, Int64(fetched.count), "grouped by \(path)")
            try expectEqual(sum, fetched.reduce(0, +), "grouped by \(path)")
            try expectEqual(Set(groups.compactMap { $0[path] }).count, groups.count, "groups by \(path) repeat")
        }
        ConformanceCase("Unsaved changes make no difference to an answer once they are saved", in: .queries) { environment in
            let data = try QueryData(environment) { try fill($0, seed: 9) }
            for context in data.contexts {
                var generator = SeededGenerator(seed: 10)
                for item in try context.fetch(ObjectFetchRequest<Item>()) {
                    if generator.chance(15) {
                        context.delete(item)
                    } else if generator.chance(30) {
                        item[Item.i32] = Int32(generator.below(8))
                    }
                }
                for number in 200..<220 {
                    let item = Item(context: context)
                    item[Item.number] = Int64(number)
                    item[Item.text] = ["a", "ab", nil][generator.below(3)]
                }
                let requests = (0..<60).map { _ in
                    ObjectFetchRequest<Item>(
                        predicate(&generator, depth: 2),
                        sort: generator.chance(50) ? [QuerySort("text"), QuerySort("i32")] : [],
                        limit: generator.chance(50) ? generator.below(40) : nil,
                        offset: generator.below(5)
                    )
                }
                let before = try requests.map { try numbers(context, $0) }
                try context.save()
                for (request, expected) in zip(requests, before) {
                    try expectEqual(try numbers(context, request), expected, "where \(request.predicate?.description ?? "")")
                }
            }
        }
    }
}

/// Finds no rows: for predicates without paths.
private struct NoRows: RowResolver {
    var storeID: StoreID? { nil }
    func row(root: EntityIndex, reference: Int64) throws -> Row? { nil }
    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] { [] }
}
