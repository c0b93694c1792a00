public import Foundation
import StrataModel

/// A store that is asked for what is needed, and told what changes: a web service, a database, anything.
///
/// A subclass overrides ``loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)`` and
/// ``newValue(forRelationship:forObjectWith:with:)``, and mostly ``obtainPermanentIDs(for:)``. Its methods are called by whichever thread
/// a context works on.
///
/// What a fetch asks for beyond conditions over attributes and to-one relationships, an order and a limit is computed over the objects that
/// the store gives: collections, groups, dictionaries.
// Unchecked, as its superclass; a subclass answers for what it adds.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
    final let references = ReferenceTable()
    final let versions = VersionTable()

    /// A store that is still to be opened.
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: - For subclasses

    /// Reads what the store says of itself, and sets ``NSPersistentStore/metadata``: a subclass overrides it.
    ///
    /// What is missing of the type, the UUID and the version hashes is filled in afterwards.
    ///
    /// - Throws: What keeps the store from being opened.
    open override func loadMetadata() throws { missing("loadMetadata:") }

    /// Answers a request; a subclass overrides it.
    ///
    /// - Parameters:
    ///   - request: An `NSFetchRequest` for objects, IDs or their number, or an ``NSSaveChangesRequest``.
    ///   - context: The context that a save is of; for a fetch one that objects can be made with by `object(with:)`.
    /// - Returns: Objects of the context, IDs, or an array with one number, as the request's result type says; nothing for a save.
    /// - Throws: What fails the fetch, or the save.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        missing("executeRequest:withContext:error:")
    }

    /// The values of an object; a subclass overrides it.
    ///
    /// - Throws: What fails the access; where there is no such object, an `NSError` with `NSManagedObjectReferentialIntegrityError`.
    open func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws -> NSIncrementalStoreNode {
        missing("newValuesForObjectWithID:withContext:error:")
    }

    /// What a relationship of an object references: an ID or an `NSNull`, or the IDs of a to-many relationship; a subclass overrides it.
    ///
    /// - Throws: What fails the access.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any { missing("newValueForRelationship:forObjectWithID:withContext:error:") }

    /// The identifier of a store that is made at a URL: a new UUID, unless a subclass says otherwise.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// IDs for new objects, which are about to be saved, in their order; a subclass that has keys of its own overrides it.
    ///
    /// - Throws: What fails the save.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }

    /// Here for subclasses that override it: the graph does not tell which objects its contexts know.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}
    /// Here for subclasses that override it: the graph does not tell which objects its contexts know.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    private func missing(_ method: String) -> Never {
        programmerError("\(Swift.type(of: self)) does not override -[NSIncrementalStore \(method)].")
    }

    // MARK: - IDs

    /// The ID of the object of an entity that the store knows by a reference object.
    public final func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        references.id(of: data, entity, in: self)
    }

    /// What the store knows an object by.
    public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
        references.object(of: objectID.id.reference, objectID.id.entity)
    }
}
