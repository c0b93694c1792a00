import StrataModel

/// An attribute of an entity: a value of the object itself.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable is unchecked, as its superclass's.

    private final var valueClassName: String?

    /// The type of the values; none unless one is set, which only transient attributes may have.
    open var attributeType: NSAttributeType = .undefinedAttributeType { willSet { checkIsEditable() } }
    /// The type of the values, in the spelling of later years.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set { attributeType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }
    /// The name of the class of the values: Foundation's for the type unless another one is set.
    ///
    /// Another one matters to nothing but readers of the model.
    open var attributeValueClassName: String? {
        get { valueClassName ?? attributeType.valueClassName }
        set {
            checkIsEditable()
            valueClassName = newValue
        }
    }
    /// The value of a new object: an `NSNumber` or Swift number, `String`, `Date`, `Data`, `UUID` or `URL` by its type.
    open var defaultValue: Any? { willSet { checkIsEditable() } }
    /// The name of the transformer of a transformable attribute; `nil` for the secure unarchiver.
    open var valueTransformerName: String? { willSet { checkIsEditable() } }
    /// Whether large binary values may live in files beside the store.
    open var allowsExternalBinaryDataStorage = false { willSet { checkIsEditable() } }
    /// Whether the tombstone of a deleted object preserves the value in the store's history.
    open var preservesValueInHistoryOnDeletion = false { willSet { checkIsEditable() } }
    /// Whether the value may be encrypted in the cloud; stored, and without effect.
    open var allowsCloudEncryption = false { willSet { checkIsEditable() } }

    /// 32 bytes of the name, the type, the modifier, whether it is optional, and how the value is kept.
    open override var versionHash: Data { (try? declaration()).map { Data(VersionHash.of($0)) } ?? Data() }

    override func emptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

    override func fill(_ copy: NSPropertyDescription) {
        super.fill(copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.attributeType = attributeType
        copy.valueClassName = valueClassName
        copy.defaultValue = defaultValue
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        copy.allowsCloudEncryption = allowsCloudEncryption
    }
}

/// An attribute that the store computes of other values whenever an object is saved.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    // Sendable is unchecked, as its superclass's.

    /// What the value is computed of, as in `canonical:(name)` or `pages.@count`; a model cannot be used without.
    ///
    /// More expressions may be derived than on Apple's systems: any path from the object to one value.
    open var derivationExpression: NSExpression? { willSet { checkIsEditable() } }

    override func emptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func fill(_ copy: NSPropertyDescription) {
        super.fill(copy)
        (copy as? NSDerivedAttributeDescription)?.derivationExpression = derivationExpression
    }
}

/// An attribute that is made of others: several named values as one.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    // Sendable is unchecked, as its superclass's.

    /// Creates a composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The elements; composite attributes may be among them.
    open var elements: [NSAttributeDescription] = [] {
        willSet { checkIsEditable() }
        didSet { for element in elements { element.isElement = true } }
    }

    override func freeze() {
        super.freeze()
        for element in elements { element.freeze() }
    }

    override func emptyCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func fill(_ copy: NSPropertyDescription) {
        super.fill(copy)
        (copy as? NSCompositeAttributeDescription)?.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
    }
}
