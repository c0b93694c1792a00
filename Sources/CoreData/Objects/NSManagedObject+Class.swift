import Foundation
import StrataGraph
import StrataModel

extension NSManagedObject {
    /// A request for the class's objects, of the matching class: code casts it to that.
    static var ownRequest: NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<Self>()
        request.isErased = true
        return request.erased
    }

    /// Returns the one entity of a context's model that names this class.
    static func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
        if let last = context.lastMade, last.type == self { return last.entity }
        guard let entity = context.graph.entity(of: self) else {
            programmerError("An NSManagedObject of class '\(self)' must have a valid NSEntityDescription.")
        }
        let description = context.entities[entity.index.rawValue]
        context.lastMade = (self, description)
        return description
    }

    /// Changes the class of an object that was made as one of a superclass to the entity's own class.
    ///
    /// `NSManagedObject(entity:insertInto:)` returns an instance of the entity's class on Apple's systems.
    final func becomeInstance(of entity: EntityDescription) {
        guard let entityClass = entity.objectClass as? NSManagedObject.Type, entityClass != type(of: self) else { return }
        guard ClassLayout(entityClass).descends(from: type(of: self)) else { return }
        let (own, needed) = (ClassLayout(type(of: self)), ClassLayout(entityClass))
        guard own.instanceSize == needed.instanceSize else {
            programmerError(
                "\(entityClass) has stored properties: make its objects with \(entityClass)(entity:insertInto:), "
                    + "or NSEntityDescription.insertNewObject(forEntityName:into:)")
        }
        // Right: the class is a subclass of the object's, and adds no storage to it: the layout is the same.
        unsafe Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: UnsafeRawPointer.self).pointee = needed.metadata
    }
}
