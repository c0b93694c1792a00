public import FoundationEssentials
import Synchronization

/// Turns the values of a transformable attribute into the bytes that a store keeps, and back.
///
/// Give one to the attribute's declaration. It is called on whichever thread reads or writes the attribute. Models that come from files, Xcode's and those that
/// stores keep, know the names alone: ``register(_:)`` says what is meant by them, once in a process, as with Foundation's class.
public struct ValueTransformer: Sendable {
    /// The name that the model records, part of nothing but the description.
    public let name: String
    let encode: @Sendable (Any) throws -> Data?
    let decode: @Sendable (Data) throws -> Any

    /// A transformer of values of one type.
    ///
    /// - Parameters:
    ///   - name: The name that the model records.
    ///   - type: The type of the values; another one cannot be set.
    ///   - encode: Turns a value into bytes.
    ///   - decode: Turns the bytes back; what it throws reaches the reader of the attribute.
    public init<T: Sendable>(
        name: String,
        _ type: T.Type = T.self,
        encode: @escaping @Sendable (T) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> T
    ) {
        self.name = name
        self.encode = { value in try (value as? T).map(encode) }
        self.decode = { try decode($0) }
    }

    /// A transformer that keeps a `Codable` type as a binary property list.
    public static func codable<T: Codable & Sendable>(_ type: T.Type) -> ValueTransformer {
        ValueTransformer(name: "Codable(\(T.self))", type) { value in
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode([value])
        } decode: { data in
            guard let value = try PropertyListDecoder().decode([T].self, from: data).first else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no value in the property list"))
            }
            return value
        }
    }

    /// The bytes of a value.
    ///
    /// - Returns: `nil` when the value is not of the transformer's type.
    /// - Throws: What encoding throws.
    public func data(from value: Any) throws -> Data? { try encode(value) }

    /// The value of bytes that ``data(from:)`` made.
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
    public static func register(_ transformer: ValueTransformer) {
        registered.withLock { $0[transformer.name] = transformer }
    }

    /// The transformer that is registered under a name when it is asked for a value: bytes stay bytes as long as none is.
    ///
    /// - Parameter name: A name that a transformer was, or will be, registered under.
    public static func named(_ name: String) -> ValueTransformer {
        ValueTransformer(name: name) { value in
            guard let transformer = registered.withLock({ $0[name] }) else { return value as? Data }
            return try transformer.data(from: value)
        } decode: { data in
            guard let transformer = registered.withLock({ $0[name] }) else { return data }
            return try transformer.value(from: data)
        }
    }

    package init(name: String, encode: @escaping @Sendable (Any) throws -> Data?, decode: @escaping @Sendable (Data) throws -> Any) {
        self.name = name
        self.encode = encode
        self.decode = decode
    }
}
