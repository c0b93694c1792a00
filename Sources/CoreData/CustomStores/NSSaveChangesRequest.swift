public import StrataGraph

/// A save request of an incremental store.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects, which have their permanent IDs.
    public final let insertedObjects: Set<NSManagedObject>?
    /// The changed objects.
    public final let updatedObjects: Set<NSManagedObject>?
    /// The deleted objects, which still have their values.
    public final let deletedObjects: Set<NSManagedObject>?
    /// The objects that the save does not change, and that no other context may have changed.
    public final let lockedObjects: Set<NSManagedObject>?

    /// Creates a request to save changes; one without any saves the store's metadata.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// Returns a request to save the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        take(copy)
        return copy
    }
}
