import StrataModel

/// The identity of a managed object, the same in all contexts: temporary until the object is saved for the first time.
///
/// Two IDs of one object are equal. Pass IDs, not objects, to other threads.
// Unchecked: all that it holds is a constant.
public final class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
    let id: ObjectID

    init(_ id: ObjectID) { self.id = id }

    /// Returns whether the ID precedes another one of its store: by entity, then by reference.
    func precedes(_ other: NSManagedObjectID) -> Bool {
        (id.entity.index, id.reference) < (other.id.entity.index, other.id.reference)
    }

    /// The entity of the object.
    public var entity: NSEntityDescription { id.entity.counterpart }

    /// The store that the object is in; `nil` where the ID is temporary, and once the store was removed.
    public var persistentStore: NSPersistentStore? { id.storeID.flatMap { NSPersistentStore.open(id: $0) } }

    /// Whether the object was never saved, and has no permanent ID yet.
    public var isTemporaryID: Bool { id.isTemporary }

    /// Returns the ID as a URI, `x-coredata://<store>/<entity>/p<number>`; `t<number>` if it is temporary.
    public func uriRepresentation() -> URL {
        // The path component is percent-encoded; a store's ID or an entity's name cannot make it fail then.
        let uri = ReferenceURIs.uri(of: id) ?? id.uriRepresentation
        return URL(string: uri) ?? URL(fileURLWithPath: uri)
    }

    /// Returns the ID itself, as it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSManagedObjectID)?.id == id }
    public override var hash: Int { id.hashValue }
    public override var description: String { "<\(id.uriRepresentation)>" }
}
