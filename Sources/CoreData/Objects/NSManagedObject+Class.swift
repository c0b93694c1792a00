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
        if let last = context.creation.lastMade, last.type == self { return last.entity }
        guard let entity = context.graph.entity(of: self) else {
            programmerError("An NSManagedObject of class '\(self)' must have a valid NSEntityDescription.")
        }
        let description = context.creation.entities[entity.index.rawValue]
        context.creation.lastMade = (self, description)
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

/// Creates managed objects of a class that is known at run time only.
///
/// On Apple's systems every initializer of a managed object can be called of a generic class, as in `T(context:
/// context)`; here one has to be `required` for that, and a class could not have one of its own of that name then. So
/// generic code calls these, which call that of the class.
public protocol MakesManagedObjects {}

extension NSManagedObject: MakesManagedObjects {}

extension MakesManagedObjects where Self: NSManagedObject {
    /// Makes a new object of the one entity that names the class, and inserts it into a context.
    ///
    /// - Precondition: Exactly one entity of the context's model names the class.
    public init(context: NSManagedObjectContext) { self.init(entity: Self.entity(in: context), insertInto: context) }

    /// Creates a new object of an entity in a context; without one, the context's `insert(_:)` inserts it later.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        let compiled = entity.compiled
        if let context {
            self.init(context.originOfInsertedObject(of: compiled))
        } else {
            self.init(.unattached(compiled))
            becomeInstance(of: compiled)
            beginWithoutContext()
        }
    }
}

/// Passes an object's origin through its class's own initializer if the object has no context.
// Unchecked as its superclass; it lives for one call.
final class OriginCarrier: NSManagedObjectContext, @unchecked Sendable {
    init(_: Void) { super.init(concurrencyType: .mainQueueConcurrencyType) }
}
