package import StrataModel

/// Where a managed object comes from; contexts make them, probes of key paths, which have no context, and ``new``.
public struct ObjectOrigin {
    package let id: ObjectID
    package let context: ManagedObjectContext?

    /// The origin of an object that is made before it is inserted into a context.
    ///
    /// Hand it to the initialiser of `ManagedObject` from a designated initialiser of a class that says its entity, as those of `@Model` do.
    public static var new: ObjectOrigin { ObjectOrigin(id: UnattachedEntities.unsettledID, context: nil) }
}
