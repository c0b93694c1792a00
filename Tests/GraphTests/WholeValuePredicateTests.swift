import FoundationEssentials
import Strata
import StrataInMemory
import Testing

/// A place, as an element whose name is that of what a key once had as a member.
private struct Place: CompositeValue, Equatable {
    var city: String?
    var zip: String?
    static let elements: [CompositeElement<Self>] = [.init("city", \.city), .init("zip", \.zip)]
}

/// A place that is `Codable`, too.
private struct Origin: CompositeValue, Codable, Equatable {
    var city: String?
    static let elements: [CompositeElement<Self>] = [.init("city", \.city)]
}

private struct Total: CompositeValue, Equatable {
    var amount = 0.0
    var place = Place()
    var origin: Origin?
    static let elements: [CompositeElement<Self>] = [
        .init("amount", \.amount), .init("place", \.place), .init("origin", \.origin),
    ]
}

private enum Level: Int, Codable { case low, high }

private final class Bill: ManagedObject {
    static let number = Key<Int>("number")
    static let total = Key<Total>("total")
    static let tags = Key<[String]>("tags")
    static let level = Key<Level>("level")
    var total: Total? {
        get { self[Self.total] }
        set { self[Self.total] = newValue }
    }
    var sum: Total {
        get { self[required: Self.total] }
        set { self[required: Self.total] = newValue }
    }
    var tags: [String] {
        get { self[required: Self.tags, else: []] }
        set { self[required: Self.tags, else: []] = newValue }
    }
    var number: Int? {
        get { self[Self.number] }
        set { self[Self.number] = newValue }
    }
}

/// The compiler proves most of this: whole composite values and arrays did not compare by typed keys.
@Suite("Conditions on composite values, arrays and cases as wholes")
struct WholeValuePredicateTests {
    private func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Bill", class: Bill.self) {
                Attribute(Bill.number, .integer64)
                Attribute(Bill.total)
                Attribute(Bill.tags)
                Attribute(Bill.level, .integer16)
            }
            Entity("Other", class: Other.self) { Attribute("number", .integer64) }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        for number in 1...3 {
            let bill = Bill(context: context)
            bill.number = number
            bill.tags = number == 1 ? ["a", "b"] : []
            bill[Bill.level] = number == 2 ? .high : .low
        }
        let bills = try context.fetch(Bill.self, sort: [Bill.number.ascending])
        bills[0].total = Total(amount: 1, place: Place(city: "Rome", zip: "1"), origin: Origin(city: "Bari"))
        bills[1].total = Total(amount: 2, place: Place(city: "Rome"))
        try context.save()
        return context
    }

    private final class Other: ManagedObject {}

    private func numbers(_ context: ManagedObjectContext, _ condition: QueryPredicate) throws -> [Int?] {
        try context.fetch(Bill.self, where: condition, sort: [Bill.number.ascending]).map(\.number)
    }

    private func numbers(_ context: ManagedObjectContext, _ condition: ObjectPredicate<Bill>) throws -> [Int?] {
        try numbers(context, condition.predicate)
    }

    @Test("An element that is a composite value is compared as a whole, by key and by key path")
    func composites() throws {
        let context = try context()
        #expect(try numbers(context, Bill.total.place == Place(city: "Rome", zip: "1")) == [1])
        #expect(try numbers(context, Bill.total.place == Place(city: "Rome")) == [2])
        #expect(try numbers(context, Bill.total.place != Place(city: "Rome")) == [1, 3])
        #expect(try numbers(context, Bill.total.origin == Origin(city: "Bari")) == [1])
        #expect(try numbers(context, Bill.total.origin == nil) == [2, 3])
        #expect(try numbers(context, Bill.total.place.city == "Rome") == [1, 2])
        #expect(try numbers(context, \.total?.place == Place(city: "Rome")) == [2])
        #expect(try numbers(context, \Bill.sum.place == Place(city: "Rome", zip: "1")) == [1])
        #expect(try numbers(context, \.sum.origin == Origin(city: "Bari")) == [1])
        #expect(try numbers(context, \.total == Total(amount: 2, place: Place(city: "Rome"))) == [2])
        #expect(try context.fetch(Bill.self, where: \.sum.place == Place(city: "Rome")).count == 1)
    }

    @Test("Arrays and cases are compared as wholes, by key and by key path")
    func arrays() throws {
        let context = try context()
        #expect(try numbers(context, Bill.tags == ["a", "b"]) == [1])
        #expect(try numbers(context, Bill.tags != ["a", "b"]) == [2, 3])
        #expect(try numbers(context, Bill.tags == []) == [2, 3])
        #expect(try numbers(context, Bill.tags == nil) == [])
        #expect(try numbers(context, Bill.tags.isIn([["a", "b"], ["c"]])) == [1])
        #expect(try numbers(context, Bill.level == .high) == [2])
        #expect(try numbers(context, Bill.level != Level.high) == [1, 3])
        #expect(try numbers(context, Bill.level.isIn([.high, .low])) == [1, 2, 3])
    }

    /// Without a class to take the result for, the compiler took ManagedObject, whose entity no fetch knows; now it asks.
    @Test("The first object that meets a condition of keys is of the class that it is taken for")
    func first() throws {
        let context = try context()
        let second: Bill? = try context.first(where: Bill.number == 2)
        #expect(second?.number == 2)
        let found = try context.first(where: \Bill.number == 3)
        #expect(found?.tags == [])
        #expect(try context.first(Bill.self, where: Bill.number == 1)?.tags == ["a", "b"])
    }
}
