public import StrataModel
public import StrataQuery

/// A property that a class declares with its typed key: an attribute, or a relationship to objects of another class.
///
/// `@Model` generates these; see ``EntityDeclaration``.
public struct DeclaredProperty: Sendable {
    /// The name.
    public let name: String
    /// The attribute; `nil` for a relationship.
    public let attribute: Attribute?
    /// Whether no two objects have equal values of the property.
    public let isUnique: Bool
    let relationship: DeclaredRelationship?
    private(set) var keyPath: (any Sendable & AnyKeyPath)?

    private init(_ attribute: Attribute, isUnique: Bool) {
        name = attribute.name
        self.attribute = attribute
        self.isUnique = isUnique
        relationship = nil
    }

    init(_ relationship: DeclaredRelationship) {
        name = relationship.name
        attribute = nil
        isUnique = false
        self.relationship = relationship
    }

    private init(_ attribute: Attribute, isOptional: Bool, _ options: [AttributeOption], _ originalName: String?, _ hashModifier: String?) {
        var attribute = attribute
        attribute.isOptional = isOptional
        attribute.renamingIdentifier = originalName
        attribute.versionHashModifier = hashModifier
        for option in options { option.apply(&attribute) }
        self.init(attribute, isUnique: options.contains { $0.isUnique })
    }

    /// Returns the property with its key path, through which queries may then lead whatever its type.
    public func at(_ keyPath: any Sendable & AnyKeyPath) -> DeclaredProperty {
        var property = self
        property.keyPath = keyPath
        return property
    }

    /// Creates an attribute of a type that stores know.
    ///
    /// - Parameters:
    ///   - key: The typed key, with the name.
    ///   - isOptional: Whether an object may be saved without a value.
    ///   - defaultValue: The value that a new object starts with.
    ///   - options: What else holds for the attribute.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    public init<V: ValueConvertible>(
        _ key: Key<V>, isOptional: Bool, default defaultValue: V? = nil, options: [AttributeOption] = [], originalName: String? = nil,
        hashModifier: String? = nil
    ) {
        let type = options.lazy.compactMap(\.type).last ?? V.attributeType
        var attribute = Attribute(key, type, default: defaultValue?.value)
        attribute.isEnumeration = V.self is any RawRepresentable.Type
        self.init(attribute, isOptional: isOptional, options, originalName, hashModifier)
    }

    /// Creates a composite attribute.
    ///
    /// - Parameters:
    ///   - key: The typed key, with the name.
    ///   - isOptional: Whether an object may be saved without a value of any element.
    ///   - defaultValue: The value that a new object starts with.
    ///   - options: What else holds for the attribute.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    public init<C: CompositeValue>(
        _ key: Key<C>, isOptional: Bool, default defaultValue: C? = nil, options: [AttributeOption] = [], originalName: String? = nil,
        hashModifier: String? = nil
    ) {
        self.init(Attribute(key, default: defaultValue), isOptional: isOptional, options, originalName, hashModifier)
    }

    /// Creates an attribute of an enumeration's raw values.
    ///
    /// - Parameters:
    ///   - key: The typed key, with the name.
    ///   - isOptional: Whether an object may be saved without a value.
    ///   - defaultValue: The value that a new object starts with.
    ///   - options: What else holds for the attribute.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @_disfavoredOverload
    public init<V: RawRepresentable & Codable & Sendable>(
        _ key: Key<V>, isOptional: Bool, default defaultValue: V? = nil, options: [AttributeOption] = [], originalName: String? = nil,
        hashModifier: String? = nil
    ) where V.RawValue: ValueConvertible {
        let type = options.lazy.compactMap(\.type).last ?? V.RawValue.attributeType
        var attribute = Attribute(Key<V.RawValue>(key.path), type, default: defaultValue?.rawValue.value)
        attribute.isEnumeration = true
        self.init(attribute, isOptional: isOptional, options, originalName, hashModifier)
    }

    /// Creates an attribute of `Codable` values: of arrays of single values kept as keyed archives, as SwiftData keeps
    /// them, and of other types as JSON.
    ///
    /// - Parameters:
    ///   - key: The typed key, with the name.
    ///   - isOptional: Whether an object may be saved without a value.
    ///   - defaultValue: The value that a new object starts with; none where it cannot be encoded.
    ///   - options: What else holds for the attribute.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @_disfavoredOverload
    public init<V: Codable & Sendable>(
        _ key: Key<V>, isOptional: Bool, default defaultValue: V? = nil, options: [AttributeOption] = [], originalName: String? = nil,
        hashModifier: String? = nil
    ) {
        let transformer = ValueTransformer.swiftData(V.self)
        let bytes = defaultValue.flatMap { try? transformer.data(from: $0) }
        self.init(
            Attribute(key.path, .transformable, default: bytes.map { .data($0) }, transformer: transformer), isOptional: isOptional,
            options, originalName, hashModifier)
    }
}
