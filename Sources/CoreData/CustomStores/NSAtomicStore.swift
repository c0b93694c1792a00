import StrataModel

/// A store that is loaded and saved as a whole, in a custom format.
///
/// A subclass overrides ``load()``, ``save()``, ``newCacheNode(for:)``, ``updateCacheNode(_:from:)`` and
/// ``newReferenceObject(for:)``. The coordinator calls its methods one at a time.
// Unchecked, as its superclass: a lock guards its state; the nodes are changed only under the store's write lock.
open class NSAtomicStore: NSPersistentStore, ReferencedStore, @unchecked Sendable {
    private let lock = NSLock()
    private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
    final let references = ReferenceTable()

    // MARK: - For subclasses

    /// Loads the whole store, and adds a node for each object by ``addCacheNodes(_:)``; a subclass overrides it.
    ///
    /// - Throws: The error that keeps the store from being opened.
    open func load() throws { missing("load:") }

    /// Saves all nodes, and the metadata; a subclass overrides it.
    ///
    /// - Throws: The error that fails the context's save; the nodes are restored then.
    open func save() throws { missing("save:") }

    /// Returns a node for a new object, with its values; a subclass overrides it.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode { missing("newCacheNodeForManagedObject:") }

    /// Updates the values of a node from those of its object, which was changed; a subclass overrides it.
    ///
    /// New nodes whose objects reference others are updated once more when all new nodes exist.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        missing("updateCacheNode:fromManagedObject:")
    }

    /// Returns the reference object of a new object: a text, a number, anything hashable; a subclass overrides it.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { missing("newReferenceObjectForManagedObject:") }

    /// Called before the nodes of deleted objects are removed, so that a subclass can release their resources.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    private func missing(_ method: String) -> Never {
        programmerError("\(Swift.type(of: self)) does not override -[NSAtomicStore \(method)].")
    }

    // MARK: - Nodes

    /// Returns all nodes.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { lock.withLock { Set(nodes.values) } }

    /// Adds nodes; a node of an object that has one already replaces it.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
    }

    /// Returns the node of an object; `nil` if there is none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? { lock.withLock { nodes[objectID] } }

    /// All nodes by ID, to be restored when a save fails.
    final var nodesByID: [NSManagedObjectID: NSAtomicStoreCacheNode] {
        get { lock.withLock { nodes } }
        set { lock.withLock { nodes = newValue } }
    }

    // MARK: - IDs

    /// Returns the ID of the object of an entity that the store knows by a reference object.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        references.id(of: data, entity, in: self)
    }

    /// Returns an object's reference object in the store.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { references.object(of: objectID.id.reference, objectID.id.entity) }
}

/// The record of an object of an atomic store: its ID, and the values of its properties by their names.
///
/// Values of relationships are nodes: one if to-one, a set if to-many, an array if ordered.
open class NSAtomicStoreCacheNode: NSObject {
    /// The ID of the object.
    public final let objectID: NSManagedObjectID
    /// The values by property name; `nil` while there are none.
    open var propertyCache: NSMutableDictionary?

    /// Creates a node without values.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    /// Returns the value of a property.
    open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key as NSString) }

    /// Sets the value of a property.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache.setObject(value, forKey: key as NSString) } else { cache.removeObject(forKey: key as NSString) }
    }
}
