import FoundationEssentials
import Strata

/// What an explanation of a fetch says, and that indexes serve where they can.
enum ExplainCases {
    private static let count = 1200

    /// Items of which 12 share each value of `i32`, and 100 each of `text`.
    private static func fill(_ context: ManagedObjectContext) throws {
        for index in 0..<count {
            let item = Item(context: context)
            item[Item.number] = Int64(index)
            item[Item.i32] = Int32(index % 100)
            item[Item.double] = Double(index)
            item[Item.text] = "text \(index % 12)"
        }
        try context.save()
    }

    private static func context(_ environment: ConformanceEnvironment, _ model: ModelResult) throws -> ManagedObjectContext {
        let stack = try environment.stack(model)
        try fill(stack.context())
        return stack.context()
    }

    private static func names(_ explanation: QueryExplanation) -> [String] {
        explanation.stores.flatMap(\.plan.access).compactMap { if case .index(let name) = $0 { name } else { nil } }
    }

    private static func isScan(_ explanation: QueryExplanation) -> Bool {
        explanation.warnings.contains { if case .fullScan = $0 { true } else { false } }
    }

    /// Whether an index of the model serves; a store may put the entity's name before its own.
    private static func uses(_ explanation: QueryExplanation, _ index: String) -> Bool {
        names(explanation).contains { $0.hasSuffix(index) }
    }

    /// Checks that an index serves a condition, and that only the rows of the result are read.
    private static func expectIndex(
        _ context: ManagedObjectContext, _ predicate: QueryPredicate, _ name: String, rows: Int, line: Int = #line
    ) throws {
        let request = ObjectFetchRequest<Item>(predicate)
        let explanation = try context.explain(request)
        try expect(uses(explanation, name), "\(predicate): \(explanation)", line: line)
        try expectEqual(explanation.rowsRead, rows, "\(predicate): \(explanation)", line: line)
        try expect(!isScan(explanation), "\(predicate): \(explanation)", line: line)
        try expect(explanation.description.contains(name), "\(explanation)", line: line)
        try expectEqual(try context.fetch(request).count, rows, "\(predicate)", line: line)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("An index serves equality, ranges, lists and prefixes, and the explanation names it", in: .queries) { environment in
            let context = try context(environment, Models.indexedItems)
            try expectIndex(context, Item.i32 == 7, "by_i32", rows: 12)
            try expectIndex(context, Item.i32.isIn([1, 2, 5000]), "by_i32", rows: 24)
            try expectIndex(context, Item.i32 > 97 && Item.i32 <= 200, "by_i32", rows: 24)
            try expectIndex(context, Item.double.between(10...19.5), "by_double", rows: 10)
        }
        ConformanceCase("Without an index every row is read, and the explanation warns of it", in: .queries) { environment in
            let context = try context(environment, Models.items)
            let explanation = try context.explain(ObjectFetchRequest<Item>(Item.i32 == 7))
            try expect(isScan(explanation), "\(explanation)")
            try expectEqual(explanation.rowsRead, count, "\(explanation)")
            try expect(explanation.description.contains("full scan"), "\(explanation)")
            let all = try context.explain(ObjectFetchRequest<Item>())
            try expect(all.warnings.isEmpty, "whoever asks for all gets all: \(all)")
        }
        ConformanceCase("An index that one of two conditions has is used, and the other one tested", in: .queries) { environment in
            let context = try context(environment, Models.indexedItems)
            let request = ObjectFetchRequest<Item>(Item.i32 == 7 && Item.number > 600)
            let explanation = try context.explain(request)
            try expect(uses(explanation, "by_i32"), "\(explanation)")
            try expect(explanation.rowsRead <= 12, "\(explanation)")
            try expectEqual(try context.fetch(request).count, 6)
            try expectEqual(explanation.stores.map(\.plan.tested), [["number > 600"]], "\(explanation)")
            let several = Item.number != 5 && Item.i32 > 97 && Item.text.contains("3") && Item.i32 <= 98
            let ranges = try context.explain(ObjectFetchRequest<Item>(several))
            try expectEqual(ranges.stores.map(\.plan.tested), [["number != 5", #"text CONTAINS "3""#]], "\(ranges)")
            let one = try context.explain(ObjectFetchRequest<Item>(Item.i32 == 7))
            try expectEqual(one.stores.map(\.plan.tested), [[]], "\(one)")
        }
        ConformanceCase("The explanation tells of changes that are not saved, and names every store", in: .queries) { environment in
            let context = try context(environment, Models.indexedItems)
            let item = Item(context: context)
            item[Item.i32] = 7
            let explanation = try context.explain(ObjectFetchRequest<Item>(Item.i32 == 7))
            try expect(explanation.warnings.contains(.pendingChanges(objects: 1)), "\(explanation)")
            try expectEqual(explanation.stores.count, 1)
            let store = try unwrap(explanation.stores.first)
            try expect(explanation.description.contains(store.id.rawValue), "\(explanation)")
            var saved = ObjectFetchRequest<Item>(Item.i32 == 7)
            saved.includesPendingChanges = false
            try expect(try context.explain(saved).warnings.isEmpty, "saved objects only")
        }
    }
}
