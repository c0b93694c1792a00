package import StrataModel

/// The origin of a managed object: a context, a probe of key paths, or ``new``.
public struct ObjectOrigin {
    package let id: ObjectID
    package let context: ManagedObjectContext?

    /// The origin of an object that is created before its insertion into a context.
    ///
    /// Pass it to the initializer of `ManagedObject` from a designated initializer of a class that declares its entity.
    public static var new: ObjectOrigin { ObjectOrigin(id: UnattachedEntities.unsettledID, context: nil) }

    /// Returns the origin of an object that is made without a context; see `ManagedObject.beginWithoutContext()`.
    package static func unattached(_ entity: EntityDescription) -> ObjectOrigin {
        ObjectOrigin(id: UnattachedEntities.newID(of: entity), context: nil)
    }
}
