import CoreData
import Testing

/// Foundation's archiver ends the process on Linux for a decimal number, and for a class within another type.
@Suite("Archives of transformable values")
struct ArchivedObjectTests {
    /// A price that is archived; a class within another type.
    final class Price: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        let amount: NSDecimalNumber
        let name: String
        var parts: [Price] = []

        init(_ amount: NSDecimalNumber, _ name: String) { (self.amount, self.name) = (amount, name) }

        init?(coder: NSCoder) {
            guard let amount = coder.decodeObject(of: NSDecimalNumber.self, forKey: "amount"),
                let name = coder.decodeObject(of: NSString.self, forKey: "name")
            else { return nil }
            (self.amount, self.name) = (amount, name as String)
            parts = coder.decodeObject(of: [NSArray.self, Price.self], forKey: "parts") as? [Price] ?? []
        }

        func encode(with coder: NSCoder) {
            coder.encode(amount, forKey: "amount")
            coder.encode(name, forKey: "name")
            coder.encode(parts, forKey: "parts")
            coder.encode(true, forKey: "isNet")
        }
    }

    private final class PriceTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Price.self] }
    }

    private func archived(_ value: Any, _ transformer: ValueTransformer) -> Any? {
        transformer.transformedValue(transformer.reverseTransformedValue(value))
    }

    private var transformers: [ValueTransformer] {
        get throws {
            let keyed = NSValueTransformerName("NSKeyedUnarchiveFromData")
            return [
                try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)),
                try #require(ValueTransformer(forName: keyed)),
            ]
        }
    }

    @Test("Decimal numbers are archived, in collections too") func decimals() throws {
        let numbers = ["0", "12.34", "-1e-100", "123456789012345678901234567890.12345678", "1e127"].map { NSDecimalNumber(string: $0) }
        for transformer in try transformers {
            for number in numbers { #expect(archived(number, transformer) as? NSDecimalNumber == number) }
            #expect(archived(numbers, transformer) as? [NSDecimalNumber] == numbers)
            let values = archived(["price": [Decimal(1.5), -1, "2"] as [Any]], transformer) as? [String: [Any]]
            #expect(values?["price"]?.first as? NSDecimalNumber == NSDecimalNumber(1.5))
            #expect(values?["price"]?.last as? String == "2")
            let mixed: NSDictionary = ["price": NSDecimalNumber(string: "1.25"), "list": [NSDecimalNumber(string: "2.5"), 1, NSNull()]]
            let read = try #require(archived(mixed, transformer) as? NSDictionary)
            #expect(read["price"] as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
            #expect(read["price"] as? Bool == nil)
            #expect((read["list"] as? [Any])?.first as? NSDecimalNumber == NSDecimalNumber(string: "2.5"))
            let nan = archived(NSDecimalNumber.notANumber, transformer) as? NSDecimalNumber
            #expect(nan?.decimalValue.isNaN == true)
        }
    }

    @Test("A class within another type is archived, with its decimal numbers and objects of its class") func nestedClass() throws {
        let price = Price(NSDecimalNumber(string: "19.99"), "gross")
        price.parts = [Price(NSDecimalNumber(string: "3.19"), "tax")]
        let read = try #require(archived(["a": price], PriceTransformer()) as? [String: Price])
        #expect(read["a"]?.amount == price.amount)
        #expect(read["a"]?.parts.map(\.name) == ["tax"])
        // Its class is not allowed there.
        #expect(try transformers[0].reverseTransformedValue(price) == nil)
        #expect(try archived([price], transformers[1]) as? [Price] != nil)
    }

    @Test("Numbers, texts, dates, addresses and collections are what they were") func values() throws {
        for transformer in try transformers {
            let values: [NSObject] = [
                NSNumber(value: true), NSNumber(value: -7), NSNumber(value: 1.5), NSNumber(value: UInt64.max), NSNull(), "text" as NSString,
                NSDate(timeIntervalSinceReferenceDate: 1.25), NSData(data: Data([1, 2])), NSUUID(), NSArray(array: [1, "a", [2]]),
                NSDictionary(dictionary: ["a": 1, "b": ["c": 2]]), NSSet(array: [1, 2, "three"]),
            ]
            for value in values { #expect(archived(value, transformer) as? NSObject == value) }
            let url = try #require(URL(string: "http://example.com/a?b=c"))
            #expect(archived(url, transformer) as? URL == url)
            #expect((archived(NSNumber(value: true), transformer) as? NSNumber)?.boolValue == true)
        }
    }

    @Test("Other classes of Foundation are archived without security") func others() throws {
        let transformer = try transformers[1]
        let values: [NSObject] = [NSIndexSet(indexesIn: NSRange(location: 2, length: 3)), NSLocale(localeIdentifier: "de_DE")]
        for value in values { #expect(archived(value, transformer) as? NSObject == value) }
        #expect((archived(NSTimeZone(name: "Europe/Berlin") as Any, transformer) as? NSTimeZone)?.name == "Europe/Berlin")
    }

    /// A number of a subclass of Foundation's casts to `Bool`: 1.25 became true.
    @Test("Decimal numbers of a transformable dictionary stay what they are") func attribute() throws {
        let context = try MemoryStack.context("Article", [("prices", .transformableAttributeType)])
        let article = NSEntityDescription.insertNewObject(forEntityName: "Article", into: context)
        article.setValue(
            ["net": NSDecimalNumber(string: "1.25"), "all": [NSDecimalNumber(string: "2.5"), 1]] as NSDictionary, forKey: "prices")
        try context.save()
        context.reset()
        let read = try #require(context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Article")).first)
        let prices = try #require(read.value(forKey: "prices") as? NSDictionary)
        #expect(prices["net"] as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
        #expect((prices["all"] as? [Any])?.first as? NSDecimalNumber == NSDecimalNumber(string: "2.5"))
    }
}
