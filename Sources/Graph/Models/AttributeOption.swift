public import StrataModel
public import StrataQuery

/// An option of `@Attribute`: SwiftData's options, and those that only Core Data has.
public struct AttributeOption: Sendable {
    let isUnique: Bool
    let type: AttributeType?
    let apply: @Sendable (inout Attribute) -> Void

    private init(isUnique: Bool = false, type: AttributeType? = nil, _ apply: @escaping @Sendable (inout Attribute) -> Void = { _ in }) {
        self.isUnique = isUnique
        self.type = type
        self.apply = apply
    }

    /// No two objects have equal values.
    public static let unique = AttributeOption(isUnique: true)
    /// Large values may live in files beside the store; for `Data` and `Codable` values.
    public static let externalStorage = AttributeOption { $0.allowsExternalStorage = true }
    /// The tombstone of a deleted object keeps the value.
    public static let preserveValueOnDeletion = AttributeOption { $0.preservesValueInHistoryOnDeletion = true }
    /// The value is not stored; it is compared, validated and undone as others are.
    public static let ephemeral = AttributeOption { $0.isTransient = true }
    /// Returns the option that a transformer converts the value for the store.
    public static func transformable(by transformer: ValueTransformer) -> AttributeOption {
        AttributeOption { $0.transformer = transformer }
    }
    /// Returns the option of a type other than the property's: `.type(.integer16)` for an `Int`.
    ///
    /// The model refuses one that the property's type does not fit.
    public static func type(_ type: AttributeType) -> AttributeOption { AttributeOption(type: type) }
    /// Returns the option of a value that the store computes with each save that changes what it is derived of, see
    /// ``/StrataModel/Attribute/derived(_:)``.
    ///
    /// ```swift
    /// @Attribute(.derived("canonical:(title)")) var folded: String?
    /// @Attribute(.derived("pages.@count")) var pageCount: Int = 0
    /// ```
    /// The property can be read only. `expression` is of the format language, over the names of the class's properties.
    public static func derived(_ expression: String) -> AttributeOption { AttributeOption { $0.derivationExpression = expression } }
    /// Returns the option of a key that every new object gets, see ``/StrataModel/GeneratedValue``.
    ///
    /// ```swift
    /// @Attribute(.generated(.sequence)) var number: Int?
    /// @Attribute(.generated(.uuidV7)) var key: UUID?
    /// ```
    public static func generated(_ value: GeneratedValue) -> AttributeOption { AttributeOption { $0 = $0.generated(value) } }
    /// Values satisfy some rules when they are saved.
    public static func validation(_ rules: ValidationRule...) -> AttributeOption { AttributeOption { $0.validation += rules } }
    /// Values of the application's own.
    public static func userInfo(_ info: [String: String]) -> AttributeOption { AttributeOption { $0.userInfo.merge(info) { $1 } } }
}

extension CompositeElement {
    /// Returns the element with the options of its property.
    ///
    /// - Parameters:
    ///   - options: The options; none of them `.unique`, which needs a constraint over its path.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    public func options(_ options: [AttributeOption], originalName: String? = nil, hashModifier: String? = nil) -> CompositeElement {
        with { attribute in
            if let type = options.lazy.compactMap(\.type).last { attribute.type = type }
            for option in options { option.apply(&attribute) }
            attribute.renamingIdentifier = originalName ?? attribute.renamingIdentifier
            attribute.versionHashModifier = hashModifier ?? attribute.versionHashModifier
        }
    }
}
