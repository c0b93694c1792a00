import Foundation

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
        guard let data = data(value), ArchivedClasses(data)?.areKnown == true,
            let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
        else { return nil }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: false) }
    }
}

extension ValueTransformer {
    /// Returns data given as `Data` or `NSData`.
    final func data(_ value: Any?) -> Data? { (value as? Data) ?? (value as? NSData).map { Data(referencing: $0) } }
}
