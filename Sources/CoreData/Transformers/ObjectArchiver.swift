import StrataModel

/// Writes objects as Foundation's keyed archives.
///
/// On Linux, Foundation's own archiver ends the process for a decimal number, and for a class within another type.
final class ObjectArchiver: NSCoder {
    private typealias Object = KeyedArchiver.Object

    private static let superclasses = [
        "NSMutableArray": "NSArray", "NSMutableDictionary": "NSDictionary", "NSMutableSet": "NSSet", "NSDecimalNumber": "NSNumber",
        "NSNumber": "NSValue",
    ]

    private let isSecure: Bool
    private var archive = KeyedArchiver(superclasses: superclasses)
    /// The fields of the object whose class encodes it.
    private var fields: [String: Object] = [:]
    /// The references of objects of the program's classes, which may reference each other in a cycle.
    private var references: [ObjectIdentifier: Object] = [:]
    private var retained: [AnyObject] = []
    private var hasDecimalNumbers = false
    /// Whether an object was found that only Foundation's archiver can encode, or rejects.
    private var isIncomplete = false

    private init(isSecure: Bool) { self.isSecure = isSecure }

    /// Returns the archive of an object; `nil` where an object of it cannot be archived.
    static func data(of object: Any, requiringSecureCoding isSecure: Bool) -> Data? {
        let archiver = ObjectArchiver(isSecure: isSecure)
        let root = archiver.add(object)
        if !archiver.isIncomplete { return Data(archiver.archive.bytes(root: root)) }
        // Foundation's archiver encodes a few of its own classes only, and ends the process for a decimal number.
        return archiver.hasDecimalNumbers ? nil : try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: isSecure)
    }

    // MARK: - Objects

    private func add(_ given: Any?) -> Object {
        guard let value = given.flatMap(unwrapped) else { return KeyedArchiver.null }
        switch value {
        case is NSNull: return archive.add("NSNull", [:])
        case is NSDecimalNumber, is Decimal: hasDecimalNumbers = true
        case let array as [Any]: return add(value is NSMutableArray ? "NSMutableArray" : "NSArray", ["NS.objects": array])
        case let set as Set<AnyHashable>: return add(value is NSMutableSet ? "NSMutableSet" : "NSSet", ["NS.objects": Array(set)])
        case let dictionary as [AnyHashable: Any]:
            let pairs = Array(dictionary)
            let name = value is NSMutableDictionary ? "NSMutableDictionary" : "NSDictionary"
            return add(name, ["NS.keys": pairs.map(\.key), "NS.objects": pairs.map(\.value)])
        default: break
        }
        if case .unsigned? = GivenNumber(value) { return refuse() }
        if let plain = (Boxing.unboxed(value, nil) as? any ValueConvertible)?.value { return archive.add(plain) ?? refuse() }
        guard let object = value as? any NSObject & NSCoding, !isSecure || object is any NSSecureCoding else { return refuse() }
        return add(object)
    }

    private func add(_ className: String, _ lists: [String: [Any]]) -> Object {
        let reference = archive.reserve()
        archive.define(reference, className, lists.mapValues { .array($0.map(add)) })
        return reference
    }

    private func add(_ object: any NSObject & NSCoding) -> Object {
        if let known = references[ObjectIdentifier(object)] { return known }
        let reference = archive.reserve()
        references[ObjectIdentifier(object)] = reference
        retained.append(object)
        let others = fields
        fields = [:]
        object.encode(with: self)
        archive.define(reference, declare(object.classForKeyedArchiver ?? type(of: object)), fields)
        fields = others
        return reference
    }

    /// Returns the name of a class after its superclasses were added to the archive's.
    private func declare(_ anyClass: AnyClass) -> String {
        let name = ArchivedClasses.name(of: anyClass)
        if archive.superclasses[name] == nil, let parent = _getSuperclass(anyClass), parent != NSObject.self {
            archive.superclasses[name] = declare(parent)
        }
        return name
    }

    private func refuse() -> Object {
        isIncomplete = true
        return KeyedArchiver.null
    }

    // MARK: - Coding

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { isSecure }

    override func encode(_ object: Any?, forKey key: String) { fields[key] = add(object) }
    override func encodeConditionalObject(_ object: Any?, forKey key: String) { fields[key] = add(object) }
    override func encode(_ value: Bool, forKey key: String) { fields[key] = .bool(value) }
    override func encode(_ value: Int, forKey key: String) { fields[key] = .int(Int64(value)) }
    override func encode(_ value: Int32, forKey key: String) { fields[key] = .int(Int64(value)) }
    override func encode(_ value: Int64, forKey key: String) { fields[key] = .int(value) }
    override func encode(_ value: Float, forKey key: String) { fields[key] = .double(Double(value)) }
    override func encode(_ value: Double, forKey key: String) { fields[key] = .double(value) }

    override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {
        fields[key] = unsafe .data(bytes.map { unsafe Data(bytes: $0, count: length) } ?? Data())
    }

    // Values without keys, which archives of classes that are not secure may have.
    override func encode(_ object: Any?) { isIncomplete = true }
    override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at address: UnsafeRawPointer) { isIncomplete = true }
}

/// A decimal number read from an archive: Foundation's class expects another form than it has on Apple's systems.
final class ArchivedDecimalNumber: NSDecimalNumber, @unchecked Sendable {
    override class var supportsSecureCoding: Bool { true }

    required init?(coder: NSCoder) {
        var mantissa = Data()
        unsafe coder.withDecodedUnsafeBufferPointer(forKey: "NS.mantissa") { unsafe mantissa = $0.map { unsafe Data($0) } ?? mantissa }
        let number = KeyedArchive.decimal(
            mantissa, isLittleEndian: coder.decodeInteger(forKey: "NS.mantissa.bo") != 2,
            exponent: coder.decodeInteger(forKey: "NS.exponent"),
            length: coder.decodeInteger(forKey: "NS.length"), isNegative: coder.decodeBool(forKey: "NS.negative"))
        guard let number else { return nil }
        super.init(decimal: number)
    }

    // Required by the superclass, and not used.
    override init(decimal number: Decimal) { super.init(decimal: number) }
    required convenience init(bytes buffer: UnsafeRawPointer, objCType type: UnsafePointer<Int8>) { self.init(decimal: .nan) }
    required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }
    required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }
    required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }
}
