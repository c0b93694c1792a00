import StrataGraph
import StrataModel

extension NSEntityDescription {
    /// The entity of objects that key paths are resolved with to find property names: they have no model.
    static let ofProbes = NSEntityDescription()

    /// Returns a new object of a compiled entity's class, without a context.
    static func newObject(of entity: EntityDescription) -> NSManagedObject {
        let type = entity.objectClass as? NSManagedObject.Type ?? NSManagedObject.self
        let object = type.init(.unattached(entity))
        object.beginWithoutContext()
        return object
    }
}
