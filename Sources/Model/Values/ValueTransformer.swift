import Synchronization

/// Converts the values of a transformable attribute to stored bytes, and back.
///
/// Pass one to the attribute's declaration. It is called on the thread that reads or writes the attribute. Models from
/// files, Xcode's and those in stores, contain the names alone: ``register(_:)`` defines them once in a process, as
/// with Foundation's class.
public struct ValueTransformer: Sendable {
    /// The name that the model records, part of nothing but the description.
    public let name: String
    let encode: @Sendable (Any) throws -> Data?
    let decode: @Sendable (Data) throws -> Any
    let identity: Identity
    private var encodeRawValue: (@Sendable (Value) -> Data?)?

    /// Identifies the transformers that convert alike: copies of one, and those that one type makes of one name.
    enum Identity: Sendable, Equatable {
        case unique(Token)
        case named(String, by: ObjectIdentifier)

        final class Token: Sendable {}

        static func == (a: Identity, b: Identity) -> Bool {
            switch (a, b) {
            case (.unique(let a), .unique(let b)): a === b
            case (.named(let a, let typeA), .named(let b, let typeB)): typeA == typeB && a.utf8.elementsEqual(b.utf8)
            default: false
            }
        }
    }

    /// Creates a transformer of values of one type.
    ///
    /// - Parameters:
    ///   - name: The name in the model.
    ///   - type: The type of the values; another one cannot be set.
    ///   - encode: Converts a value to bytes.
    ///   - decode: Converts the bytes back; its errors are thrown to the reader of the attribute.
    public init<T: Sendable>(
        name: String,
        _ type: T.Type = T.self,
        encode: @escaping @Sendable (T) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> T
    ) {
        self.init(name: name, type, .unique(Identity.Token()), encode: encode, decode: decode)
    }

    private init<T: Sendable>(
        name: String, _ type: T.Type, _ identity: Identity, encode: @escaping @Sendable (T) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> T
    ) {
        self.name = name
        self.identity = identity
        self.encode = { value in try (value as? T).map(encode) }
        self.decode = { try decode($0) }
    }

    /// Returns a transformer that stores a `Codable` type as JSON with sorted keys; it reads the property lists of earlier
    /// versions as well.
    ///
    /// Numbers that JSON has none for are texts, and a URL is its absolute text, as in an attribute.
    public static func codable<T: Codable & Sendable>(_ type: T.Type) -> ValueTransformer { document("Codable", type) }

    /// Returns a transformer that stores a type as SwiftData does: an array of single values as a keyed archive, which it
    /// reads beside what ``codable(_:)`` reads; any other type as ``codable(_:)``.
    public static func swiftData<T: Codable & Sendable>(_ type: T.Type) -> ValueTransformer {
        guard let array = type as? any KeyedListConvertible.Type, array.isListed else { return codable(type) }
        return ValueTransformer(name: coreDataDefault, type, .named("SwiftData", by: ObjectIdentifier(type))) { value in
            guard let archive = (value as? any KeyedListConvertible)?.archive else {
                throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "no keyed archive has such elements"))
            }
            return archive
        } decode: { data in
            guard let values = KeyedList.values(in: data) else { return try CodableForm.value(type, in: data) }
            guard let array = type as? any KeyedListConvertible.Type, let value = array.init(listedValues: values) as? T else {
                throw DecodingError.typeMismatch(type, .init(codingPath: [], debugDescription: "the archive has other elements"))
            }
            return value
        }
    }

    /// The name of Core Data's default transformer, which SwiftData's models name for arrays of single values.
    private static let coreDataDefault = "NSSecureUnarchiveFromData"

    /// Returns the transformer of an attribute's typed values: the declared one, or that of ``swiftData(_:)`` where the
    /// model names Core Data's default, and none is registered under its name; ``codable(_:)`` without any.
    public static func typed<T: Codable & Sendable>(_ type: T.Type, declared: ValueTransformer?) -> ValueTransformer {
        guard let declared else { return codable(type) }
        let isDefault = declared.name == coreDataDefault && declared.identity == named(coreDataDefault).identity
        return isDefault && registered.withLock({ $0[coreDataDefault] }) == nil ? swiftData(type) : declared
    }

    /// Returns the forms in which stores may have a value, the same for a value and for an optional of it: those of
    /// ``codable(_:)`` and ``swiftData(_:)``, and the property list of earlier versions.
    ///
    /// - Throws: What encoding as JSON throws.
    public static func storedForms<T: Codable & Sendable>(of value: T) throws -> [Data] {
        let archive = ((value as Any) as? any KeyedListConvertible)?.archive
        // What is no property list was never stored as one.
        return [try CodableForm.document(value), try? CodableForm.propertyList(value), archive].compactMap(\.self)
    }

    /// Returns a transformer that stores a `Codable` type as ``codable(_:)`` does, as SwiftData stores elements of
    /// structures.
    public static func json<T: Codable & Sendable>(_ type: T.Type) -> ValueTransformer { document("JSON", type) }

    private static func document<T: Codable & Sendable>(_ kind: String, _ type: T.Type) -> ValueTransformer {
        var transformer = ValueTransformer(name: "\(kind)(\(T.self))", type, .named(kind, by: ObjectIdentifier(type))) { value in
            try CodableForm.document(value)
        } decode: { data in
            try CodableForm.value(type, in: data)
        }
        transformer.encodeRawValue = { CodableForm.document(rawValue: $0, of: type) }
        return transformer
    }

    /// Returns the bytes of an enumeration's raw value, also of one without a case; `nil` where the type has no such raw
    /// values, and for a transformer of another kind.
    public func data(fromRawValue value: Value) -> Data? { encodeRawValue?(value) }

    /// Returns the bytes of a value.
    ///
    /// - Returns: `nil` when the value is not of the transformer's type.
    /// - Throws: What encoding throws.
    public func data(from value: Any) throws -> Data? { try encode(value) }

    /// Returns the value of bytes that ``data(from:)`` made.
    ///
    /// - Throws: What decoding throws, for bytes that are damaged or of another transformer.
    public func value(from data: Data) throws -> Any { try decode(data) }
}

// MARK: - Names

extension ValueTransformer {
    private static let registered = Mutex<[String: ValueTransformer]>([:])

    /// Has attributes that name a transformer use this one, those of models that are there already among them.
    ///
    /// The one that was registered last under a name counts. May be called on any thread.
    public static func register(_ transformer: ValueTransformer) { registered.withLock { $0[transformer.name] = transformer } }

    /// Returns the transformer that is registered under a name when a value is accessed: bytes stay bytes without one.
    ///
    /// - Parameter name: The name of a transformer that is, or will be, registered.
    public static func named(_ name: String) -> ValueTransformer {
        ValueTransformer(name: name, by: ValueTransformer.self) { value in
            guard let transformer = registered.withLock({ $0[name] }) else { return value as? Data }
            return try transformer.data(from: value)
        } decode: { data in
            guard let transformer = registered.withLock({ $0[name] }) else { return data }
            return try transformer.value(from: data)
        }
    }

    /// Creates a transformer whose conversions depend on its name and on `maker` alone.
    package init(
        name: String, by maker: Any.Type, encode: @escaping @Sendable (Any) throws -> Data?,
        decode: @escaping @Sendable (Data) throws -> Any
    ) {
        self.name = name
        identity = .named(name, by: ObjectIdentifier(maker))
        self.encode = encode
        self.decode = decode
    }
}
