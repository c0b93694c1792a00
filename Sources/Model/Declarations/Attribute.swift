/// Declares an attribute of an entity.
///
/// ```swift
/// Attribute("age", .integer16, default: 0, validation: [.range(0...150)])
/// Attribute("email", .string).required
/// Attribute(Person.name, .string)
/// ```
/// Declared with the class's typed key instead of the name, the key is checked when the model is created.
public struct Attribute: Sendable {
    /// The name, unique within the entity and its ancestors.
    public var name: String
    /// The type of the values.
    public var type: AttributeType
    /// Whether an object may be saved without a value; true by default, as in Core Data.
    public var isOptional = true
    /// Whether the value lives in the object only and never reaches a store.
    public var isTransient = false
    /// The value that a new object starts with.
    public var defaultValue: Value?
    /// The rules that a value must satisfy when it is saved.
    public var validation: [ValidationRule] = []
    /// Whether large binary values may live in a file beside the store.
    public var allowsExternalStorage = false
    /// Whether the tombstone of a deleted object preserves the value, in save events and histories.
    ///
    /// A transient attribute has no effect.
    public var preservesValueInHistoryOnDeletion = false
    /// The expression in the format language that computes the value whenever the object, or another one that it
    /// depends on, is saved: Core Data's `derivationExpression`; `nil` for an attribute that is set.
    public var derivationExpression: String?
    /// The elements of a composite attribute, composite ones among them; none for an attribute of another type.
    ///
    /// They are of any type but `undefined`, have no external storage, and are not derived. Each has its own default
    /// and its own validation. One that is required has a value wherever any of the composite's elements has one; where
    /// the composite is required too, always. Queries, constraints and indexes name an element by its path,
    /// `colorScheme.primary`.
    public var elements: [Attribute] = []
    /// The typed key that the attribute was declared with, and the attribute types that it fits.
    package var key: (name: String, fits: Set<AttributeType>)?
    /// How a transformable attribute's values become bytes.
    public var transformer: ValueTransformer?
    /// The name that the attribute had in an earlier version of the model.
    public var renamingIdentifier: String?
    /// The declared renaming identifier of an element, without its path in the model.
    var ownRenamingIdentifier: String?
    /// Whether the values are the raw values of an enumeration, for which SwiftData's models have a composite attribute.
    public var isEnumeration = false
    /// Text that makes the version hash differ where nothing else does.
    public var versionHashModifier: String?
    /// Custom data of the application.
    public var userInfo: [String: String] = [:]

    /// Creates an attribute, optional and persistent by default.
    public init(
        _ name: String,
        _ type: AttributeType,
        default defaultValue: Value? = nil,
        validation: [ValidationRule] = [],
        transformer: ValueTransformer? = nil
    ) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.validation = validation
        self.transformer = transformer
    }

    /// Creates a composite attribute, optional and persistent by default: several values that belong together.
    ///
    /// ```swift
    /// Attribute("colorScheme") {
    ///     Attribute("primary", .string)
    ///     Attribute("secondary", .string, default: "white")
    /// }
    /// ```
    public init(_ name: String, @AttributeBuilder elements: () -> [Attribute]) {
        self.init(name, .composite)
        self.elements = elements()
    }

    /// The attribute, without which no object is saved.
    public var required: Attribute { with { $0.isOptional = false } }
    /// The attribute, made transient.
    public var transient: Attribute { with { $0.isTransient = true } }
    /// The attribute, with large values in files beside the store.
    public var externalStorage: Attribute { with { $0.allowsExternalStorage = true } }
    /// The attribute, with its value in the tombstones of deleted objects.
    public var preservedOnDeletion: Attribute { with { $0.preservesValueInHistoryOnDeletion = true } }
    /// Returns the attribute, computed by its store and never set: `.derived("canonical:(name)")`,
    /// `.derived("pages.@count")`, `.derived("now()")`.
    ///
    /// Any expression of the format language with a single value is valid. Dependencies are tracked within a save: the
    /// object's own values, those of objects that its relationships reference, and which objects they reference.
    public func derived(_ expression: String) -> Attribute { with { $0.derivationExpression = expression } }
    /// Returns the attribute, known by another name in an earlier version of the model.
    public func renamed(from name: String) -> Attribute { with { $0.renamingIdentifier = name } }
    /// Returns the attribute with user info added.
    public func userInfo(_ info: [String: String]) -> Attribute { with { $0.userInfo.merge(info) { $1 } } }

    /// Returns the single values of the attribute in rows, each with its path and whether it is transient: the
    /// attribute itself, or the elements of a composite one at any depth.
    package func values(
        behind prefix: String = "", isTransient isInTransient: Bool = false
    ) -> [(path: String, attribute: Attribute, isTransient: Bool)] {
        let isTransient = isTransient || isInTransient
        if type != .composite { return [(prefix + name, self, isTransient)] }
        return elements.flatMap { $0.values(behind: prefix + name + ".", isTransient: isTransient) }
    }

    /// Returns the attribute after a change.
    public func with(_ change: (inout Attribute) -> Void) -> Attribute {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Collects the elements of a composite attribute.
public typealias AttributeBuilder = ListBuilder<Attribute>
