import Foundation

/// Converts an archive to the object in it, of an allowed class, and the object to an archive.
///
/// A transformable attribute uses it in reverse: its values are the objects. For other classes register a subclass.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    /// The allowed classes of the object in an archive and its parts: property lists', `NSURL`, `NSUUID`, `NSNull`.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self, NSUUID.self,
            NSNull.self,
        ]
    }

    /// Returns the object in an archive; `nil` for none, and for one that is damaged or of a class that is not allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
        let allowed = type(of: self).allowedTopLevelClasses
        guard let data = data(value), ArchivedClasses(data)?.areOnly(allowed) == true else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
    }

    /// Returns the archive of an object; `nil` for nil, and for one that cannot be archived and unarchived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, let data = try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true),
            ArchivedClasses(data)?.areOnly(type(of: self).allowedTopLevelClasses) == true
        else { return nil }
        return data
    }
}
