public import StrataModel
public import StrataQuery

// Values by the properties of the class, `snapshot[\.name]` or `snapshot.name`.

extension ObjectSnapshot {
    /// The value of an attribute; `nil` where there is none.
    public subscript<V: PropertyValue>(keyPath: KeyPath<Object, V>) -> V.Stored? { V.Stored(value: value(of: keyPath.path)) }

    /// The value of an attribute; `nil` where there is none, by the name of the class's property.
    public subscript<V: PropertyValue>(dynamicMember keyPath: KeyPath<Object, V>) -> V.Stored? { V.Stored(value: value(of: keyPath.path)) }

    /// The value of a composite attribute; `nil` where none of its elements has one.
    public subscript<V: CompositePropertyValue>(keyPath: KeyPath<Object, V>) -> V.Composite? { composite(keyPath.path) }

    /// The value of a composite attribute, by its property's name; `nil` where none of its elements has one.
    public subscript<V: CompositePropertyValue>(dynamicMember keyPath: KeyPath<Object, V>) -> V.Composite? { composite(keyPath.path) }

    /// The ID of the destination of a to-one relationship; `nil` where there is none.
    public subscript<V: ObjectValue>(keyPath: KeyPath<Object, V>) -> ObjectID? { value(of: keyPath.path).objectID }

    /// The ID of the destination of a to-one relationship, by its property's name; `nil` where there is none.
    public subscript<V: ObjectValue>(dynamicMember keyPath: KeyPath<Object, V>) -> ObjectID? { value(of: keyPath.path).objectID }

    /// The ID of the destination of a to-one relationship; `nil` where there is none.
    public subscript<V: ManagedObject>(keyPath: KeyPath<Object, V>) -> ObjectID? { value(of: keyPath.path).objectID }

    /// The ID of the destination of a to-one relationship, by its property's name; `nil` where there is none.
    public subscript<V: ManagedObject>(dynamicMember keyPath: KeyPath<Object, V>) -> ObjectID? { value(of: keyPath.path).objectID }

    /// The case of an enumeration whose raw value an attribute keeps; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(keyPath: KeyPath<Object, V>) -> V?
    where V.RawValue: ValueConvertible { self[Key<V>(keyPath.path)] }

    /// The case of an enumeration by its stored raw value, by its property's name; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(dynamicMember keyPath: KeyPath<Object, V>) -> V?
    where V.RawValue: ValueConvertible { self[Key<V>(keyPath.path)] }

    /// The `Codable` value of a transformable attribute; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(keyPath: KeyPath<Object, V>) -> V? { self[Key<V>(keyPath.path)] }

    /// The `Codable` value of a transformable attribute, by its property's name; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(dynamicMember keyPath: KeyPath<Object, V>) -> V? { self[Key<V>(keyPath.path)] }

    /// The case of an enumeration whose raw value an attribute keeps; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(keyPath: KeyPath<Object, V?>) -> V?
    where V.RawValue: ValueConvertible { self[Key<V>(keyPath.path)] }

    /// The case of an enumeration by its stored raw value, by its property's name; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(dynamicMember keyPath: KeyPath<Object, V?>) -> V?
    where V.RawValue: ValueConvertible { self[Key<V>(keyPath.path)] }

    /// The `Codable` value of a transformable attribute; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(keyPath: KeyPath<Object, V?>) -> V? { self[Key<V>(keyPath.path)] }

    /// The `Codable` value of a transformable attribute, by its property's name; `nil` where there is none.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(dynamicMember keyPath: KeyPath<Object, V?>) -> V? { self[Key<V>(keyPath.path)] }
}
