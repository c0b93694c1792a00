import StrataGraph
import StrataModel

/// An entity of a model: its name, its class, its properties, its super-entity and its sub-entities.
///
/// It may be changed until its model is used by a coordinator; changes trap from then on.
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Sendable is unchecked: one thread uses it until its model is frozen, and it never changes afterwards.

    /// The compiled form of a frozen entity.
    private struct Frozen {
        let compiled: EntityDescription
        let propertiesByName: [String: NSPropertyDescription]
        let attributesByName: [String: NSAttributeDescription]
        let relationshipsByName: [String: NSRelationshipDescription]
    }

    private final var frozen: Frozen?
    final weak var ownModel: NSManagedObjectModel?
    final let weakReference = WeakBox<NSEntityDescription>()
    @EntityReference private final var parent: NSEntityDescription?
    private final var className: String?
    final private(set) var ownProperties: [NSPropertyDescription] = []
    /// The name of the entity in an earlier version, if it was set.
    final private(set) var formerName: String?

    /// Creates an entity without a name and without properties.
    public override init() {
        super.init()
        weakReference.set(self)
    }

    deinit {
        weakReference.set(nil)
        if let frozen { Counterparts.remove(self, for: frozen.compiled) }
    }

    final func checkIsEditable() {
        if frozen != nil { programmerError(immutableModel) }
        model?.noteChange()
    }

    // MARK: - Itself

    /// The name, unique in the model.
    open var name: String? { willSet { checkIsEditable() } }
    /// The name of the class of the entity's objects, with or without its module; `NSManagedObject` by default.
    ///
    /// A name without module means the class of that name in the program, whichever module it is in, if there is just
    /// one. A class that does not exist is replaced by `NSManagedObject`, which is logged on standard error; one that
    /// is no subclass of it makes the model unusable.
    open var managedObjectClassName: String! {
        get { className ?? "NSManagedObject" }
        set {
            checkIsEditable()
            className = newValue
        }
    }
    /// Whether only sub-entities of the entity have objects.
    open var isAbstract = false { willSet { checkIsEditable() } }
    /// Custom data of the application; texts in a model file.
    open var userInfo: [AnyHashable: Any]? = [:] { willSet { checkIsEditable() } }
    /// Text that makes the version hash differ where nothing else does.
    open var versionHashModifier: String? { willSet { checkIsEditable() } }
    /// The name that the entity had in an earlier version of the model; its name by default.
    open var renamingIdentifier: String? {
        get { formerName ?? name }
        set {
            checkIsEditable()
            formerName = newValue
        }
    }
    /// The display name of objects in Spotlight; stored, and without effect.
    open var coreSpotlightDisplayNameExpression: NSExpression! { willSet { checkIsEditable() } }
    /// The model that the entity belongs to.
    ///
    /// Traps if there is none.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else { programmerError("The entity '\(name ?? "")' belongs to no model.") }
        return model
    }
    final var model: NSManagedObjectModel? { ownModel ?? parent?.model }

    // MARK: - Inheritance

    /// The entity whose properties this one inherits.
    open var superentity: NSEntityDescription? { parent }
    /// The entities that inherit from this one directly.
    ///
    /// Those that are set become the model's with this one.
    open var subentities: [NSEntityDescription] = [] {
        willSet { checkIsEditable() }
        didSet {
            for entity in oldValue where entity.parent === self { entity.parent = nil }
            for entity in subentities { entity.parent = self }
        }
    }
    /// The entities that inherit from this one directly, by name.
    open var subentitiesByName: [String: NSEntityDescription] { NSManagedObjectModel.byName(subentities) }

    /// Returns whether the entity is another one or descends from it.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var current: NSEntityDescription? = self
        while let ancestor = current {
            if ancestor === entity { return true }
            current = ancestor.superentity
        }
        return false
    }

    // MARK: - Properties

    /// The properties, those of the ancestors first.
    ///
    /// Of those that are set, the ones of an ancestor stay the ancestor's.
    open var properties: [NSPropertyDescription] {
        get { (parent?.properties ?? []) + ownProperties }
        set {
            checkIsEditable()
            for property in ownProperties where property.owner === self { property.owner = nil }
            let inherited = Set((parent?.properties ?? []).map { ObjectIdentifier($0) })
            ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
            for property in ownProperties { property.owner = self }
        }
    }
    /// The properties by name, those of the ancestors too.
    open var propertiesByName: [String: NSPropertyDescription] { frozen?.propertiesByName ?? byName() }
    /// The attributes by name, those of the ancestors too.
    open var attributesByName: [String: NSAttributeDescription] { frozen?.attributesByName ?? byName() }
    /// The relationships by name, those of the ancestors too.
    open var relationshipsByName: [String: NSRelationshipDescription] { frozen?.relationshipsByName ?? byName() }

    /// Returns the relationships that reference an entity.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity === entity }
    }

    /// Returns the properties of a kind, by name.
    private func byName<Property: NSPropertyDescription>() -> [String: Property] {
        Dictionary(properties.compactMap { $0 as? Property }.map { ($0.name, $0) }) { $1 }
    }

    // MARK: - Constraints and indexes

    /// The indexes over the entity's properties.
    ///
    /// No part of the version hash.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { checkIsEditable() }
        didSet { for index in indexes { index.owner = self } }
    }
    /// Lists of attributes, by name or by description, of which no two objects have the same values together.
    ///
    /// Those of the ancestors hold too.
    open var uniquenessConstraints: [[Any]] = [] { willSet { checkIsEditable() } }
    /// Always empty, as in Core Data since fetch indexes replaced them.
    @available(*, deprecated, message: "Use indexes instead")
    open var compoundIndexes: [[Any]] {
        get { [] }
        set { checkIsEditable() }
    }

    // MARK: - Versions

    /// 32 bytes that change with every change of the entity that matters to stored data; empty if the model is invalid.
    open var versionHash: Data {
        if let frozen { return Data(frozen.compiled.versionHash) }
        if let name, let model { return model.entityVersionHashesByName[name] ?? Data() }
        guard let name, let model = try? declaredAlone(), let entity = model.entity(named: name) else { return Data() }
        return Data(entity.versionHash)
    }

    // MARK: - Copying and comparing

    /// Returns an editable copy without parent; its properties, indexes and sub-entities are copied too.
    ///
    /// Relationships have the destinations of the original.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = ModelCopier.shallowCopy(of: self)
        copy.subentities = subentities.compactMap { $0.copy() as? NSEntityDescription }
        return copy
    }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the entity.
    ///
    /// The archive contains its sub-entities, but not its relationships' destinations: archive the model for these.
    open func encode(with coder: NSCoder) { coder.encodeDescription(ArchivedFamily(self)) }

    /// Creates the entity from an archive; `nil` if it contains none.
    public required convenience init?(coder: NSCoder) {
        guard let archived: ArchivedFamily = coder.decodeDescription() else { return nil }
        self.init()
        archived.fill(self)
    }

    /// Returns whether two entities have equal declarations, and parents and classes of the same names.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return other === self || name == other.name && managedObjectClassName == other.managedObjectClassName && declares(theSameAs: other)
    }

    /// Hashes the name.
    open override var hash: Int { name.hashValue }

    /// The name and the names of the properties, for a person to read.
    open override var description: String {
        "<NSEntityDescription> name \(name ?? ""), managedObjectClassName \(managedObjectClassName ?? ""), "
            + "isAbstract \(isAbstract), superentity \(parent?.name ?? "(null)"), "
            + "properties [\(properties.map(\.name).sorted().joined(separator: ", "))]"
    }

    /// The entity in Strata's terms, which freezes the model; traps for an invalid model, and without one.
    final var compiled: EntityDescription {
        if let frozen { return frozen.compiled }
        do { _ = try managedObjectModel.compiled() } catch {
            programmerError((error as NSError).localizedFailureReason ?? error.localizedDescription)
        }
        guard let frozen else { programmerError("The entity '\(name ?? "")' belongs to no model.") }
        return frozen.compiled
    }

    /// Ends all changes.
    final func freeze(as compiled: EntityDescription) {
        for property in ownProperties { property.freeze() }
        for index in indexes { index.freeze() }
        frozen = Frozen(compiled: compiled, propertiesByName: byName(), attributesByName: byName(), relationshipsByName: byName())
        Counterparts.add(self, for: compiled)
    }
}

extension NSEntityDescription: Sequence {
    /// Returns the names of the properties, one after the other.
    public func makeIterator() -> IndexingIterator<[String]> { properties.map(\.name).makeIterator() }
}
