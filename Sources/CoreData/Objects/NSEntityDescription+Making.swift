import StrataGraph
import StrataModel

extension NSEntityDescription {
    /// The entity of objects that key paths are read from to find properties' names: they are of no model.
    static let ofProbes = NSEntityDescription()

    /// A new object of a compiled entity's class, without a context.
    static func newObject(of entity: EntityDescription) -> NSManagedObject {
        let type = entity.objectClass as? NSManagedObject.Type ?? NSManagedObject.self
        let object = type.init(.unattached(entity))
        object.beginWithoutContext()
        return object
    }
}
