public import StrataModel
public import StrataQuery

// Disfavoured, so that a type with native support is stored as such.

extension ManagedObject {
    /// The `Codable` value of a transformable attribute; `nil` without one, and where its bytes cannot be decoded.
    ///
    /// It is decoded at each access; see ``ManagedObjectContext/lastFaultError``. One that cannot be encoded is
    /// refused, and ``ManagedObjectContext/save()`` throws why.
    @_disfavoredOverload
    public final subscript<V: Codable & Sendable>(optional key: Key<V>) -> V? {
        get { decoded(key) }
        set { encode(newValue, key) }
    }

    /// The `Codable` value of a required transformable attribute, and the value that it reads as without one.
    @_disfavoredOverload
    public final subscript<V: Codable & Sendable>(required key: Key<V>, else placeholder: @autoclosure () -> V) -> V {
        get { decoded(key) ?? placeholder() }
        set { encode(newValue, key) }
    }

    /// Unavailable: without a default a missing or unreadable value has nothing to read as.
    @available(*, unavailable, message: "a property of a Codable type has a default value, or is an optional")
    @_disfavoredOverload
    public final subscript<V: Codable & Sendable>(required key: Key<V>) -> V {
        get { programmerError("\(key.path) has no default value") }
        set { encode(newValue, key) }
    }

    /// The case of an enumeration by its stored raw value; `nil` without one, and for a raw value of no case.
    @_disfavoredOverload
    public final subscript<V: RawRepresentable & Codable & Sendable>(optional key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        get { enumerationCase(key) }
        set { setRawValue(newValue?.rawValue, key) }
    }

    /// The case of an enumeration by its stored raw value, and the value that it reads as without one.
    @_disfavoredOverload
    public final subscript<V: RawRepresentable & Codable & Sendable>(
        required key: Key<V>, else placeholder: @autoclosure () -> V
    ) -> V where V.RawValue: ValueConvertible {
        get { enumerationCase(key) ?? placeholder() }
        set { setRawValue(newValue.rawValue, key) }
    }

    /// Unavailable: an enumeration that is only `Codable` needs a default to read as.
    @available(
        *, unavailable,
        message: "a property of this enumeration has a default value, or is an optional; or the enumeration is ValueConvertible"
    )
    @_disfavoredOverload
    public final subscript<V: RawRepresentable & Codable & Sendable>(required key: Key<V>) -> V where V.RawValue: ValueConvertible {
        get { programmerError("\(key.path) has no default value") }
        set { setRawValue(newValue.rawValue, key) }
    }

    final func enumerationCase<V: RawRepresentable>(_ key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        if KeyPathProbe.isProbe(self) { return KeyPathRecorder.current?.sample(rawValueOf: key, of: self) }
        let attribute = attribute(key)
        let value = currentValue(.attribute(attribute))
        let found = V.RawValue(value: value).flatMap { V(rawValue: $0) }
        if found == nil, !value.isNull { noteUnknown(entity.propertySlots[attribute.index], value, of: V.self) }
        return found
    }

    final func setRawValue<V>(_ raw: (some ValueConvertible)?, _ key: Key<V>) {
        setAttribute(raw?.value ?? .null, entity.propertySlots[attribute(key).index])
    }

    final func decoded<V: Codable & Sendable>(_ key: Key<V>) -> V? {
        if KeyPathProbe.isProbe(self) {
            KeyPathRecorder.current?.noteWithoutSample(key, of: self)
            return nil
        }
        let attribute = attribute(key)
        guard case .data(let bytes) = currentValue(.attribute(attribute)) else { return nil }
        return recording(key.path) {
            guard let value = try transformer(of: attribute, V.self).value(from: bytes) as? V
            else { throw wrongValue(key.path, "the transformer makes no \(V.self)") }
            return value
        }
    }

    final func encode<V: Codable & Sendable>(_ value: V?, _ key: Key<V>) {
        let attribute = attribute(key)
        let propertySlot = entity.propertySlots[attribute.index]
        guard let value else { return setAttribute(.null, propertySlot) }
        recording(key.path, isAnswered: false) {
            guard let bytes = try transformer(of: attribute, V.self).data(from: value)
            else { throw wrongValue(key.path, "the transformer takes no \(V.self)") }
            return setAttribute(.data(bytes), propertySlot)
        }
    }

    private func transformer<V: Codable & Sendable>(of attribute: AttributeDescription, _ type: V.Type) -> ValueTransformer {
        .typed(type, declared: attribute.declaration.transformer)
    }

    private func attribute<V>(_ key: Key<V>) -> AttributeDescription {
        checkExecutor()
        let propertySlot = key.keySlot.slot(in: entity) { $0.attribute(named: key.path)?.index }
        guard let attribute = propertySlot.flatMap({ entity.properties[$0.property].attribute })
        else { programmerError("\(entity.name) has no attribute \(key.path)") }
        return attribute
    }

    /// Returns the value of a transformable attribute; `nil` where there is none.
    ///
    /// The value is decoded at each access: changing it in place changes nothing here.
    ///
    /// - Throws: `StoreError` with `unknownKey` or `wrongValue`; what the transformer throws.
    public final func transformed<T>(_ key: String, as type: T.Type = T.self) throws -> T? {
        guard let value = try value(forKey: key) else { return nil }
        guard let typed = value as? T else { throw wrongValue(key, "\(shown(value)) is no \(T.self)") }
        return typed
    }

    /// The value of an attribute with a transformer; `nil` without one, and where its bytes cannot be decoded.
    ///
    /// It is decoded at each access; see ``ManagedObjectContext/lastFaultError``. One that cannot be encoded is
    /// refused, and ``ManagedObjectContext/save()`` throws why.
    public final subscript<V>(transformable key: Key<V>) -> V? {
        get {
            if KeyPathProbe.isProbe(self) { return nil }
            return recording(key.path) { try transformed(key.path) }
        }
        set { recording(key.path, isAnswered: false) { try setValue(newValue, forKey: key.path) } }
    }

    /// The value of a transformable attribute; without a transformer it is stored as JSON.
    public final subscript<V: Codable & Sendable>(transformable key: Key<V>) -> V? {
        get { self[optional: key] }
        set { self[optional: key] = newValue }
    }
}
