package import StrataModel

/// The origin of a managed object: a context, a probe of key paths, or ``new``.
///
/// It is used in the initializer that it is passed to, whose caller retains the context.
@safe public struct ObjectOrigin {
    package let id: ObjectID
    // Unmanaged, as an initializer consumes its arguments: each object would count a reference.
    @safe let contextReference: Unmanaged<ManagedObjectContext>?

    package var context: ManagedObjectContext? { unsafe contextReference?.takeUnretainedValue() }

    init(id: ObjectID, context: borrowing ManagedObjectContext) {
        self.id = id
        contextReference = unsafe Unmanaged.passUnretained(copy context)
    }

    /// Creates the origin of an object without a context.
    init(_ id: ObjectID) {
        self.id = id
        contextReference = nil
    }

    /// The origin of an object that is created before its insertion into a context.
    ///
    /// Pass it to the initializer of `ManagedObject` from a designated initializer of a class that declares its entity.
    public static var new: ObjectOrigin { ObjectOrigin(UnattachedEntities.unsettledID) }

    /// Returns the origin of an object that is made without a context; see `ManagedObject.beginWithoutContext()`.
    package static func unattached(_ entity: EntityDescription) -> ObjectOrigin {
        ObjectOrigin(UnattachedEntities.newID(of: entity))
    }
}
