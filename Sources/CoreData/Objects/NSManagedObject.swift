public import StrataGraph
import StrataModel

/// An object of the graph, with Core Data's names: a record of a store, or a new one, with its relationships to others.
///
/// A custom class has properties that are `@NSManaged`, whose accessors the package plugin `CoreDataClasses` writes, or
/// that the plugin generates from a model file. There is one object per record in a context, and it belongs to its
/// context's queue.
///
/// Unlike Apple's it is no `NSObject`: key-value observing and selectors need the Objective-C run time.
@safe open class NSManagedObject: ManagedObject {
    // MARK: - Making objects

    /// Creates a new object of an entity in a context; without one, the context's `insert(_:)` inserts it later.
    ///
    /// It also creates the objects that a context fetches. Called on `NSManagedObject` itself, it creates an object of
    /// the entity's own class, as long as that class has no stored properties.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let context, let origin = context.takeOrigin() {
            super.init(origin)
            context.insertFromOrigin(self)
            return
        }
        let compiled = entity.compiled
        guard let context else {
            super.init(.unattached(compiled))
            becomeInstance(of: compiled)
            beginWithoutContext()
            return
        }
        let graph = context.graph
        super.init(context.originOfNewObject(of: compiled))
        becomeInstance(of: compiled)
        graph.register(inserted: self)
    }

    /// Makes an object for the graph.
    public required convenience init(_ origin: ObjectOrigin) {
        let context = NSManagedObjectContext.of(origin.context)
        let carrier = context ?? OriginCarrier(())
        carrier.creation.origin = origin
        let entity = context?.creation.entities[origin.id.entity.index.rawValue] ?? Counterparts.entity(of: origin.id.entity) ?? .ofProbes
        self.init(entity: entity, insertInto: carrier)
    }

    /// Creates and inserts a new object of the one entity that names this class: `Person(context: context)`.
    ///
    /// - Precondition: Exactly one entity of the context's model names the class.
    public convenience init(context: NSManagedObjectContext) { self.init(entity: Self.entity(in: context), insertInto: context) }

    /// Creates an object without a context of the one entity that names this class, in the models that are in use.
    ///
    /// Apple's systems make an object without an entity.
    ///
    /// - Precondition: An entity names the class.
    public convenience init() {
        guard let entity = ModelsInUse.onlyEntity(of: Self.self) else {
            programmerError("Failed to call designated initializer on NSManagedObject class '\(Self.self)'")
        }
        self.init(entity: entity, insertInto: nil)
    }

    // MARK: - The class

    /// Returns the one entity that names this class, in the models that are in use.
    ///
    /// Of a class that none or several name, it is an entity without a name; that is logged, but for `NSManagedObject` itself.
    open class func entity() -> NSEntityDescription {
        if self == NSManagedObject.self { return ModelsInUse.onlyEntity(of: self) ?? NSEntityDescription() }
        return ModelsInUse.entity(of: self)
    }

    /// Returns a request for all objects of the one entity that names this class.
    ///
    /// The overload of a class with its own type, as in generated classes, is preferred.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { ownRequest }

    /// Whether a change of a property that the model does not have leaves the object unchanged: always true here.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// Returns the key paths that affect a value, for overrides: there is no key-value observing here.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    /// Returns whether key-value observers are notified automatically, for overrides: there are no such observers here.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

    // MARK: - The context and the state

    /// The context; `nil` once the object was deleted and saved, or the context forgot it.
    open var managedObjectContext: NSManagedObjectContext? {
        NSManagedObjectContext.of((self as ManagedObject).managedObjectContext)
    }
    /// The object's own entity, which may be a sub-entity of the requested one.
    open var entity: NSEntityDescription { (self as ManagedObject).entity.counterpart }
    /// The ID; temporary until the first save.
    open var objectID: NSManagedObjectID { NSManagedObjectID((self as ManagedObject).objectID) }

    /// Whether the object is new: inserted and not yet saved.
    open var isInserted: Bool { (self as ManagedObject).isInserted }
    /// Whether the object was saved before and has changes that are not.
    open var isUpdated: Bool { (self as ManagedObject).isUpdated }
    /// Whether the next save deletes the object.
    open var isDeleted: Bool { (self as ManagedObject).isDeleted }
    /// Whether the object is new, changed or deleted.
    open var hasChanges: Bool { (self as ManagedObject).hasChanges }
    /// Whether the persistent values differ from those in the store; fires no fault.
    open var hasPersistentChangedValues: Bool { (self as ManagedObject).hasPersistentChangedValues }
    /// Whether the object's attributes were not accessed since its fetch, or are not loaded, if unregistered.
    open var isFault: Bool { (self as ManagedObject).isFault || (self as ManagedObject).isLeftEmpty }
    /// Zero for an object with its values, else not.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Returns whether the destinations of a to-many relationship are not loaded.
    public final func hasFault(forRelationshipNamed key: String) -> Bool { (self as ManagedObject).hasFault(forRelationshipNamed: key) }

    /// Returns the IDs of a relationship's destinations, without instantiating them; for to-one one at most.
    public final func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        reading(key, else: []) { try (self as ManagedObject).objectIDs(forRelationshipNamed: key).map { NSManagedObjectID($0) } }
    }

    // MARK: - Values by name

    /// Returns the value of a property: an `NSNumber`, `NSSet` or `NSOrderedSet` for numbers and relationships.
    ///
    /// Reading fires the object's fault. An unreadable value is nil, and the context's next save throws the error.
    open func value(forKey key: String) -> Any? {
        if let accessor = NamedMembers.accessor(key, of: Self.self) { return Boxing.boxed(member: accessor.get(self)) }
        return keptValue(forKey: key)
    }

    /// Sets the value of a property by name.
    ///
    /// A numeric attribute takes numbers of every type, converted as an `NSNumber` is. An integer out of its range is
    /// stored, and fails the validation of a save.
    ///
    /// - Precondition: The value is of the property's type.
    open func setValue(_ value: Any?, forKey key: String) { setModeledValue(value, forKey: key) }

    /// Called by ``value(forKey:)`` for a key that the entity does not have: traps by default.
    open func value(forUndefinedKey key: String) -> Any? { undefinedKey(key, "valueForUndefinedKey:") }

    /// Called by ``setValue(_:forKey:)`` for a key that the entity does not have: traps by default.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { undefinedKey(key, "setValue:forUndefinedKey:") }

    /// Returns the object's value of a property without firing its fault.
    open func primitiveValue(forKey key: String) -> Any? { heldValue(forKey: key) }

    /// Sets the object's value of a property without recording a change or maintaining the inverse.
    ///
    /// Between ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, as in accessors of one's own, the inverse of a relationship
    /// is maintained.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        if let change = managedObjectContext?.noted.relationshipChange, change == RelationshipChange(self, key) {
            set(value, key) { try (self as ManagedObject).setValue($0, forKey: key) }
        } else {
            set(value, key) { try (self as ManagedObject).setPrimitiveValue($0, forKey: key) }
        }
    }

    /// Prepares the object for a reading of a property's value: fires its fault.
    open func willAccessValue(forKey key: String?) {
        guard let key else {
            (self as ManagedObject).beginEmpty()
            let anyAttribute = (self as ManagedObject).entity.attributes.first
            if let anyAttribute { (self as ManagedObject).willAccessValue(forKey: anyAttribute.name) }
            return
        }
        (self as ManagedObject).willAccessValue(forKey: key)
    }
    /// Ends the access that ``willAccessValue(forKey:)`` began.
    open func didAccessValue(forKey key: String?) {}
    /// Prepares the object for a property's value to be changed.
    open func willChangeValue(forKey key: String) {
        guard hasProperty(key) else { return }
        (self as ManagedObject).willChangeValue(forKey: key)
        if case .relationship? = property(named: key) { managedObjectContext?.noted.relationshipChange = RelationshipChange(self, key) }
    }
    /// Takes note that a property's value was changed.
    open func didChangeValue(forKey key: String) {
        guard hasProperty(key) else { return }
        (self as ManagedObject).didChangeValue(forKey: key)
        if managedObjectContext?.noted.relationshipChange == RelationshipChange(self, key) {
            managedObjectContext?.noted.relationshipChange = nil
        }
    }
    /// Prepares the object for a to-many relationship to be changed.
    open func willChangeValue(forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>) {
        willChangeValue(forKey: key)
    }
    /// Takes note that a to-many relationship was changed.
    open func didChangeValue(forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>) {
        didChangeValue(forKey: key)
    }

    /// Returns the values, by name, as of the last fetch or save, of given properties or all; nil is an `NSNull`.
    ///
    /// Empty for an object that was never saved.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(forKeys: keys) }
    /// Returns the values, by name, of the properties changed since the last fetch or save; none is an `NSNull`.
    open func changedValues() -> [String: Any] { boxed((self as ManagedObject).changedValues()) }
    /// Returns the values, by name, before the changes of the present event; nil is an `NSNull`.
    open func changedValuesForCurrentEvent() -> [String: Any] { boxed((self as ManagedObject).changedValuesForCurrentEvent()) }

    // MARK: - Life cycle

    /// Called once, after a new object was inserted; an override sets values that cannot be defaults of the model.
    open override func awakeFromInsert() {}
    /// Called each time the object's values were read from a store; values set here do not count as changes.
    open override func awakeFromFetch() {}
    /// Called after the object's values were replaced by an undo, a redo, a rollback or a refresh.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
    /// Hands the graph's call on.
    public final override func awake(fromSnapshotEvents events: SnapshotEvents) {
        awake(fromSnapshotEvents: NSSnapshotEventType(rawValue: events.rawValue))
    }
    /// Called before the delete rules are followed.
    open override func prepareForDeletion() {}
    /// Called before each save of the object; changes made here are saved too, and may call it again.
    open override func willSave() {}
    /// Called after each save of the object.
    open override func didSave() {}
    /// Called before the object becomes a fault.
    open override func willTurnIntoFault() {}
    /// Called after the object became a fault.
    open override func didTurnIntoFault() {}

    // MARK: - Validation

    /// Validates a value for a property by the model's rules; an override checks more, and may replace the value.
    ///
    /// A save calls it for each new or changed value if a class overrides it, and for relationships with their
    /// destinations: an object, an `NSSet` or an `NSOrderedSet`. A to-many relationship that was not read is not read
    /// for that.
    ///
    /// - Throws: An `NSError` that describes the invalid value.
    open func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws { try unsafe checkValue(value, key) }
    /// Checks a new object.
    ///
    /// - Throws: An `NSError` with everything that is wrong.
    open override func validateForInsert() throws { try rethrowing { try super.validateForInsert() } }
    /// Checks a changed object.
    ///
    /// - Throws: An `NSError` with everything that is wrong.
    open override func validateForUpdate() throws { try rethrowing { try super.validateForUpdate() } }
    /// Checks whether the object may be deleted.
    ///
    /// - Throws: An `NSError` with everything that stands against it.
    open override func validateForDelete() throws { try rethrowing { try super.validateForDelete() } }

    // MARK: - Describing

    /// The class, the entity, the ID, and the values that are here; fires no fault.
    open override var description: String { stateText }
    /// The same as ``description``.
    open var debugDescription: String { description }
}

extension NSManagedObject: CustomDebugStringConvertible {}

/// The relationship that an accessor of one's own is changing.
struct RelationshipChange: Equatable {
    private let object: ObjectIdentifier
    private let key: String

    init(_ object: NSManagedObject, _ key: String) { (self.object, self.key) = (ObjectIdentifier(object), key) }
}
