import StrataModel

/// A store that is called for each request and each save: for a web service, a database, any source of data.
///
/// A subclass overrides ``loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)`` and
/// ``newValue(forRelationship:forObjectWith:with:)``, and mostly ``obtainPermanentIDs(for:)``. Its methods are called
/// on the threads of contexts.
///
/// Parts of a fetch other than conditions on attributes and to-one relationships, an order and a limit (collections,
/// groups, dictionaries) are computed from the objects that the store returns.
// Unchecked, as its superclass; a subclass is responsible for its own state.
open class NSIncrementalStore: NSPersistentStore, ReferencedStore, @unchecked Sendable {
    final let references = ReferenceTable()
    final let versions = VersionTable()

    // MARK: - For subclasses

    /// Loads the metadata of the store, and sets ``NSPersistentStore/metadata``: a subclass overrides it.
    ///
    /// A missing type, UUID or version hashes are added afterwards.
    ///
    /// - Throws: The error that keeps the store from being opened.
    open override func loadMetadata() throws { missing("loadMetadata:") }

    /// Executes a request; a subclass overrides it.
    ///
    /// - Parameters:
    ///   - request: An `NSFetchRequest` for objects, IDs or their number, or an ``NSSaveChangesRequest``.
    ///   - context: The context of a save; for a fetch one whose `object(with:)` makes objects.
    /// - Returns: Objects of the context, IDs, or an array with one number, by result type; nothing for a save.
    /// - Throws: The error of the fetch or the save.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        missing("executeRequest:withContext:error:")
    }

    /// Returns the values of an object; a subclass overrides it.
    ///
    /// - Throws: The error of the access; for a missing object an `NSError` with
    ///   `NSManagedObjectReferentialIntegrityError`.
    open func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws -> NSIncrementalStoreNode {
        missing("newValuesForObjectWithID:withContext:error:")
    }

    /// Returns the destinations of a relationship of an object: an ID or an `NSNull`, or the IDs of a to-many
    /// relationship; a subclass overrides it.
    ///
    /// - Throws: The error of the access.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any { missing("newValueForRelationship:forObjectWithID:withContext:error:") }

    /// Returns the identifier of a new store at a URL: a new UUID by default.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Returns permanent IDs for new objects, in their order; a subclass with keys of its own overrides it.
    ///
    /// - Throws: The error that fails the save.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }

    /// For subclasses that override it: the graph does not report which objects its contexts register.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}
    /// For subclasses that override it: the graph does not report which objects its contexts register.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    private func missing(_ method: String) -> Never {
        programmerError("\(Swift.type(of: self)) does not override -[NSIncrementalStore \(method)].")
    }

    // MARK: - IDs

    /// Returns the ID of the object of an entity that the store knows by a reference object.
    public final func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        references.id(of: data, entity, in: self)
    }

    /// Returns an object's reference object in the store.
    public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
        references.object(of: objectID.id.reference, objectID.id.entity)
    }
}

/// The values of one object of an incremental store, with the version that they are of.
open class NSIncrementalStoreNode: NSObject {
    /// The ID of the object.
    public final let objectID: NSManagedObjectID
    /// The version of the values: a later one has a greater number.
    public final private(set) var version: UInt64
    private final var values: [String: Any]

    /// Creates a node with values by property name.
    ///
    /// A missing attribute is nil, a missing relationship is read separately; the value of a to-one is an ID.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
        super.init()
    }

    /// Gives the node other values.
    public final func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// Returns the value of a property; `nil` if the node lacks it, an `NSNull` for a nil to-one relationship.
    public final func value(for prop: NSPropertyDescription) -> Any? { value(named: prop.name) }

    final func value(named name: String) -> Any? { values[name] }
}
