import StrataModel
import StrataQuery

extension FetchedDictionary {
    /// Returns the values as a `Decodable` type whose properties have the names of the values.
    ///
    /// Integers of any width, `Double`, `Float`, `Decimal`, `Bool`, `String`, `Date`, `Data`, `UUID`, `URL`,
    /// `ObjectID`, optionals and enumerations of these are supported, and the type that an attribute's transformer makes,
    /// as a `Codable` one. Numbers convert where nothing is lost. A property
    /// of a type with properties, or of a dictionary, takes the values under its own name and a dot, as those of a
    /// composite attribute or a relationship's destination.
    ///
    /// An optional property is nil where its value is, or all values under its name are, or it was not fetched.
    ///
    /// - Throws: `QueryError` with `unknownKey` and the names there are where a property that is not optional was not
    ///   fetched, `typeMismatch` where it is nil, where a value is of another type, or where the type throws a
    ///   `DecodingError`; any other error of the type.
    public func decode<T: Decodable>(as type: T.Type) throws -> T { try DictionaryDecoder(source: self).whole(type) }
}

extension ObjectSnapshot {
    /// Returns the values as a `Decodable` type with the names of attributes, and of to-one relationships for their
    /// IDs.
    ///
    /// - Throws: As ``FetchedDictionary/decode(as:)``.
    public func decode<T: Decodable>(as type: T.Type) throws -> T { try DictionaryDecoder(source: self).whole(type) }
}

private protocol NamedValues {
    /// The entity of the values, for errors; empty where it is unknown.
    var entityName: String { get }
    var names: [String] { get }
    func value(named name: String) -> Value?
    func hasValues(behind name: String) -> Bool
    /// Returns the transformer of a value's attribute.
    func transformer(named name: String) -> ValueTransformer?
}

extension FetchedDictionary: NamedValues {
    fileprivate var entityName: String { "" }
    fileprivate func value(named name: String) -> Value? { self[name] }
    fileprivate func hasValues(behind name: String) -> Bool { columns.beginnings.contains(name[...]) }
    fileprivate func transformer(named name: String) -> ValueTransformer? { columns.transformers[name] }
}

extension ObjectSnapshot: NamedValues {
    fileprivate var entityName: String { entity.name }
    fileprivate var names: [String] { entity.properties.compactMap { value(forKey: $0.name) == nil ? nil : $0.name } }
    fileprivate func value(named name: String) -> Value? { value(forKey: name) }
    fileprivate func hasValues(behind name: String) -> Bool { entity.compositeAttribute(named: name) != nil }
    fileprivate func transformer(named name: String) -> ValueTransformer? { entity.attribute(named: name)?.declaration.transformer }
}

/// Decodes the properties of a type by name: all of them, or those under a name and a dot.
private struct DictionaryDecoder: Decoder {
    let source: any NamedValues
    var prefix = ""
    var codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// The names under the prefix, without it.
    var names: [String] {
        prefix.isEmpty ? source.names : source.names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    var isEmpty: Bool { names.allSatisfy { source.value(named: prefix + $0)?.isNull != false } }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(DictionaryContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw nesting(codingPath) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if prefix.isEmpty { throw nesting(codingPath) }
        return NestedContainer(decoder: self)
    }

    /// Decodes a type from all values; throws `QueryError` in place of a `DecodingError`, as other fetches do.
    func whole<T: Decodable>(_ type: T.Type) throws -> T {
        do { return try T(from: self) } catch let error as DecodingError { throw queryError(error, T.self) }
    }

    private func queryError(_ error: DecodingError, _ type: Any.Type) -> QueryError {
        func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            (context.codingPath + [key].compactMap(\.self)).map(\.stringValue).joined(separator: ".")
        }
        let entity = source.entityName
        switch error {
        case .keyNotFound(let key, let context):
            let names = source.names.joined(separator: ", ")
            return QueryError(
                .unknownKey, entity: entity, subject: path(context, key), "nothing was fetched under the name, only \(names)")
        case .valueNotFound(_, let context):
            return QueryError(
                .typeMismatch, entity: entity, subject: path(context), "it is nil, and its property of \(type) is not optional")
        case .typeMismatch(let wanted, let context):
            let name = path(context)
            guard let value = source.value(named: name) else { break }
            return QueryError(.typeMismatch, entity: entity, subject: name, "\(value.excerpt) is no \(wanted)")
        case .dataCorrupted(let context):
            return QueryError(
                .typeMismatch, entity: entity, subject: path(context), "\(type) does not take the value: \(context.debugDescription)")
        default: break
        }
        return QueryError(.typeMismatch, entity: entity, subject: "\(type)", "it cannot be decoded: \(error)")
    }

    func decoded<T: Decodable>(_ type: T.Type) throws -> T {
        if let type = type as? any CompositeValue.Type, let value = composite(type) as? T { return value }
        return try T(from: self)
    }

    private func composite<C: CompositeValue>(_ type: C.Type) -> C? {
        var values: [String: Value] = [:]
        for (path, _, _) in C.types(behind: prefix) { values[path] = source.value(named: path) }
        return C(values, behind: prefix)
    }
}

private func nesting(_ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
        .init(codingPath: path, debugDescription: "there are single values under their names, and others behind a name and a dot"))
}

/// Decodes the values under a name for a type that asks first whether there are any, such as an optional.
private struct NestedContainer: SingleValueDecodingContainer {
    let decoder: DictionaryDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isEmpty }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decoded(type) }
}

private struct DictionaryContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: DictionaryDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        if decoder.prefix.isEmpty { return decoder.names.compactMap { Key(stringValue: $0) } }
        // A dictionary contains only names that have a value.
        var seen: Set<Substring> = []
        let first = decoder.names.filter { decoder.source.value(named: decoder.prefix + $0)?.isNull == false }.map {
            $0.prefix { $0 != "." }
        }
        return first.filter { seen.insert($0).inserted }.compactMap { Key(stringValue: String($0)) }
    }
    func contains(_ key: Key) -> Bool { decoder.source.value(named: name(key)) != nil || decoder.source.hasValues(behind: name(key)) }
    func decodeNil(forKey key: Key) throws -> Bool { try nested(key)?.isEmpty ?? value(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let nested = nested(key) { return try nested.decoded(type) }
        let value = try value(key)
        if case .data(let bytes) = value, T.self != Data.self, let transformer = decoder.source.transformer(named: name(key)),
            let transformed = try transformer.value(from: bytes) as? T
        {
            return transformed
        }
        return try decodeValue(value, at: codingPath + [key])
    }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
        guard let nested = nested(key) else { throw nesting(codingPath + [key]) }
        return nested.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nesting([key]) }
    func superDecoder() throws -> any Decoder { throw nesting([]) }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw nesting([key]) }

    private func name(_ key: Key) -> String { decoder.prefix + key.stringValue }

    /// Returns the decoder of the values under a name; `nil` where it is the name of one value, or of none.
    private func nested(_ key: Key) -> DictionaryDecoder? {
        let name = name(key)
        guard decoder.source.value(named: name) == nil, decoder.source.hasValues(behind: name) else { return nil }
        return DictionaryDecoder(source: decoder.source, prefix: name + ".", codingPath: codingPath + [key])
    }

    private func value(_ key: Key) throws -> Value {
        guard let value = decoder.source.value(named: name(key)) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "nothing was fetched under the name"))
        }
        return value
    }
}

private func decodeValue<T: Decodable>(_ value: Value, at path: [any CodingKey]) throws -> T {
    if let any = swiftValue(value, T.self) {
        if let typed = any as? T { return typed }
        if value.isNull { throw missing(T.self, at: path) }
        throw DecodingError.typeMismatch(T.self, .init(codingPath: path, debugDescription: "a value of another type"))
    }
    // A type that decodes itself, such as an optional, asks for nil itself.
    return try T(from: ValueDecoder(value: value, codingPath: path))
}

private func missing(_ type: Any.Type, at path: [any CodingKey]) -> DecodingError {
    .valueNotFound(type, .init(codingPath: path, debugDescription: "nil"))
}

/// Converts a value to a natively supported type; `nil` for other types, which decode themselves.
private func swiftValue<T>(_ value: Value, _ type: T.Type) -> Any? {
    switch type {
    case is any FixedWidthInteger.Type: return (type as? any FixedWidthInteger.Type).flatMap { integer(value, $0) } ?? value
    case is Double.Type: return AttributeType.double.coerce(value).flatMap { Double(value: $0) } ?? value
    case is Float.Type: return AttributeType.float.coerce(value).flatMap { Float(value: $0) } ?? value
    case is Decimal.Type: return AttributeType.decimal.coerce(value).flatMap { Decimal(value: $0) } ?? value
    case is Bool.Type: return AttributeType.boolean.coerce(value).flatMap { Bool(value: $0) } ?? value
    case is String.Type: return String(value: value) ?? value
    case is Date.Type: return Date(value: value) ?? value
    case is Data.Type: return Data(value: value) ?? value
    case is UUID.Type: return UUID(value: value) ?? value
    case is URL.Type: return URL(value: value) ?? value
    case is ObjectID.Type: return value.objectID ?? value
    default: return nil
    }
}

private func integer(_ value: Value, _ type: any FixedWidthInteger.Type) -> Any? {
    guard case .int(let number)? = AttributeType.integer64.coerce(value) else { return nil }
    return type.init(exactly: number)
}

/// Decodes one value for a type such as an enumeration with raw values.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: Value
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw nested([String: Value].self) }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw nested([Value].self) }
    private func nested(_ type: Any.Type) -> DecodingError { value.isNull ? missing(type, at: codingPath) : nesting(codingPath) }

    func decodeNil() -> Bool { value.isNull }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decodeValue(value, at: codingPath) }
}
