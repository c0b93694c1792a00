import StrataModel

/// A property of an entity: an attribute, a relationship, a fetched property, or an expression of a fetch.
///
/// It may be changed until its model is used by a coordinator; changes trap from then on.
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Sendable is unchecked: one thread uses it until its model is frozen, and it never changes afterwards.

    private final var isFrozen = false
    @EntityReference final var owner: NSEntityDescription?
    /// Whether the property is an element of a composite attribute, of an entity that is not known here.
    final var isElement = false
    /// The name of the property in an earlier version, if it was set.
    final private(set) var formerName: String?
    /// Whether it has an index of its own, by the name that is not deprecated.
    final var hasOwnIndex = false { willSet { checkIsEditable() } }
    /// Whether the value is in records for Spotlight, by the name that is not deprecated.
    final var isStoredExternally = false { willSet { checkIsEditable() } }

    final func checkIsEditable() {
        if isFrozen { programmerError(immutableModel) }
        noteChange()
    }

    /// Counts a change of the model that the property belongs to, before it is made.
    private final func noteChange() {
        if let model = owner?.model { model.noteChange() } else if isElement { ModelChanges.note() }
    }

    func freeze() { isFrozen = true }

    /// The name, unique in the entity and its ancestors.
    open var name = "" { willSet { checkIsEditable() } }
    /// Whether an object may be saved without a value; true by default.
    open var isOptional = true { willSet { checkIsEditable() } }
    /// Whether the value exists in the object only, and is not stored.
    open var isTransient = false { willSet { checkIsEditable() } }
    /// Custom data of the application, texts in a model file.
    ///
    /// It may be changed while the model is used, too: conditions of fetched properties then see the new values.
    open var userInfo: [AnyHashable: Any]? = [:] { willSet { noteChange() } }
    /// Text that makes the version hash differ where nothing else does.
    open var versionHashModifier: String? { willSet { checkIsEditable() } }
    /// The name that the property had in an earlier version of the model; its name by default.
    open var renamingIdentifier: String? {
        get { formerName ?? name }
        set {
            checkIsEditable()
            formerName = newValue
        }
    }
    /// Whether Spotlight finds objects by the property; stored, and without effect.
    open var isIndexedBySpotlight = false { willSet { checkIsEditable() } }
    /// Whether the value is in records for Spotlight; stored, and without effect.
    @available(*, deprecated, message: "Spotlight integration is deprecated")
    open var isStoredInExternalRecord: Bool {
        get { isStoredExternally }
        set { isStoredExternally = newValue }
    }
    /// Whether stores index the property.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { hasOwnIndex }
        set { hasOwnIndex = newValue }
    }
    /// The entity that declares the property; also of a property that a sub-entity inherits.
    ///
    /// Traps if there is none.
    open var entity: NSEntityDescription {
        guard let owner else { programmerError("The property '\(name)' belongs to no entity.") }
        return owner
    }

    // MARK: - Validation

    /// The conditions that a value has to meet when it is saved.
    open private(set) var validationPredicates: [NSPredicate] = []
    /// The warning of each condition: a text for the error's description, or a number for its code.
    open private(set) var validationWarnings: [Any] = []

    /// Sets the conditions that a saved value has to meet, and the warning of each.
    ///
    /// In a condition `SELF` is the value, and `length` that of a text. Conditions without a warning have error 1550.
    open func setValidationPredicates(_ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [Any]?) {
        checkIsEditable()
        self.validationPredicates = validationPredicates ?? []
        self.validationWarnings = validationWarnings ?? []
    }

    // MARK: - Versions

    /// 32 bytes that change with every change of the property that matters to stored data; empty if not stored.
    open var versionHash: Data { Data() }

    // MARK: - Copying

    /// Returns a property that is equal, belongs to no entity, and may be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = emptyCopy()
        fill(copy)
        return copy
    }

    /// Returns an empty property of the same kind.
    func emptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    /// Copies the settings to another property of the kind.
    func fill(_ copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.formerName = formerName
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.isStoredExternally = isStoredExternally
        copy.hasOwnIndex = hasOwnIndex
        copy.validationPredicates = validationPredicates
        copy.validationWarnings = validationWarnings
    }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the property.
    ///
    /// The archive contains neither its entity nor a relationship's destination: archive the model for these.
    open func encode(with coder: NSCoder) { coder.encodeDescription(ArchivedProperty(self)) }

    /// Creates the property from an archive; `nil` if it contains none.
    public required convenience init?(coder: NSCoder) {
        guard let archived: ArchivedProperty = coder.decodeDescription() else { return nil }
        self.init()
        archived.fill(self)
    }

    /// The kind and the name, for a person to read.
    open override var description: String { "<\(type(of: self))> name \(name), isOptional \(isOptional), isTransient \(isTransient)" }
}
