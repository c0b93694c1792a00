import FoundationEssentials
import Strata

/// The properties that a stale save names, with their values on all sides.
enum StalePropertyCases {
    private static let count = 25

    /// Sets every attribute to a value that the seed decides.
    private static func set(_ item: Item, _ seed: Int) throws {
        item[Item.i16] = Int16(seed)
        item[Item.i32] = Int32(seed)
        item[Item.i64] = Int64(seed)
        item[Item.decimal] = Decimal(seed) / 8
        item[Item.double] = Double(seed) / 3
        item[Item.float] = Float(seed) / 4
        item[Item.text] = String(repeating: "text \(seed) ", count: 2000)
        item[Item.flag] = seed % 2 == 1
        item[Item.date] = Date(timeIntervalSinceReferenceDate: Double(seed))
        item[Item.data] = Data(repeating: UInt8(seed), count: 100_000)
        item[Item.uuid] = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(seed)))
        item[Item.url] = URL(string: "https://strata.example/\(seed)")
        item[Item.blob] = Data(repeating: UInt8(seed), count: ExternalValueCases.threshold * 4)
        try item.setValue((0..<300).map { "tag \($0 * seed)" }, forKey: "tags")
    }

    private static func values(_ item: Item) -> [String: Value] {
        let snapshot = item.snapshot()
        return Dictionary(
            uniqueKeysWithValues: item.entity.attributes.filter { !$0.isTransient }.map {
                ($0.name, snapshot.value(forKey: $0.name) ?? .null)
            })
    }

    private static func items(_ context: ManagedObjectContext) throws -> [Item] {
        try context.fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A stale save names the properties of every object, with values of all types on three sides", in: .conflicts) {
            environment in
            let stack = try environment.stack(Models.items) { $0.options.externalStorageThreshold = ExternalValueCases.threshold }
            let filling = stack.context()
            for number in 0..<count {
                let item = Item(context: filling)
                item[Item.number] = Int64(number)
                try set(item, 10)
            }
            try filling.save()
            let (own, other) = (stack.context(), stack.context())
            let (owned, others) = (try items(own), try items(other))
            let cached = owned.map(values)
            for item in owned { try set(item, 21) }
            for item in others { try set(item, 32) }
            try other.save()
            let conflicts = try expectConflict(own)
            try expectEqual(conflicts.count, count)
            for (index, item) in owned.enumerated() {
                let conflict = try unwrap(conflicts.first { $0.objectID == item.objectID }, "of \(item.objectID)")
                let stale = conflict.staleProperties
                // The number is as it was; that of the flag is the same in the store.
                try expectEqual(stale.map(\.name), cached[index].keys.filter { $0 != "number" }.sorted())
                for property in stale {
                    try expectEqual(property.contextValue, values(item)[property.name] ?? .null, property.name)
                    try expectEqual(property.cachedValue, cached[index][property.name] ?? .null, property.name)
                    try expectEqual(property.storeValue, values(others[index])[property.name] ?? .null, property.name)
                    try expect(property.isChangedInContext, "\(property.name) was changed in the context")
                    try expectEqual(property.isChangedInStore, property.name != "flag", property.name)
                    try expect("\(property)".count < 800, "the text of \(property.name) has \("\(property)".count) characters")
                }
            }
            let error = SaveConflictError(conflicts: conflicts)
            try expect("\(error)".count < 40_000, "the error has \("\(error)".count) characters")
        }
        ConformanceCase("A stale save over a to-many relationship alone names no property of the owner", in: .conflicts) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (first, second) = (Company(context: context), Company(context: context))
            let ada = Person("Ada", context, company: first)
            (first.name, second.name) = ("first", "second")
            try context.save()
            let other = stack.context()
            let theirs = try other.named("Ada", Person.self)
            theirs.company = nil
            try other.save()
            ada.company = second
            let conflict = try unwrap(expectConflict(context).first { $0.objectID == ada.objectID })
            try expectEqual(conflict.staleProperties.map(\.name), ["company"])
            let stale = try unwrap(conflict.staleProperties.first)
            try expectEqual(
                [stale.contextValue, stale.cachedValue, stale.storeValue], [.objectID(second.objectID), .objectID(first.objectID), .null])
        }
    }
}
