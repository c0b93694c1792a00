/// The user-info key of the objects that were inserted.
public let NSInsertedObjectsKey = "inserted"
/// The user-info key of the objects that were changed.
public let NSUpdatedObjectsKey = "updated"
/// The user-info key of the objects that were deleted.
public let NSDeletedObjectsKey = "deleted"
/// The user-info key of the objects that were refreshed.
public let NSRefreshedObjectsKey = "refreshed"
/// The user-info key of the objects that were invalidated.
public let NSInvalidatedObjectsKey = "invalidated"
/// The user-info key that marks that all objects of the context were invalidated: its value is an array of their IDs.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The user-info key of the query generation that a context reads from.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

/// The user-info key of the IDs of objects that were inserted.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The user-info key of the IDs of objects that were changed.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The user-info key of the IDs of objects that were deleted.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The user-info key of the IDs of objects that were refreshed.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The user-info key of the IDs of objects that were invalidated.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

extension NSManagedObjectContext {
    /// The user-info keys of a context's notifications.
    public enum NotificationKey: String, Hashable, Sendable {
        /// The objects that were inserted.
        case insertedObjects = "inserted"
        /// The objects that were changed.
        case updatedObjects = "updated"
        /// The objects that were deleted.
        case deletedObjects = "deleted"
        /// The objects that were refreshed.
        case refreshedObjects = "refreshed"
        /// The objects that were invalidated.
        case invalidatedObjects = "invalidated"
        /// All objects were invalidated.
        case invalidatedAllObjects = "invalidatedAll"
        /// The query generation that the context reads from.
        case queryGeneration = "newQueryGeneration"
        /// The IDs of objects that were inserted.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of objects that were changed.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of objects that were deleted.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of objects that were refreshed.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of objects that were invalidated.
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}
