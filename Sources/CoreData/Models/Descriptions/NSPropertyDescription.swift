public import Foundation
import StrataModel

/// A property of an entity: an attribute, a relationship, a fetched property, or an expression of a fetch.
///
/// It may be changed until its model is used by a coordinator; whatever would change it traps from then on.
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Sendable is unchecked: it is one thread's until its model is frozen, and never changes afterwards.

    private final var isFrozen = false
    @EntityReference final var owner: NSEntityDescription?
    /// The name that the property had in an earlier version, where one was said.
    final private(set) var formerName: String?
    /// Whether an index of its own was asked for in the old way.
    final fileprivate(set) var hasOwnIndex = false

    /// A property without a name.
    public override init() { super.init() }

    final func checkIsEditable() {
        if isFrozen { programmerError(immutableModel) }
    }

    /// Ends all changes.
    func freeze() { isFrozen = true }

    /// The name, unique in the entity and its ancestors.
    open var name = "" { willSet { checkIsEditable() } }
    /// Whether an object may be saved without a value; true by default.
    open var isOptional = true { willSet { checkIsEditable() } }
    /// Whether the value lives in the object only, and no store keeps it.
    open var isTransient = false { willSet { checkIsEditable() } }
    /// What an application keeps beside the property; texts of a model file.
    open var userInfo: [AnyHashable: Any]? = [:] { willSet { checkIsEditable() } }
    /// Text that makes the version hash differ where nothing else does.
    open var versionHashModifier: String? { willSet { checkIsEditable() } }
    /// The name that the property had in an earlier version of the model; its name unless another one is set.
    open var renamingIdentifier: String? {
        get { formerName ?? name }
        set {
            checkIsEditable()
            formerName = newValue
        }
    }
    /// Whether Spotlight finds objects by the property; kept, and without effect.
    open var isIndexedBySpotlight = false { willSet { checkIsEditable() } }
    /// Whether the value is kept in records for Spotlight; kept, and without effect.
    @available(*, deprecated, message: "Spotlight integration is deprecated")
    open var isStoredInExternalRecord: Bool {
        get { storesExternally }
        set {
            checkIsEditable()
            storesExternally = newValue
        }
    }
    fileprivate final var storesExternally = false
    /// Whether stores index the property.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { hasOwnIndex }
        set {
            checkIsEditable()
            hasOwnIndex = newValue
        }
    }
    /// The entity that declares the property; also of a property that a sub-entity inherits.
    ///
    /// Traps where there is none.
    open var entity: NSEntityDescription {
        guard let owner else { programmerError("The property '\(name)' belongs to no entity.") }
        return owner
    }

    // MARK: - Validation

    /// The conditions that a value has to meet when it is saved.
    open private(set) var validationPredicates: [NSPredicate] = []
    /// What is said where a condition is not met, one for each: a text for the error's description, or a number for its code.
    open private(set) var validationWarnings: [Any] = []

    /// Sets the conditions that a value has to meet when it is saved, and what is said of each where it is not met.
    ///
    /// In a condition `SELF` is the value, and `length` that of a text. Conditions without a warning have error 1550.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [Any]?
    ) {
        checkIsEditable()
        self.validationPredicates = validationPredicates ?? []
        self.validationWarnings = validationWarnings ?? []
    }

    // MARK: - Versions

    /// 32 bytes that change when the property does in a way that matters to stored data; empty for one that is not stored.
    open var versionHash: Data { Data() }

    // MARK: - Copying

    /// A property that is equal, belongs to no entity, and may be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = emptyCopy()
        fill(copy)
        return copy
    }

    /// A property of the same kind.
    func emptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    /// Gives another property of the kind what this one has.
    func fill(_ copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.formerName = formerName
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.storesExternally = storesExternally
        copy.hasOwnIndex = hasOwnIndex
        copy.validationPredicates = validationPredicates
        copy.validationWarnings = validationWarnings
    }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the property.
    ///
    /// It goes without its entity, and without those that a relationship references: archive the model for these.
    open func encode(with coder: NSCoder) { coder.encodeDescription(ArchivedProperty(self)) }

    /// The property from an archive; `nil` where that holds none.
    public required convenience init?(coder: NSCoder) {
        guard let archived: ArchivedProperty = coder.decodeDescription() else { return nil }
        self.init()
        archived.fill(self)
    }

    /// The kind and the name, for a person to read.
    open override var description: String { "<\(type(of: self))> name \(name), isOptional \(isOptional), isTransient \(isTransient)" }
}

extension NSPropertyDescription {
    /// The former name as it was said, `nil` for none.
    final func setFormerName(_ name: String?) { formerName = name }
    /// Whether an index of its own is asked for in the old way.
    final func setOwnIndex(_ flag: Bool) { hasOwnIndex = flag }
    /// Whether the value is kept in records for Spotlight, by the name that is not deprecated.
    final var isStoredExternally: Bool { storesExternally }
    /// Whether the value is kept in records for Spotlight.
    final func setStoresExternally(_ flag: Bool) { storesExternally = flag }
}
