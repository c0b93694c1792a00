import StrataModel

/// The type of an attribute's values.
public enum NSAttributeType: UInt, Sendable {
    /// No type; legal for transient attributes only.
    case undefinedAttributeType = 0
    /// A signed integer of 16 bits.
    case integer16AttributeType = 100
    /// A signed integer of 32 bits.
    case integer32AttributeType = 200
    /// A signed integer of 64 bits.
    case integer64AttributeType = 300
    /// A decimal number, `NSDecimalNumber`.
    case decimalAttributeType = 400
    /// A floating-point number of 64 bits.
    case doubleAttributeType = 500
    /// A floating-point number of 32 bits.
    case floatAttributeType = 600
    /// Text.
    case stringAttributeType = 700
    /// A truth value.
    case booleanAttributeType = 800
    /// A point in time.
    case dateAttributeType = 900
    /// Bytes.
    case binaryDataAttributeType = 1000
    /// A UUID.
    case UUIDAttributeType = 1100
    /// A value that a transformer converts to bytes and back.
    case URIAttributeType = 1200
    /// An object's ID; such attributes are not stored.
    case transformableAttributeType = 1800
    /// An object's ID; no store keeps such attributes.
    case objectIDAttributeType = 2000
    /// Several named values as one.
    case compositeAttributeType = 2100
}

extension NSAttributeDescription {
    /// The type of an attribute's values, in the spelling of later years.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The number of the type, that of ``NSAttributeType``.
        public let rawValue: UInt

        /// Creates the type with a number.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        private init(_ type: NSAttributeType) { rawValue = type.rawValue }

        /// No type; legal for transient attributes only.
        public static let undefined = AttributeType(.undefinedAttributeType)
        /// A signed integer of 16 bits.
        public static let integer16 = AttributeType(.integer16AttributeType)
        /// A signed integer of 32 bits.
        public static let integer32 = AttributeType(.integer32AttributeType)
        /// A signed integer of 64 bits.
        public static let integer64 = AttributeType(.integer64AttributeType)
        /// A decimal number, `NSDecimalNumber`.
        public static let decimal = AttributeType(.decimalAttributeType)
        /// A floating-point number of 64 bits.
        public static let double = AttributeType(.doubleAttributeType)
        /// A floating-point number of 32 bits.
        public static let float = AttributeType(.floatAttributeType)
        /// Text.
        public static let string = AttributeType(.stringAttributeType)
        /// A truth value.
        public static let boolean = AttributeType(.booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(.dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(.binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(.UUIDAttributeType)
        /// A URL.
        public static let uri = AttributeType(.URIAttributeType)
        /// A value that a transformer converts to bytes and back.
        public static let transformable = AttributeType(.transformableAttributeType)
        /// An object's ID; such attributes are not stored.
        public static let objectID = AttributeType(.objectIDAttributeType)
        /// Several named values as one.
        public static let composite = AttributeType(.compositeAttributeType)
    }
}

extension NSAttributeType {
    /// The type in Strata's terms; `nil` for an object's ID, which Strata does not have.
    var strataType: StrataModel.AttributeType? { StrataModel.AttributeType(rawValue: Int(rawValue)) }

    init(_ type: StrataModel.AttributeType) { self = NSAttributeType(rawValue: UInt(type.rawValue)) ?? .undefinedAttributeType }

    /// The name of the Foundation class of the type's values; `nil` where they may be of any.
    var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType, .floatAttributeType,
            .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        }
    }
}
