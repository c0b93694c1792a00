import FoundationEssentials
import Strata
import StrataTestModels
import Testing

private final class Account: ManagedObject {
    static let price = Key<Double>("price")
    static let page = Key<String>("page")
    static let count = Key<Int>("count")
    static let flag = Key<Int>("flag")
    static let bank = ToOne<Account>("bank")
    static let banks = ToMany<Account>("banks")
}

private final class Bank: ManagedObject {}

/// A key whose Swift type did not fit wrote values that it read as nil.
@Suite("Keys and the properties that they are of", .timeLimit(.minutes(60)))
struct KeyFitTests {
    private static func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Account", class: Account.self) {
                Attributes(["price": .decimal, "page": .uri, "count": .double, "flag": .boolean])
                Relationships(["bank": .toOne("Bank"), "banks": .toMany("Bank")])
            }
            Entity("Bank", class: Bank.self)
        }
        let coordinator = try PersistentStoreCoordinator(inMemory: model)
        return ManagedObjectContext(coordinator)
    }

    @Test("A model refuses an attribute or a relationship that its key does not fit, and says which key, which property, and why")
    func refused() throws {
        func expectRefused(_ property: String, _ words: [String], _ element: @escaping @Sendable () -> any EntityElement) {
            let error = #expect(throws: ModelError.self) {
                try ManagedObjectModel {
                    Entity("Account", class: Account.self) { element() }
                    Entity("Bank", class: Bank.self)
                }
            }
            #expect(error?.reason == .wrongType)
            #expect(error?.entity == "Account")
            #expect(error?.property == property)
            #expect(words.allSatisfy { error?.message.contains($0) == true }, "\(String(describing: error))")
        }
        expectRefused("price", ["a Key<Double> does not fit an attribute that is decimal"]) { Attribute(Account.price, .decimal) }
        expectRefused("page", ["Key<String>", "uri"]) { Attribute(Account.page, .uri) }
        expectRefused("count", ["Key<Int>", "double"]) { Attribute(Account.count, .double) }
        expectRefused("flag", ["Key<Int>", "boolean"]) { Attribute(Account.flag, .boolean) }
        expectRefused("bank", ["Account", ", the class of Bank"]) { Relationship(Account.bank, to: "Bank") }
        expectRefused("banks", ["Account", "Bank"]) { Relationship(Account.banks, to: "Bank") }
        let model = try ManagedObjectModel {
            Entity("Account", class: Account.self) {
                Attribute(Account.price, .double, default: 1)
                Relationship(Account.banks, to: "Account")
            }
        }
        #expect(model.entity(named: "Account")?.relationship(named: "banks")?.isToMany == true)
    }

    @Test("Used all the same, such a key ends the process and says why")
    func exits() async throws {
        func text(_ result: ExitTest.Result?) -> String { result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? "" }
        let double = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let account = Account(context: try KeyFitTests.context())
            account[Account.price] = 1
        }
        #expect(text(double).contains("Key<Double>(\"price\") does not fit Account.price, which is decimal"))
        let string = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Account(context: try KeyFitTests.context())[Account.page]
        }
        #expect(text(string).contains("Key<String>(\"page\") does not fit Account.page, which is uri"))
        let object = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try KeyFitTests.context()
            withExtendedLifetime(context) { _ = Account(context: context)[Account.bank] }
        }
        #expect(text(object).contains("a key of Account does not fit Account.bank, whose destinations of Bank are Bank"))
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Account(context: try KeyFitTests.context())[Key<Int>("nothing")]
        }
        #expect(text(unknown).contains("Account has no attribute nothing"))
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (a, b) = (try Zoo.context(), try Zoo.context())
            a.person("A")[Person.spouse] = b.person("B")
        }
        #expect(text(foreign).contains("objects of different contexts cannot be related"))
    }

    @Test("What a key writes it reads: every type of value on every type of attribute that it fits")
    func symmetry() throws {
        func check<V: ValueConvertible & Equatable>(_ values: [V]) {
            for type in AttributeType.allCases where type != .undefined && type != .composite && V.fits(type) {
                for value in values {
                    guard let kept = type.coerce(value.value) else { continue }
                    #expect(V(value: kept) == value || type == .float, "\(V.self) on \(type)")
                    #expect(V(value: kept) != nil, "\(V.self) on \(type)")
                }
            }
        }
        check([0, -1, 300, Int.max])
        check([Int16.min, 0, .max])
        check([Int32.min, 0, .max])
        check([0.5, -1e300, 3])
        check([Float(0.5)])
        check([true, false])
        check(["", "a"])
        check([Decimal(1)])
        check([UUID()])
        check([Date(timeIntervalSinceReferenceDate: 1)])
        check([Data([1])])
        check([Grade.low, .high])
        check([Rank.junior])
        // A wider number read as nil.
        let integers: [any ValueConvertible.Type] = [Int16.self, Int32.self, Int64.self, Int.self]
        for (type, count) in [(AttributeType.integer16, 4), (.integer32, 3), (.integer64, 2)] {
            #expect(integers.filter { $0.fits(type) }.count == count)
        }
        for (type, fitting) in [(AttributeType.decimal, "Decimal"), (.boolean, "Bool"), (.uri, "URL"), (.uuid, "UUID"), (.date, "Date")] {
            let types: [any ValueConvertible.Type] = [
                Int.self, Double.self, Float.self, Decimal.self, Bool.self, String.self, URL.self, UUID.self, Date.self, Data.self,
                Rank.self,
                Grade.self,
            ]
            #expect(types.filter { $0.fits(type) }.map { "\($0)" } == [fitting])
        }
    }
}
