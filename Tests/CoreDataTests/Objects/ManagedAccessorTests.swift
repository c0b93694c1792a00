import CoreData
import Testing

/// What the functions get and set that the accessors of `@NSManaged` properties call.
struct ManagedAccessorTests {
    private static let keys = ManagedKeys("value")

    private func object(_ type: NSAttributeType) throws -> (object: NSManagedObject, context: NSManagedObjectContext) {
        let context = try MemoryStack.context("Thing", [("value", type)])
        return (context.performAndWait { NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context) }, context)
    }

    private var key: ManagedKey { ManagedAccessorTests.keys[0] }

    /// The scalar of a date attribute, which Xcode declares as `TimeInterval`, ended the program: the types do not fit.
    @Test("A date is read and set as the seconds since its reference date") func dates() throws {
        let (object, context) = try object(.dateAttributeType)
        context.performAndWait {
            #expect(_managedValue(key, of: object) as TimeInterval == 0)
            _setManagedValue(7 as TimeInterval, key, of: object)
            #expect(object.value(forKey: "value") as? Date == Date(timeIntervalSinceReferenceDate: 7))
            #expect(_managedValue(key, of: object) as TimeInterval == 7)
            #expect(_managedNSDate(key, of: object) == NSDate(timeIntervalSinceReferenceDate: 7))
        }
    }

    /// A property of a narrower type than its attribute ended the program; Core Data converts numbers.
    @Test("Numbers of other types than the attribute's are converted") func numbers() throws {
        let (object, context) = try object(.integer64AttributeType)
        context.performAndWait {
            #expect(_managedValue(key, of: object) as Int16 == 0)
            _setManagedValue(5 as Int16, key, of: object)
            #expect(_managedValue(key, of: object) as Int16 == 5)
            #expect(_managedValue(key, of: object) as Double == 5)
            #expect(_managedValue(key, of: object) as Bool)
            #expect(_managedAny(key, of: object) as UInt8 == 5)
            #expect(_managedAny(key, of: object) as CGFloat == 5)
            #expect(_managedNSNumber(key, of: object) == 5)
            #expect(_managedNSDecimalNumber(key, of: object) == 5)
        }
    }

    @Test("Values are read as any type that they can be cast to, and collections without a value are empty") func others() throws {
        let (object, context) = try object(.transformableAttributeType)
        context.performAndWait {
            #expect(_managedOptionalAny(key, of: object) as NSObject? == nil)
            #expect(_managedAny(key, of: object) as [String] == [])
            #expect(_managedAny(key, of: object) as [String: Int] == [:])
            _setManagedOptionalAny(["a", "b"], key, of: object)
            #expect(_managedAny(key, of: object) as [String] == ["a", "b"])
            #expect(_managedOptionalAny(key, of: object) as NSArray? == ["a", "b"])
            #expect(_managedOptionalAny(key, of: object) as NSMutableArray? == ["a", "b"])
            #expect((_managedOptionalAny(key, of: object) as (any NSCoding)?) is NSArray)
            #expect((_managedOptionalAny(key, of: object) as AnyObject?) is NSArray)
            _setManagedOptionalAny(nil as NSObject?, key, of: object)
            #expect(_managedOptionalAny(key, of: object) as Any? == nil)
        }
    }
}
