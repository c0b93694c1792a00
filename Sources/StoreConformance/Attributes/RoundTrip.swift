import FoundationEssentials
import Strata

/// Saves values of one attribute and checks that they are the same in the context that saved them, in another one, and
/// after the store was opened again; then that equality, sorting and counting in the store agree with what values
/// themselves say.
struct RoundTrip<V: ValueConvertible & Sendable> {
    let key: Key<V>
    let values: [V?]
    let same: (V, V) -> Bool

    init(_ key: Key<V>, _ values: [V?], same: @escaping (V, V) -> Bool) {
        self.key = key
        self.values = values
        self.same = same
    }

    init(_ key: Key<V>, _ values: [V?]) where V: Equatable { self.init(key, values, same: ==) }

    func run(_ environment: ConformanceEnvironment, line: Int = #line) throws {
        for (model, name) in [(Models.items, "plain"), (Models.indexedItems, "indexed")] {
            let stack = try environment.stack(model, name)
            let writer = stack.context()
            Item.insert(values, of: key, into: writer)
            try writer.save()
            try check(writer, "in the context that saved them", line)
            try check(stack.context(), "in another context", line)
            let again = try stack.reopened()
            let reader = again.context()
            try check(reader, "after reopening", line)
            try checkEquality(reader, name, line)
            try checkOrder(reader, name, line)
        }
    }

    private func check(_ context: ManagedObjectContext, _ moment: String, _ line: Int) throws {
        let items = try context.fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
        try expectEqual(items.count, values.count, moment, line: line)
        for (item, value) in zip(items, values) {
            let found = item[key]
            let isSame = found.flatMap { found in value.map { same(found, $0) } } ?? (found == nil && value == nil)
            try expect(isSame, "\(brief(found)) instead of \(brief(value)) \(moment)", line: line)
        }
    }

    private func checkEquality(_ context: ManagedObjectContext, _ name: String, _ line: Int) throws {
        for value in values.prefix(12) {
            let wanted = value?.value ?? .null
            let expected = values.indices.filter { (values[$0]?.value ?? .null).equals(wanted) }
            let request = ObjectFetchRequest<Item>(key.expression == wanted, sort: [Item.number.ascending])
            let found = try context.fetch(request).map { Int($0[Item.number] ?? -1) }
            try expectEqual(found, expected, "where \(key.path) == \(brief(wanted)), \(name)", line: line)
        }
    }

    private func checkOrder(_ context: ManagedObjectContext, _ name: String, _ line: Int) throws {
        for ascending in [true, false] {
            let expected = values.indices.sorted { a, b in
                let ordering = (values[a]?.value ?? .null).sortOrder(values[b]?.value ?? .null)
                return ordering == .equal || ordering == .unordered ? a < b : ordering == (ascending ? .less : .greater)
            }
            let found = try context.fetch(ObjectFetchRequest<Item>(sort: [QuerySort(key.path, ascending: ascending)])).map {
                Int($0[Item.number] ?? -1)
            }
            try expectEqual(found, expected, "sorted by \(key.path), ascending: \(ascending), \(name)", line: line)
        }
    }
}
