public import StrataModel
public import StrataQuery

/// The typed keys by the types of properties: `@Model` uses it where the type's name is not enough.
public enum PropertyKeys {
    /// Returns the key of an attribute.
    public static func key<V: ValueConvertible>(_ type: V.Type, _ name: String) -> Key<V> { Key(name) }
    /// Returns the key of a composite attribute.
    public static func key<C: CompositeValue>(_ type: C.Type, _ name: String) -> Key<C> { Key(name) }
    /// Returns the key of an attribute of `Codable` values.
    @_disfavoredOverload
    public static func key<V: Codable & Sendable>(_ type: V.Type, _ name: String) -> Key<V> { Key(name) }
    /// Returns the key of a to-one relationship.
    public static func key<D: ManagedObject>(_ type: D.Type, _ name: String) -> ToOne<D> { ToOne(name) }
    /// Returns the key of a to-many relationship.
    public static func key<D: ManagedObject>(_ type: [D].Type, _ name: String) -> ToMany<D> { ToMany(name) }
    /// Returns the key of a to-many relationship.
    public static func key<D: ManagedObject>(_ type: Set<D>.Type, _ name: String) -> ToMany<D> { ToMany(name) }
    /// Unavailable: no store supports the type.
    @available(
        *, unavailable,
        message: "the type cannot be kept in a store: make it Codable and Sendable, or ValueConvertible, or mark the property @Transient"
    )
    @_disfavoredOverload
    public static func key<T>(_ type: T.Type, _ name: String) -> UnsupportedKey<T> { UnsupportedKey() }
}
