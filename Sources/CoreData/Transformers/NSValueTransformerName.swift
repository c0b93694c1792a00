/// The name that a ``ValueTransformer`` is registered under.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Converts a Boolean to its opposite.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Converts a value to whether it is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Converts a value to whether it is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Converts an archive to the object in it, of any class.
    @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// Converts an archive to the object in it, of any class.
    @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// Converts an archive to the object in it, of a property list's classes; see
    /// ``NSSecureUnarchiveFromDataTransformer``.
    ///
    /// The default of transformable attributes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
