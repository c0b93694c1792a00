/// Writes a keyed archive of Foundation's: objects that reference each other by number, each class once.
public struct KeyedArchiver {
    /// A value of an archive: a reference, or what an object contains directly.
    public typealias Object = BinaryPropertyList.Value

    private var objects: [Object] = [.string("$null")]
    private var texts: [[UInt8]: Object] = [:]
    private var classes: [String: Object] = [:]
    /// The superclasses of classes; those without are subclasses of `NSObject`.
    public var superclasses: [String: String]

    /// The reference of nil.
    public static let null = Object.uid(0)

    /// Creates an archive without objects.
    ///
    /// - Parameter superclasses: The superclasses of classes; those without are subclasses of `NSObject`.
    public init(superclasses: [String: String] = [:]) { self.superclasses = superclasses }

    /// Returns the bytes of the archive.
    ///
    /// - Parameter root: The reference of its root; that of the first object that was added or reserved by default.
    public func bytes(root: Object = .uid(1)) -> [UInt8] {
        Object.dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .int(100_000), "$top": .dictionary(["root": root]),
            "$objects": .array(objects),
        ]).bytes
    }

    /// Returns the reference of an object that is defined later, so that others can reference it.
    public mutating func reserve() -> Object { add(plain: KeyedArchiver.null) }

    /// Defines an object whose reference was reserved.
    public mutating func define(_ reference: Object, _ className: String, _ fields: [String: Object]) {
        guard case .uid(let number) = reference, objects.indices.contains(number) else { return }
        var fields = fields
        fields["$class"] = description(of: className)
        objects[number] = .dictionary(fields)
    }

    /// Adds an object, and returns its reference.
    public mutating func add(_ className: String, _ fields: [String: Object]) -> Object {
        var fields = fields
        fields["$class"] = description(of: className)
        return add(plain: .dictionary(fields))
    }

    /// Adds a number, a truth value, a text or bytes, and returns its reference.
    public mutating func add(plain value: Object) -> Object {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    /// Adds a text once, however often it is referenced, and returns its reference; that of nil for `nil`.
    public mutating func text(_ text: String?) -> Object {
        guard let text else { return KeyedArchiver.null }
        let key = Array(text.utf8)
        if let known = texts[key] { return known }
        let reference = add(plain: .string(text))
        texts[key] = reference
        return reference
    }

    /// Adds an array of references, or a set of them, and returns its reference.
    public mutating func list(_ members: [Object], _ className: String = "NSArray") -> Object {
        add(className, ["NS.objects": .array(members)])
    }

    /// Adds a dictionary of references, and returns its reference.
    public mutating func dictionary(_ pairs: [(key: String, value: Object)], _ className: String = "NSMutableDictionary") -> Object {
        var keys: [Object] = []
        for (key, _) in pairs { keys.append(text(key)) }
        return add(className, ["NS.keys": .array(keys), "NS.objects": .array(pairs.map(\.value))])
    }

    /// Adds the value of an attribute as an object of its class in Foundation, and returns its reference; `nil` for a value
    /// whose class is not known.
    public mutating func add(_ value: Value) -> Object? {
        switch value {
        case .null: return KeyedArchiver.null
        case .bool(let flag): return add(plain: .bool(flag))
        case .int(let number): return add(plain: .int(number))
        case .double(let number): return add(plain: .double(number))
        case .string(let text): return self.text(text)
        case .data(let data): return add(plain: .data(data))
        case .date(let date): return add("NSDate", ["NS.time": .double(date.timeIntervalSinceReferenceDate)])
        case .uuid(let uuid):
            return add("NSUUID", ["NS.uuidbytes": .data(unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Data($0) })])
        case .url(let url): return add("NSURL", ["NS.base": KeyedArchiver.null, "NS.relative": add(plain: .string(url.absoluteString))])
        case .decimal(let number): return add(number)
        case .objectID, .list: return nil
        }
    }

    private mutating func add(_ number: Decimal) -> Object? {
        guard let mantissa = number.isNaN ? 0 : UInt128("\(number.significand.magnitude)") else { return nil }
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: mantissa >> (8 * $0)) }
        let words = 8 - mantissa.leadingZeroBitCount / 16
        return add(
            "NSDecimalNumber",
            [
                "NS.mantissa": .data(Data(bytes)), "NS.mantissa.bo": .int(1),
                "NS.exponent": .int(number.isNaN ? 0 : Int64(number.exponent)), "NS.length": .int(Int64(words)),
                // NaN is a negative number without digits.
                "NS.negative": .bool(number.isNaN || number.sign == .minus), "NS.compact": .bool(true),
            ])
    }

    private mutating func description(of className: String) -> Object {
        if let known = classes[className] { return known }
        var chain = [className]
        while let parent = superclasses[chain[chain.count - 1]] { chain.append(parent) }
        chain.append("NSObject")
        let reference = add(plain: .dictionary(["$classname": .string(className), "$classes": .array(chain.map { .string($0) })]))
        classes[className] = reference
        return reference
    }
}
