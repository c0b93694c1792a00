/// The name that a ``ValueTransformer`` is registered under.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// A name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Turns a Boolean into its opposite.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Says whether there is no value.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Says whether there is a value.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Turns an archive into the object that is in it, of whichever class.
    @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// Turns an archive into the object that is in it, of whichever class.
    @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// Turns an archive into the object that is in it, of a property list's classes; see ``NSSecureUnarchiveFromDataTransformer``.
    ///
    /// Transformable attributes that name no other use it.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
