import StrataGraph
import StrataModel

/// What a context needs for the objects that it creates.
struct ObjectCreation {
    /// The descriptions of the model's entities, by their indexes.
    var entities: [NSEntityDescription] = []
    /// The class of the last created object, with its entity.
    var lastMade: (type: NSManagedObject.Type, entity: NSEntityDescription)?
    /// The origin of the object that is being created.
    var origin: ObjectOrigin?
    /// Whether the object with the origin is inserted.
    var insertsOrigin = false
}

extension NSManagedObjectContext {
    /// Returns the context over one of the graph's.
    static func of(_ graph: ManagedObjectContext?) -> NSManagedObjectContext? { graph?.counterpart.flatMap { of($0) } }

    static func of(_ weakReference: WeakBox<AnyObject>) -> NSManagedObjectContext? {
        // Right: the weak references of contexts refer to contexts only.
        weakReference.object.map { unsafe unsafeDowncast($0, to: NSManagedObjectContext.self) }
    }

    /// Takes the origin of the object that is being created.
    final func takeOrigin() -> ObjectOrigin? {
        guard let origin = creation.origin else { return nil }
        creation.origin = nil
        return origin
    }

    /// Returns the origin of an object that its class's own initializer creates and inserts.
    final func originOfInsertedObject(of entity: EntityDescription) -> ObjectOrigin {
        let origin = originOfNewObject(of: entity)
        creation.insertsOrigin = true
        return origin
    }

    final func insertFromOrigin(_ object: NSManagedObject) {
        guard creation.insertsOrigin else { return }
        creation.insertsOrigin = false
        object.becomeInstance(of: (object as ManagedObject).objectID.entity)
        graph.register(inserted: object)
    }

    final func originOfNewObject(of entity: EntityDescription) -> ObjectOrigin {
        do { return try graph.originOfNewObject(of: entity) } catch {
            programmerError(
                entity.isAbstract
                    ? "Cannot create an object of the abstract entity \(entity.name)."
                    : "An object of \(entity.name) cannot be inserted into a context with another model: \(error)")
        }
    }

    final func requireQueue() {
        if concurrencyType == .confinementConcurrencyType {
            programmerError("Can only use -performBlock: on an NSManagedObjectContext that was created with a queue.")
        }
    }

    final func endEvent() { try? madeGraph?.processPendingChanges() }
}
