public import StrataModel
public import StrataQuery

// Attributes of types without native support, stored as by the accessors of managed objects. Disfavoured, so that a
// type with native support is stored as such.

extension BatchRow {
    /// The case of an enumeration whose raw value an attribute keeps; `nil` where none was given.
    @_disfavoredOverload
    public subscript<V: RawRepresentable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        get { self[Key<V.RawValue>(key)].flatMap { V(rawValue: $0) } }
        set { self[Key<V.RawValue>(key)] = newValue?.rawValue }
    }

    /// The case of a `Codable` enumeration, by its raw value.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        get { self[Key<V.RawValue>(key)].flatMap { V(rawValue: $0) } }
        set { self[Key<V.RawValue>(key)] = newValue?.rawValue }
    }

    /// The `Codable` value, such as an array or a dictionary, of a transformable attribute; `nil` where none was given.
    ///
    /// It is stored as JSON, or by the attribute's transformer. One that cannot be encoded is an error when
    /// the object is complete.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(key: Key<V>) -> V? {
        get {
            guard let bytes = self[Key<Data>(key)] else { return nil }
            return try? transformer(of: key).value(from: bytes) as? V
        }
        set {
            guard let newValue else { return self[Key<Data>(key)] = nil }
            do {
                guard let bytes = try transformer(of: key).data(from: newValue) else {
                    return refuse(key.path, "the transformer takes no \(V.self)")
                }
                self[Key<Data>(key)] = bytes
            } catch {
                refuse(key.path, "the value cannot be encoded: \(error)")
            }
        }
    }

    private func transformer<V: Codable & Sendable>(of key: Key<V>) -> ValueTransformer {
        .typed(V.self, declared: entity.attribute(named: key.path)?.declaration.transformer)
    }
}
