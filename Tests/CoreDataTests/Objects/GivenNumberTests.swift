import CoreData
import Testing

/// `setValue(_:forKey:)` ended the program for a number that was out of its attribute's range, no number, or a `CGFloat`: Apple's takes any
/// number.
@Suite("Numbers by key")
struct GivenNumberTests {
    private static let types: [(String, NSAttributeType)] = [
        ("i16", .integer16AttributeType), ("i32", .integer32AttributeType), ("i64", .integer64AttributeType),
        ("d", .doubleAttributeType), ("f", .floatAttributeType), ("dec", .decimalAttributeType), ("b", .booleanAttributeType),
    ]
    private let context: NSManagedObjectContext
    private let object: NSManagedObject

    init() throws {
        let context = try MemoryStack.context("Thing", GivenNumberTests.types)
        self.context = context
        object = context.performAndWait { NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context) }
    }

    private func kept(_ value: Any?, _ key: String) -> Any? {
        context.performAndWait {
            object.setValue(value, forKey: key)
            return object.value(forKey: key)
        }
    }

    /// The error of a save.
    private func failure() -> NSError? {
        context.performAndWait {
            do {
                try context.save()
                return nil
            } catch { return error as NSError }
        }
    }

    @Test("Every attribute of numbers takes numbers of every kind", arguments: ["i16", "i32", "i64", "d", "f", "dec"])
    func kinds(key: String) {
        let numbers: [Any] = [
            2, Int8(2), Int16(2), Int32(2), Int64(2), UInt(2), UInt8(2), UInt16(2), UInt32(2), UInt64(2), 2.0, Float(2), CGFloat(2),
            Decimal(2), NSNumber(value: 2), NSNumber(value: 2.0), NSDecimalNumber(value: 2), Optional(2) as Any,
        ]
        for number in numbers { #expect(kept(number, key) as? Int == 2, "\(type(of: number))") }
        #expect(kept(true, key) as? Int == 1)
        #expect(kept(NSNull(), key) == nil)
    }

    @Test("A truth value is any number but zero") func truth() {
        for number in [1, 5, CGFloat(0.5), Decimal(1), UInt8(1), true, NSNumber(value: 3)] as [Any] {
            #expect(kept(number, "b") as? Bool == true, "\(type(of: number))")
        }
        #expect(kept(0.0, "b") as? Bool == false)
    }

    @Test(
        "An integer that is out of range is kept, and fails the save",
        arguments: [
            ("i16", 40_000, NSValidationNumberTooLargeError), ("i16", -40_000, NSValidationNumberTooSmallError),
            ("i32", 1 << 40, NSValidationNumberTooLargeError),
        ])
    func ranges(key: String, number: Int, code: Int) {
        #expect(kept(number, key) as? Int == number)
        let error = failure()
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == code)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
        #expect(error?.userInfo[NSValidationValueErrorKey] as? Int == number)
        #expect(kept(7, key) as? Int == 7)
        #expect(failure() == nil)
    }

    @Test("A primitive value that is out of range is kept, too") func primitive() {
        context.performAndWait {
            object.setPrimitiveValue(50_000, forKey: "i16")
            #expect(object.value(forKey: "i16") as? Int == 50_000)
        }
        #expect(failure()?.code == NSValidationNumberTooLargeError)
    }

    @Test("What no integer is becomes the nearest one, and its fraction is cut off") func integers() throws {
        #expect(kept(Double.nan, "i32") as? Int == 0)
        #expect(kept(1e30, "i64") as? Int64 == .max)
        #expect(kept(-1e30, "i64") as? Int64 == .min)
        #expect(kept(2.9, "i16") as? Int == 2)
        #expect(kept(-2.9, "i16") as? Int == -2)
        #expect(kept(UInt64.max, "i64") as? Int == -1)
        let exact = try #require(Decimal(string: "9007199254740993.7"))
        #expect(kept(exact, "i64") as? Int64 == 9_007_199_254_740_993)
        #expect(kept(Decimal.nan, "i64") as? Int == 0)
        #expect(failure() == nil)
    }

    @Test("Fractions are kept as far as the attribute goes") func fractions() {
        #expect(kept(CGFloat(2.5), "d") as? Double == 2.5)
        #expect(kept(UInt64.max, "d") as? Double == Double(UInt64.max))
        #expect(kept(1e300, "f") as? Float == .infinity)
        #expect((kept(Double.nan, "d") as? Double)?.isNaN == true)
        #expect(kept(0.1, "dec") as? Decimal == Decimal(string: "0.1"))
        #expect((kept(Double.nan, "dec") as? Decimal)?.isNaN == true)
        #expect(failure() == nil)
    }
}
