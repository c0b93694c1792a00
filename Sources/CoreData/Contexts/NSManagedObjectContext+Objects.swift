import StrataCoordinator
import StrataGraph
import StrataModel

extension NSManagedObjectContext {
    final func objects(_ set: (ManagedObjectContext) -> Set<ManagedObject>) -> Set<NSManagedObject> {
        Set((madeGraph.map(set) ?? []).compactMap { $0 as? NSManagedObject })
    }

    /// Returns the object of the graph as one of Core Data's.
    final func own(_ object: ManagedObject) -> NSManagedObject {
        guard let object = object as? NSManagedObject else {
            programmerError("\(type(of: object)) is no subclass of NSManagedObject")
        }
        return object
    }

    /// Converts thrown errors to Core Data's.
    final func cocoa<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw cocoaError(error, in: madeGraph) }
    }

    // MARK: - Merging

    /// Merges the changes of other contexts into contexts.
    ///
    /// - Parameters:
    ///   - changeNotificationData: Lists of IDs, or of their URIs, under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey`,
    ///     `NSDeletedObjectsKey` and similar keys.
    ///   - contexts: The contexts, on any queues.
    public static func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            context.executor.sync {
                guard let graph = context.madeGraph else { return }
                graph.mergeChanges(fromRemoteContextSave: RemoteChanges(userInfo: changeNotificationData, in: graph))
            }
        }
    }
}

extension RemoteChanges {
    /// Reads the user info of a notification: objects, IDs and URIs.
    init(userInfo: [AnyHashable: Any], in graph: ManagedObjectContext) {
        func ids(_ keys: String...) -> [ObjectID] {
            keys.flatMap { userInfo[$0].flatMap { Operand.members(of: $0) } ?? [] }.compactMap { member in
                switch member {
                case let object as NSManagedObject: (object as ManagedObject).objectID
                case let id as NSManagedObjectID: id.id
                case let uri as URL: graph.coordinator.objectID(forURI: uri.absoluteString)
                case let uri as String: graph.coordinator.objectID(forURI: uri)
                default: nil
                }
            }
        }
        self.init(
            inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
            updated: ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey),
            deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
    }
}
