import Strata

/// An object as most are: a few attributes of several types, and an owner.
final class CountedItem: ManagedObject {
    static let id = Key<Int64>("id")
    static let time = Key<Double>("time")
    static let title = Key<String>("title")
    static let detail = Key<String>("detail")
    static let address = Key<String>("address")
    static let rank = Key<Int64>("rank")
    static let bucket = Key<Int64>("bucket")
    static let owner = ToOne<CountedOwner>("owner")

    func fill(_ number: Int64) {
        self[Self.id] = number
        self[Self.time] = Double(number) / 2
        self[Self.title] = Self.text
        self[Self.detail] = Self.text
        self[Self.address] = Self.text
        self[Self.rank] = number &* 7_919 % 1_000
        self[Self.bucket] = number % 10
    }

    /// Reads each attribute.
    func touch() -> Int64 {
        let texts = (self[Self.title] ?? "").utf8.count + (self[Self.detail] ?? "").utf8.count + (self[Self.address] ?? "").utf8.count
        let numbers = (self[Self.id] ?? 0) &+ (self[Self.rank] ?? 0) &+ (self[Self.bucket] ?? 0)
        return numbers &+ Int64(texts) &+ Int64(self[Self.time] ?? 0)
    }

    /// Too long to be kept in a value itself.
    private static let text = "a text that is on the heap"
}

final class CountedOwner: ManagedObject {
    static let items = ToMany<CountedItem>("items")
}

enum CountModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Item", class: CountedItem.self) {
                Attribute("id", .integer64).required
                Attribute("time", .double).required
                Attribute("title", .string).required
                Attribute("detail", .string).required
                Attribute("address", .string).required
                Attribute("rank", .integer64).required
                Attribute("bucket", .integer64).required
                Relationship("owner", to: "Owner", inverse: "items")
                FetchIndex("byRank", on: "rank")
            }
            Entity("Owner", class: CountedOwner.self) { Relationship("items", to: "Item", inverse: "owner", .toMany) }
        }
    }
}
