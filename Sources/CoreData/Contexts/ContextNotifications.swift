import Foundation
import StrataCoordinator
import StrataGraph

/// Posts the notifications of a context as Core Data does.
enum ContextNotifications {
    /// The user-info key of the graph's own change description.
    static let changeKey = "StrataContextChange"

    static func post(_ event: ContextEvent, of context: NSManagedObjectContext) {
        let center = NotificationCenter.default
        switch event.kind {
        case .willSave: center.post(name: .NSManagedObjectContextWillSave, object: context)
        case .objectsDidChange:
            center.post(.NSManagedObjectContextObjectsDidChange, object: context) { objects(event) }
        case .didReset:
            center.post(
                name: .NSManagedObjectContextObjectsDidChange, object: context,
                userInfo: [NSInvalidatedAllObjectsKey: context.takeForgottenIDs()])
        case .didSave:
            // Each list is present even if it is empty.
            let none: Set<NSManagedObject> = []
            var lists = [NSInsertedObjectsKey: none, NSUpdatedObjectsKey: none, NSDeletedObjectsKey: none] as [AnyHashable: Any]
            lists[NSManagedObjectContextQueryGenerationKey] = context.pinnedGeneration
            center.post(.NSManagedObjectContextDidSave, object: context) { [lists] in lists.merging(objects(event)) { _, known in known } }
            center.post(NSManagedObjectContext.didSaveObjectIDsNotification, object: context) { ids(event) }
        case .didMerge:
            center.post(NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context) { ids(event) }
        }
    }

    private static func objects(_ event: ContextEvent) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [changeKey: event.change]
        let lists = [
            (NSInsertedObjectsKey, event.inserted), (NSUpdatedObjectsKey, event.updated), (NSDeletedObjectsKey, event.deleted),
            (NSRefreshedObjectsKey, event.refreshed),
        ]
        for (key, objects) in lists where !objects.isEmpty { info[key] = Set(objects.lazy.compactMap { $0 as? NSManagedObject }) }
        return info
    }

    private static func ids(_ event: ContextEvent) -> [AnyHashable: Any] {
        let change = event.change
        return [
            changeKey: change,
            NSInsertedObjectIDsKey: Set(change.changes.inserted.lazy.map { NSManagedObjectID($0) }),
            NSUpdatedObjectIDsKey: Set(change.changes.updated.lazy.map { NSManagedObjectID($0) }),
            NSDeletedObjectIDsKey: Set(change.changes.deleted.lazy.map { NSManagedObjectID($0) }),
        ]
    }
}

extension NSManagedObjectContext {
    /// Subscribes to the events of the graph.
    final func listen() {
        guard let graph = madeGraph else { return }
        // The subscription lives as long as the graph, which deinit must not touch.
        listener = graph.addListener { [weakReference] event in
            if let context = NSManagedObjectContext.of(weakReference) { ContextNotifications.post(event, of: context) }
        }
        graph.shouldHandleInaccessibleFault = { [weakReference] object, id in
            guard let context = NSManagedObjectContext.of(weakReference), let object = object as? NSManagedObject else { return true }
            return context.shouldHandleInaccessibleFault(object, for: NSManagedObjectID(id), triggeredByProperty: nil)
        }
    }
}
