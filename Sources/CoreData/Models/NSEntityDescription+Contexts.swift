import StrataGraph
import StrataModel

extension NSEntityDescription {
    /// Returns the entity of a name in the model of a context.
    ///
    /// - Returns: `nil` where the model has no such entity. Traps where the context has no coordinator.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext) -> NSEntityDescription? {
        guard let coordinator = context.persistentStoreCoordinator else {
            programmerError("+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name '\(entityName)'")
        }
        return coordinator.managedObjectModel.entitiesByName[entityName]
    }

    /// Returns a new object of the entity of a name, in a context.
    ///
    /// Traps where the model of the context has no such entity, or it is abstract.
    public class func insertNewObject(forEntityName entityName: String, into context: NSManagedObjectContext) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            programmerError("+entityForName: could not locate an entity named '\(entityName)' in this model.")
        }
        let compiled = entity.compiled
        let objectClass = compiled.objectClass as? NSManagedObject.Type ?? NSManagedObject.self
        return objectClass.init(context.originOfInsertedObject(of: compiled))
    }

    /// The entity of objects that key paths are resolved with to find property names: they have no model.
    static let ofProbes = NSEntityDescription()
}
