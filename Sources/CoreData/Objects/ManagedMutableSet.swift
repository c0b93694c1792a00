public import Foundation
import StrataGraph

/// The destinations of a to-many relationship as a set that writes through to the object.
final class ManagedMutableSet: NSMutableSet {
    private let members: MutableObjectSet<ManagedObject>?

    init(_ members: MutableObjectSet<ManagedObject>) {
        self.members = members
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        members = nil
        super.init(capacity: numItems)
    }

    required convenience init?(coder aDecoder: NSCoder) { return nil }

    override var count: Int { members?.count ?? 0 }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? ManagedObject, members?.contains(object) == true else { return nil }
        return object
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: allObjects).objectEnumerator() }
    override var allObjects: [Any] { members.map { Array($0) } ?? [] }
    override func add(_ object: Any) { if let object = object as? ManagedObject { members?.insert(object) } }
    override func remove(_ object: Any) { if let object = object as? ManagedObject { members?.remove(object) } }
    override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: allObjects) }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: allObjects) }
}

extension NSManagedObject {
    /// Returns the destinations of a to-many relationship as a set that writes through to the object.
    ///
    /// - Precondition: The entity has such a to-many relationship.
    public final func mutableSetValue(forKey key: String) -> NSMutableSet {
        do { return ManagedMutableSet(try (self as ManagedObject).mutableSetValue(forKey: key)) } catch {
            undefinedKey(key, "mutableSetValueForKey:")
        }
    }

    /// Returns the destinations of an ordered relationship, as a proxy that changes them by their indexes.
    ///
    /// - Precondition: The entity has such an ordered relationship.
    public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        do { return ManagedMutableOrderedSet(try (self as ManagedObject).mutableOrderedSetValue(forKey: key)) } catch {
            undefinedKey(key, "mutableOrderedSetValueForKey:")
        }
    }

    /// Returns the destinations at the end of a path through to-one relationships, to be changed one by one.
    ///
    /// - Precondition: All objects on the path exist, and it ends at a to-many relationship.
    public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = lastOwner(of: keyPath, "mutableSetValueForKeyPath:")
        return owner.mutableSetValue(forKey: key)
    }

    /// Returns the destinations at the end of a path of to-one relationships, as a proxy that changes them by index.
    ///
    /// - Precondition: All objects on the path exist, and it ends at an ordered relationship.
    public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = lastOwner(of: keyPath, "mutableOrderedSetValueForKeyPath:")
        return owner.mutableOrderedSetValue(forKey: key)
    }

    private func lastOwner(of path: String, _ method: String) -> (owner: NSManagedObject, key: String) {
        guard let dot = path.lastIndex(of: ".") else { return (self, path) }
        guard let owner = value(forKeyPath: String(path[..<dot])) as? NSManagedObject else { undefinedKey(path, method) }
        return (owner, String(path[path.index(after: dot)...]))
    }
}
