/// The objects of a keyed archive of Foundation's, referenced by number; no class of the archive is instantiated.
public struct KeyedArchive: Sendable {
    /// A value of an archive: a reference, or what an object contains directly.
    public typealias Value = BinaryPropertyList.Value

    /// The objects by number.
    public let objects: [Value]
    /// The value of the archive: the reference of ``root``, or a plain value.
    public let top: Value

    /// The archive in a property list; `nil` where the list contains none.
    public init?(_ list: Value) {
        guard case .dictionary(let archive) = list, case .array(let objects)? = archive["$objects"],
            case .dictionary(let top)? = archive["$top"], let root = top["root"]
        else { return nil }
        self.objects = objects
        self.top = root
    }

    /// The names of the classes in the archive.
    public var classNames: [String] {
        objects.compactMap { object in
            guard case .dictionary(let fields) = object, case .string(let name)? = fields["$classname"] else { return nil }
            return name
        }
    }

    /// The archived object; `nil` for a plain value.
    public var root: Object? { object(top) }

    /// Resolves a value: a reference is followed once, and the archive's nil is `nil`.
    public func resolve(_ value: Value?) -> Value? {
        guard case .uid(let number)? = value else { return value }
        guard objects.indices.contains(number), number != 0 else { return nil }
        return objects[number]
    }

    /// Returns the object that a value references; `nil` for a plain value.
    public func object(_ value: Value?) -> Object? {
        guard case .dictionary(let fields)? = resolve(value) else { return nil }
        var className: String?
        if case .dictionary(let description)? = resolve(fields["$class"]), case .string(let name)? = description["$classname"] {
            className = name
        }
        return Object(archive: self, fields: fields, className: className)
    }

    /// Returns a text, or that of an object of a class of texts.
    public func string(_ value: Value?) -> String? {
        switch resolve(value) {
        case .string(let text)?: text
        case .dictionary(let fields)?: if case .string(let text)? = resolve(fields["NS.string"]) { text } else { nil }
        default: nil
        }
    }

    /// Returns the attribute value of a value of the archive; `nil` for a class that no attribute has.
    public func constant(_ value: Value?) -> StrataModel.Value? {
        if let text = string(value) { return .string(text) }
        switch resolve(value) {
        case .bool(let flag)?: return .bool(flag)
        case .int(let number)?: return .int(number)
        case .double(let number)?: return .double(number)
        case .date(let date)?: return .date(date)
        case .data(let data)?: return .data(data)
        default: return object(value)?.foundationValue
        }
    }
}

// MARK: - Objects

extension KeyedArchive {
    /// An object of an archive: its fields, and the name of its class.
    public struct Object: Sendable {
        /// The archive that the object belongs to.
        public let archive: KeyedArchive
        /// The values by key.
        public let fields: [String: Value]
        /// The name of the class; `nil` where the archive has none.
        public let className: String?

        /// Returns the value under a key, resolved.
        public func value(_ key: String) -> Value? { archive.resolve(fields[key]) }

        /// The elements of the object, which is an array or a set.
        public var members: [Value] {
            if case .array(let values)? = fields["NS.objects"] { return values }
            var values: [Value] = []
            while let value = fields["NS.object.\(values.count)"] { values.append(value) }
            return values
        }

        /// The value of one of Foundation's classes.
        fileprivate var foundationValue: StrataModel.Value? {
            switch className {
            case "NSDate":
                switch value("NS.time") {
                case .double(let time)?: return .date(Date(timeIntervalSinceReferenceDate: time))
                case .int(let time)?: return .date(Date(timeIntervalSinceReferenceDate: Double(time)))
                default: return nil
                }
            case "NSUUID":
                guard case .data(let bytes)? = value("NS.uuidbytes"), bytes.count == 16 else { return nil }
                return .uuid(UUID(uuid: unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: uuid_t.self) }))
            case "NSURL": return archive.string(fields["NS.relative"]).flatMap { URL(string: $0) }.map { .url($0) }
            case "NSData", "NSMutableData":
                guard case .data(let bytes)? = value("NS.data") else { return nil }
                return .data(bytes)
            case "NSDecimalNumber": return decimal
            default: return nil
            }
        }

        private var decimal: StrataModel.Value? {
            guard case .data(let bytes)? = value("NS.mantissa"), case .int(let exponent)? = value("NS.exponent") else { return nil }
            var length = Int64(8)
            if case .int(let given)? = value("NS.length") { length = given }
            let isNegative = [.bool(true), .int(1)].contains(value("NS.negative"))
            let number = KeyedArchive.decimal(
                bytes, isLittleEndian: value("NS.mantissa.bo") != .int(2), exponent: Int(exponent), length: Int(length),
                isNegative: isNegative)
            return number.flatMap { $0.isNaN ? nil : .decimal($0) }
        }
    }

    /// Returns the number that an archived `NSDecimalNumber` consists of; `nil` where its parts are out of range.
    ///
    /// - Parameters:
    ///   - mantissa: Words of 16 bits, the least significant first.
    ///   - isLittleEndian: The byte order of the words.
    ///   - exponent: The power of ten.
    ///   - length: The number of words that count; none in a negative number is NaN.
    ///   - isNegative: Whether the number is negative.
    public static func decimal(_ mantissa: Data, isLittleEndian: Bool, exponent: Int, length: Int, isNegative: Bool) -> Decimal? {
        guard mantissa.count <= 16, (-128...127).contains(exponent) else { return nil }
        if length == 0, isNegative { return .nan }
        let words = stride(from: 0, to: mantissa.count - 1, by: 2).map { offset in
            let (one, two) = (Int(mantissa[mantissa.startIndex + offset]), Int(mantissa[mantissa.startIndex + offset + 1]))
            return isLittleEndian ? one | two << 8 : one << 8 | two
        }
        var number = Decimal(0)
        for word in words.prefix(max(0, length)).reversed() { number = number * 65536 + Decimal(word) }
        return number.isNaN ? nil : Decimal(string: "\(isNegative ? "-" : "")\(number)e\(exponent)")
    }
}
