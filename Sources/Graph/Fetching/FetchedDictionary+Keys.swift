public import StrataModel
public import StrataQuery

// Fetched values, by typed keys and by the properties of a class.

extension FetchedDictionary {
    /// The case of an enumeration by its fetched raw value; `nil` without one, and for a raw value of no case.
    @_disfavoredOverload
    public subscript<V: RawRepresentable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        self[Key<V.RawValue>(key)].flatMap { V(rawValue: $0) }
    }

    /// The case of a `Codable` enumeration, by its raw value.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        self[Key<V.RawValue>(key)].flatMap { V(rawValue: $0) }
    }

    /// The `Codable` value of a transformable attribute; `nil` without one, and where its bytes cannot be decoded.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(key: Key<V>) -> V? {
        guard case .data(let bytes)? = self[key.path] else { return nil }
        return try? ValueTransformer.typed(V.self, declared: columns.transformers[key.path]).value(from: bytes) as? V
    }

    /// The ID of the destination of a to-one relationship that was fetched; `nil` where there is none.
    public subscript<Destination>(key: ToOne<Destination>) -> ObjectID? { self[key.path]?.objectID }

    /// The value of an attribute that was fetched.
    public subscript<Root: ManagedObject, V: PropertyValue>(keyPath: KeyPath<Root, V>) -> V.Stored? {
        self[Key<V.Stored>(KeyPathProbe.key(of: keyPath))]
    }

    /// The value of a composite attribute that was fetched.
    public subscript<Root: ManagedObject, V: CompositePropertyValue>(keyPath: KeyPath<Root, V>) -> V.Composite? {
        self[Key<V.Composite>(KeyPathProbe.key(of: keyPath))]
    }

    /// The value of an attribute of a to-one relationship's destination that was fetched.
    public subscript<V, Condition>(path: TypedPath<V, Condition>) -> V? { self[path.path].flatMap { V(value: $0) } }

    /// The case of an enumeration by its fetched raw value; `nil` where there is none.
    @_disfavoredOverload
    public subscript<Root: ManagedObject, V: RawRepresentable & Codable & Sendable>(keyPath: KeyPath<Root, V>) -> V?
    where V.RawValue: ValueConvertible { self[Key<V>(KeyPathProbe.key(of: keyPath))] }

    /// The case of an enumeration by its fetched raw value; `nil` where there is none.
    @_disfavoredOverload
    public subscript<Root: ManagedObject, V: RawRepresentable & Codable & Sendable>(keyPath: KeyPath<Root, V?>) -> V?
    where V.RawValue: ValueConvertible { self[Key<V>(KeyPathProbe.key(of: keyPath))] }

    /// The `Codable` value of a transformable attribute that was fetched; `nil` where there is none.
    @_disfavoredOverload
    public subscript<Root: ManagedObject, V: Codable & Sendable>(keyPath: KeyPath<Root, V>) -> V? {
        self[Key<V>(KeyPathProbe.key(of: keyPath))]
    }

    /// The `Codable` value of a transformable attribute that was fetched; `nil` where there is none.
    @_disfavoredOverload
    public subscript<Root: ManagedObject, V: Codable & Sendable>(keyPath: KeyPath<Root, V?>) -> V? {
        self[Key<V>(KeyPathProbe.key(of: keyPath))]
    }

    /// The ID of the destination of a to-one relationship that was fetched; `nil` where there is none.
    public subscript<Root: ManagedObject, Destination: ManagedObject>(keyPath: KeyPath<Root, Destination>) -> ObjectID? {
        self[keyPath.path]?.objectID
    }

    /// The ID of the destination of a to-one relationship that was fetched; `nil` where there is none.
    public subscript<Root: ManagedObject, Destination: ManagedObject>(keyPath: KeyPath<Root, Destination?>) -> ObjectID? {
        self[keyPath.path]?.objectID
    }
}
