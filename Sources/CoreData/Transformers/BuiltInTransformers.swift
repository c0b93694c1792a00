/// Converts a Boolean to its opposite.
final class NegateBooleanTransformer: ValueTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: !((value as? NSNumber)?.boolValue ?? value as? Bool ?? false)) }
}

/// Converts a value to whether it is nil, or not nil.
final class NilTestTransformer: ValueTransformer, @unchecked Sendable {
    private let isNil: Bool

    init(isNil: Bool) { self.isNil = isNil }

    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: (value == nil) == isNil) }
}

/// Converts an archive to the object in it, of any class.
final class KeyedUnarchiveTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
        guard let archived = data(value).flatMap({ ArchivedClasses($0) }), archived.areKnown else { return nil }
        return archived.object(nil)
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { ObjectArchiver.data(of: $0, requiringSecureCoding: false) }
    }
}

extension ValueTransformer {
    /// Returns data given as `Data` or `NSData`.
    final func data(_ value: Any?) -> Data? { (value as? Data) ?? (value as? NSData).map { Data(referencing: $0) } }
}

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
        guard let archived = data(value).flatMap({ ArchivedClasses($0) }), archived.areOnly(allowed) else { return nil }
        return archived.object(allowed)
    }

    /// Returns the archive of an object; `nil` for nil, and for one that cannot be archived and unarchived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, let data = ObjectArchiver.data(of: value, requiringSecureCoding: true),
            ArchivedClasses(data)?.areOnly(type(of: self).allowedTopLevelClasses) == true
        else { return nil }
        return data
    }
}
