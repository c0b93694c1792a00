import FoundationEssentials
import Strata

/// Fills stores with items for queries, and asks for their numbers.
struct QueryData {
    let stacks: [ConformanceStack]
    let contexts: [ManagedObjectContext]

    /// The same items in two stores, one with an index over each attribute.
    init(_ environment: ConformanceEnvironment, _ fill: (ManagedObjectContext) throws -> Void) throws {
        let stacks = try [(Models.items, "plain"), (Models.indexedItems, "indexed")].map { model, name in
            let stack = try environment.stack(model, name)
            let context = stack.context()
            try fill(context)
            try context.save()
            return stack
        }
        self.stacks = stacks
        contexts = stacks.map { $0.context() }
    }

    /// Checks the numbers of the items that meet a condition: fetched, counted and as IDs, with an index and without.
    func expect(_ predicate: QueryPredicate?, _ numbers: [Int], line: Int = #line) throws {
        for (context, index) in zip(contexts, ["without index", "with index"]) {
            let request = ObjectFetchRequest<Item>(predicate, sort: [Item.number.ascending])
            let items = try context.fetch(request)
            // Printed where a check fails alone: a predicate may be long.
            func query() -> String { "\(predicate.map { brief($0.description) } ?? "all"), \(index)" }
            try expectEqual(items.map { Int($0[Item.number] ?? -1) }, numbers, query(), line: line)
            try expectEqual(try context.count(for: request), numbers.count, "counted where \(query())", line: line)
            try expectEqual(try context.fetchObjectIDs(request), items.map(\.objectID), "IDs where \(query())", line: line)
        }
    }

    /// Checks the numbers of all items in an order, and backwards.
    func expectOrder(_ sort: [QuerySort], _ numbers: [Int], line: Int = #line) throws {
        for (context, index) in zip(contexts, ["without index", "with index"]) {
            let found = try context.fetch(ObjectFetchRequest<Item>(sort: sort)).map { Int($0[Item.number] ?? -1) }
            try expectEqual(found, numbers, "\(sort.map { "\($0.keyPath) \($0.ascending)" }), \(index)", line: line)
        }
    }

    /// Items with one value each.
    static func of<V: ValueConvertible>(_ environment: ConformanceEnvironment, _ key: Key<V>, _ values: [V?]) throws -> QueryData {
        try QueryData(environment) { Item.insert(values, of: key, into: $0) }
    }
}
