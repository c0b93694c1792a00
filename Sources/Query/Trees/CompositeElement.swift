public import StrataModel

/// One element of a ``CompositeValue``: its name, its attribute, and the property that holds it.
public struct CompositeElement<Composite: Sendable>: Sendable {
    /// The element as an attribute of a model.
    public var attribute: Attribute
    let keyPath: any Sendable & AnyKeyPath
    /// The types of the element's single values.
    let types: [CompositeElementType]
    /// Sets the property to the value at a path; returns whether there is one.
    let read: @Sendable (_ composite: inout Composite, _ values: [String: Value], _ path: String) -> Bool
    /// Adds the property's value under the path of the element.
    let write: @Sendable (_ composite: Composite, _ values: inout [String: Value], _ path: String) throws -> Void
    /// Adds the forms in which stores may have the property's value, where there are several.
    private let addForms: (@Sendable (_ composite: Composite, _ forms: inout [String: [Value]], _ path: String) throws -> Void)?

    /// The name of the element.
    public var name: String { attribute.name }

    private init(
        _ attribute: Attribute, _ keyPath: any Sendable & AnyKeyPath,
        _ types: [CompositeElementType],
        read: @escaping @Sendable (_ composite: inout Composite, _ values: [String: Value], _ path: String) -> Bool,
        write: @escaping @Sendable (_ composite: Composite, _ values: inout [String: Value], _ path: String) throws -> Void,
        forms: (@Sendable (_ composite: Composite, _ forms: inout [String: [Value]], _ path: String) throws -> Void)? = nil
    ) {
        self.attribute = attribute
        self.keyPath = keyPath
        self.types = types
        self.read = read
        self.write = write
        addForms = forms
    }

    /// Adds the forms in which stores may have the property's value, under the path of the element; throws `QueryError`
    /// for a value that cannot be queried.
    func add(_ composite: Composite, to forms: inout [String: [Value]], _ path: String) throws {
        if let addForms { return try addForms(composite, &forms, path) }
        var values: [String: Value] = [:]
        try write(composite, &values, path)
        forms.merge(values.mapValues { [$0] }) { $1 }
    }

    /// Returns the element with validation rules.
    public func validation(_ rules: ValidationRule...) -> CompositeElement { with { $0.validation += rules } }
    /// Returns the element with its name in an earlier version of the model.
    public func renamed(from name: String) -> CompositeElement { with { $0.renamingIdentifier = name } }
    /// Returns the element after a change of its attribute.
    public func with(_ change: (inout Attribute) -> Void) -> CompositeElement {
        var copy = self
        change(&copy.attribute)
        return copy
    }

    /// Creates an element whose property is an optional.
    ///
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - keyPath: The property.
    ///   - type: The type of the attribute, where it differs from the property's default.
    public init<V: ValueConvertible & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, V?> & Sendable, type: AttributeType? = nil
    ) {
        self.init(CompositeElement.attribute(name, V.self, type), keyPath, [.init(V.self)]) { composite, values, path in
            guard let value = values[path].flatMap({ V(value: $0) }) else { return false }
            composite[keyPath: keyPath] = value
            return true
        } write: { composite, values, path in
            values[path] = composite[keyPath: keyPath]?.value ?? .null
        }
    }

    /// Creates an element whose property always has a value: without it the composite attribute is nil.
    ///
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - keyPath: The property.
    ///   - type: The type of the attribute, where it differs from the property's default.
    public init<V: ValueConvertible & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, V> & Sendable, type: AttributeType? = nil
    ) {
        self.init(CompositeElement.attribute(name, V.self, type).required, keyPath, [.init(V.self)]) { composite, values, path in
            guard let value = values[path].flatMap({ V(value: $0) }) else { return false }
            composite[keyPath: keyPath] = value
            return true
        } write: { composite, values, path in
            values[path] = composite[keyPath: keyPath].value
        }
    }

    private static func attribute<V: ValueConvertible & Sendable>(_ name: String, _: V.Type, _ type: AttributeType?) -> Attribute {
        Attribute(Key<V>(name), type ?? V.attributeType)
    }

    /// Creates an element of an enumeration's raw values, whose property is an optional.
    ///
    /// A raw value of no case, which a newer version of the program may have stored, reads as nil.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, V?> & Sendable, type: AttributeType? = nil
    ) where V.RawValue: ValueConvertible & Sendable {
        self.init(CompositeElement.attribute(name, V.RawValue.self, type), keyPath, [.init(V.self)]) { composite, values, path in
            guard let raw = values[path].flatMap({ V.RawValue(value: $0) }) else { return false }
            composite[keyPath: keyPath] = V(rawValue: raw)
            return true
        } write: { composite, values, path in
            values[path] = composite[keyPath: keyPath]?.rawValue.value ?? .null
        }
    }

    /// Creates an element of `Codable` values, stored as JSON, whose property is an optional.
    ///
    /// Bytes that cannot be decoded read as nil; a composite value with one that cannot be encoded is refused.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ name: String, _ keyPath: any WritableKeyPath<Composite, V?> & Sendable) {
        let transformer = ValueTransformer.json(V.self)
        self.init(Attribute(name, .transformable, transformer: transformer), keyPath, [.init(V.self, transformer)]) {
            composite, values, path in
            guard case .data(let bytes)? = values[path] else { return false }
            composite[keyPath: keyPath] = try? transformer.value(from: bytes) as? V
            return true
        } write: { composite, values, path in
            values[path] = try composite[keyPath: keyPath].flatMap { try transformer.data(from: $0) }.map { .data($0) } ?? .null
        } forms: { composite, forms, path in
            forms[path] = try composite[keyPath: keyPath].map { try QueryExpression.storedForms(of: $0) } ?? [.null]
        }
    }

    /// Creates an element of an enumeration's raw values, whose property always has a value.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, V> & Sendable, type: AttributeType? = nil
    ) where V.RawValue: ValueConvertible & Sendable {
        self.init(CompositeElement.attribute(name, V.RawValue.self, type).required, keyPath, [.init(V.self)]) { composite, values, path in
            guard let raw = values[path].flatMap({ V.RawValue(value: $0) }) else { return false }
            if let value = V(rawValue: raw) { composite[keyPath: keyPath] = value }
            return true
        } write: { composite, values, path in
            values[path] = composite[keyPath: keyPath].rawValue.value
        }
    }

    /// Creates an element of `Codable` values, stored as JSON, whose property always has a value.
    ///
    /// Bytes that cannot be decoded leave the property as in a new value; a composite value with one that cannot be
    /// encoded is refused.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(_ name: String, _ keyPath: any WritableKeyPath<Composite, V> & Sendable) {
        let transformer = ValueTransformer.json(V.self)
        self.init(Attribute(name, .transformable, transformer: transformer).required, keyPath, [.init(V.self, transformer)]) {
            composite, values, path in
            guard case .data(let bytes)? = values[path] else { return false }
            if let value = try? transformer.value(from: bytes) as? V { composite[keyPath: keyPath] = value }
            return true
        } write: { composite, values, path in
            values[path] = try transformer.data(from: composite[keyPath: keyPath]).map { .data($0) } ?? .null
        } forms: { composite, forms, path in
            forms[path] = try QueryExpression.storedForms(of: composite[keyPath: keyPath])
        }
    }

    /// Creates a composite element whose property is an optional.
    public init<C: CompositeValue>(_ name: String, _ keyPath: any WritableKeyPath<Composite, C?> & Sendable) {
        self.init(Attribute(name) { C.attributes }, keyPath, C.elementTypes(behind: ".")) { composite, values, path in
            guard let value = C(values, behind: path + ".") else { return false }
            composite[keyPath: keyPath] = value
            return true
        } write: { composite, values, path in
            if let value = composite[keyPath: keyPath] { return try value.add(to: &values, behind: path + ".") }
            for path in C.paths(behind: path + ".") { values[path] = .null }
        } forms: { composite, forms, path in
            if let value = composite[keyPath: keyPath] { return try value.add(to: &forms, behind: path + ".") }
            for path in C.paths(behind: path + ".") { forms[path] = [.null] }
        }
    }

    /// Creates a composite element whose property always has a value.
    public init<C: CompositeValue>(_ name: String, _ keyPath: any WritableKeyPath<Composite, C> & Sendable) {
        self.init(Attribute(name) { C.attributes }, keyPath, C.elementTypes(behind: ".")) { composite, values, path in
            guard let value = C(values, behind: path + ".") else { return false }
            composite[keyPath: keyPath] = value
            return true
        } write: { composite, values, path in
            try composite[keyPath: keyPath].add(to: &values, behind: path + ".")
        } forms: { composite, forms, path in
            try composite[keyPath: keyPath].add(to: &forms, behind: path + ".")
        }
    }
}

/// The type of a single value of a composite value, with its path from there.
struct CompositeElementType: Sendable {
    fileprivate(set) var path = ""
    let type: any Sendable.Type
    /// The transformer of a type that is only `Codable`.
    let transformer: ValueTransformer?

    init(_ type: any Sendable.Type, _ transformer: ValueTransformer? = nil) {
        self.type = type
        self.transformer = transformer
    }

    func behind(_ prefix: String) -> CompositeElementType {
        var type = self
        type.path = prefix + path
        return type
    }
}
