import StrataModel

/// Where a managed object comes from; only contexts make one, and probes of key paths, which have none.
public struct ObjectOrigin {
    let id: ObjectID
    let context: ManagedObjectContext?
}
