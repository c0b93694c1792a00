public import StrataModel
public import StrataQuery

// Accessors of hand-written classes for types without native support: `self[Self.status]`. Disfavoured against native
// ones.

extension ManagedObject {
    /// The case of an enumeration whose raw value an attribute keeps; `nil` where there is none, and for a raw value of
    /// no case, see ``ManagedObjectContext/lastFaultError``.
    ///
    /// ```swift
    /// enum Status: String { case draft, sent }
    /// static let status = Key<Status>("status")     // Attribute("status", .string)
    /// var status: Status? { get { self[Self.status] } set { self[Self.status] = newValue } }
    /// ```
    /// - Precondition: The entity has the attribute.
    @_disfavoredOverload
    public final subscript<V: RawRepresentable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        get { enumerationCase(key) }
        set { setRawValue(newValue?.rawValue, key) }
    }

    /// The `Codable` value, an array or a dictionary among them, that a transformable attribute keeps as JSON
    /// or as its transformer has it; `nil` where there is none, and where its bytes cannot be decoded, see
    /// ``ManagedObjectContext/lastFaultError``.
    ///
    /// ```swift
    /// static let tags = Key<[String]>("tags")       // Attribute("tags", .transformable)
    /// var tags: [String] { get { self[Self.tags] ?? [] } set { self[Self.tags] = newValue } }
    /// ```
    /// It is decoded at each access. One that cannot be encoded is refused, and ``ManagedObjectContext/save()`` throws
    /// why.
    ///
    /// - Precondition: The entity has the attribute.
    @_disfavoredOverload
    public final subscript<V: Codable & Sendable>(key: Key<V>) -> V? {
        get { decoded(key) }
        set { encode(newValue, key) }
    }

    /// The case of a `Codable` enumeration, by its raw value.
    ///
    /// - Precondition: The entity has the attribute.
    @_disfavoredOverload
    public final subscript<V: RawRepresentable & Codable & Sendable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        get { enumerationCase(key) }
        set { setRawValue(newValue?.rawValue, key) }
    }
}

extension Attribute {
    /// Creates an attribute of an enumeration's raw values, named by its typed key: `Attribute(Order.status, .string)`.
    ///
    /// A model refuses the attribute where the raw values do not fit its type.
    @_disfavoredOverload
    public init<V: RawRepresentable>(
        _ key: Key<V>, _ type: AttributeType, default defaultValue: V? = nil, validation: [ValidationRule] = []
    )
    where V.RawValue: ValueConvertible {
        self.init(Key<V.RawValue>(key.path), type, default: defaultValue?.rawValue.value, validation: validation)
    }

    /// Creates an attribute of `Codable` values, arrays and dictionaries among them, named by its typed key, and kept
    /// as JSON: `Attribute(Note.tags)`.
    ///
    /// - Parameters:
    ///   - key: The key that names the attribute.
    ///   - defaultValue: The value that a new object starts with; none where it cannot be encoded.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ key: Key<V>, default defaultValue: V? = nil) {
        let transformer = ValueTransformer.codable(V.self)
        let bytes = defaultValue.flatMap { try? transformer.data(from: $0) }
        self.init(key.path, .transformable, default: bytes.map { .data($0) }, transformer: transformer)
    }
}

extension Key where Value: RawRepresentable, Value.RawValue: ValueConvertible {
    /// Met where the attribute keeps a case; `nil` where it keeps none.
    @_disfavoredOverload
    public static func == (lhs: Key, rhs: Value?) -> QueryPredicate { Key<Value.RawValue>(lhs.path) == rhs?.rawValue }
    /// Met where the attribute keeps another case.
    @_disfavoredOverload
    public static func != (lhs: Key, rhs: Value?) -> QueryPredicate { Key<Value.RawValue>(lhs.path) != rhs?.rawValue }
    /// Met where the attribute keeps one of some cases.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Value>) -> QueryPredicate { Key<Value.RawValue>(path).isIn(values.map(\.rawValue)) }
}
