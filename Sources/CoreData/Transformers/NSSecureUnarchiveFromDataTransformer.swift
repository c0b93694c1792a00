import Foundation

/// Turns an archive into the object that is in it, of classes that are allowed, and the object into an archive.
///
/// A transformable attribute uses it the other way round: its values are the objects. For those of other classes register a subclass that
/// allows them.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    /// The classes that the object in an archive, and what it consists of, may be of: those of property lists, `NSURL`, `NSUUID`, `NSNull`.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self, NSUUID.self,
            NSNull.self,
        ]
    }

    /// The object in an archive; `nil` for none, and for one that is damaged or of a class that is not allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
        let allowed = type(of: self).allowedTopLevelClasses
        guard let data = data(value), ArchivedClasses(data)?.areOnly(allowed) == true else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
    }

    /// The archive of an object; `nil` for none, and for one that cannot be archived, or that would not be let out again.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, let data = try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true),
            ArchivedClasses(data)?.areOnly(type(of: self).allowedTopLevelClasses) == true
        else { return nil }
        return data
    }
}
