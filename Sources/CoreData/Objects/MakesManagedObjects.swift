import StrataGraph
import StrataModel

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
