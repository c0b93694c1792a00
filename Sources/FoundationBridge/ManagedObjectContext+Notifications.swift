public import Foundation
import StrataCoordinator
public import StrataGraph

extension ManagedObjectContext {
    /// Objects were inserted, changed or deleted, see ``/StrataGraph/ContextEvent/Kind/objectsDidChange``; Core Data's
    /// notification of this name.
    public static let didChangeObjectsNotification = Notification.Name("NSObjectsChangedInManagingContextNotification")
    /// The context is about to save; Core Data's notification of this name.
    public static let willSaveObjectsNotification = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// The context has saved, with the objects; Core Data's notification of this name.
    public static let didSaveObjectsNotification = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// The context has saved, with the IDs of the objects; Core Data's notification of this name.
    public static let didSaveObjectIDsNotification = Notification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
    /// The context has merged what others saved, with the IDs of the objects; Core Data's notification of this name.
    public static let didMergeChangesObjectIDsNotification = Notification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")

    /// The keys of the notifications' user info, Core Data's.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// The new objects, a `Set<ManagedObject>`.
        case insertedObjects = "inserted"
        /// The objects with changed values or relationships, a `Set<ManagedObject>`.
        case updatedObjects = "updated"
        /// The deleted objects, a `Set<ManagedObject>`.
        case deletedObjects = "deleted"
        /// The objects whose saved values were replaced, a `Set<ManagedObject>`.
        case refreshedObjects = "refreshed"
        /// Present if the context has unregistered all objects.
        case invalidatedAllObjects = "invalidatedAll"
        /// The IDs of new objects, a `Set<ObjectID>`.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of changed objects, a `Set<ObjectID>`.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of deleted objects, a `Set<ObjectID>`.
        case deletedObjectIDs = "deleted_objectIDs"
        /// All changes by ID, with the names of changed properties, a `ContextChange`.
        case change = "change"
    }

    /// Makes the context post its changes from now on during its lifetime; a container with a notification center does
    /// that for its contexts.
    ///
    /// The notifications' object is the context. They are posted on the context's own thread.
    public func postNotifications(to center: NotificationCenter = .default) {
        addListener { [weak self] event in
            guard let self else { return }
            for (name, info) in event.notifications { center.post(name: name, object: self, userInfo: info) }
        }
    }

    /// Merges the changes of another context's save, see
    /// ``/StrataGraph/ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    ///
    /// - Parameter notification: ``didSaveObjectsNotification`` or ``didSaveObjectIDsNotification``.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        guard let change = notification.userInfo?[NotificationKey.change.rawValue] as? ContextChange, change.kind == .didSave
        else { return }
        mergeChanges(fromContextDidSave: change)
    }
}

extension ContextEvent {
    private typealias Key = ManagedObjectContext.NotificationKey

    fileprivate var notifications: [(Notification.Name, [AnyHashable: Any])] {
        switch kind {
        case .willSave: [(ManagedObjectContext.willSaveObjectsNotification, [:])]
        case .objectsDidChange: [(ManagedObjectContext.didChangeObjectsNotification, objects)]
        case .didReset: [(ManagedObjectContext.didChangeObjectsNotification, [Key.invalidatedAllObjects.rawValue: true])]
        case .didSave:
            [(ManagedObjectContext.didSaveObjectsNotification, objects), (ManagedObjectContext.didSaveObjectIDsNotification, ids)]
        case .didMerge: [(ManagedObjectContext.didMergeChangesObjectIDsNotification, ids)]
        }
    }

    private var objects: [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [Key.change.rawValue: change]
        func add(_ objects: [ManagedObject], _ key: Key) { if !objects.isEmpty { info[key.rawValue] = Set(objects) } }
        add(inserted, .insertedObjects)
        add(updated, .updatedObjects)
        add(deleted, .deletedObjects)
        add(refreshed, .refreshedObjects)
        return info
    }

    private var ids: [AnyHashable: Any] {
        let change = change
        return [
            Key.change.rawValue: change,
            Key.insertedObjectIDs.rawValue: Set(change.changes.inserted),
            Key.updatedObjectIDs.rawValue: Set(change.changes.updated),
            Key.deletedObjectIDs.rawValue: Set(change.changes.deleted),
        ]
    }
}
