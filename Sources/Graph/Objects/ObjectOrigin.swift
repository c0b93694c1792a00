import StrataModel

/// Where a managed object comes from; only contexts make one.
public struct ObjectOrigin {
    let id: ObjectID
    let context: ManagedObjectContext
}
