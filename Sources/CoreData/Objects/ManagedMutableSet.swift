import StrataGraph
import StrataModel

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

/// The destinations of an ordered relationship as an ordered set that reads and writes the object directly.
final class ManagedMutableOrderedSet: NSMutableOrderedSet {
    private let members: MutableOrderedObjectSet<ManagedObject>?

    init(_ members: MutableOrderedObjectSet<ManagedObject>) {
        self.members = members
        super.init(capacity: 0)
        read(LiveMembers(members))
    }

    override init(capacity numItems: Int) {
        members = nil
        super.init(capacity: numItems)
    }

    required convenience init?(coder aDecoder: NSCoder) { return nil }

    required convenience init(arrayLiteral elements: Any...) {
        self.init(capacity: elements.count)
    }

    // MARK: - Reading

    /// Makes Foundation's members that cannot be overridden, such as `firstObject`, read an array of ours.
    ///
    /// They read the array of a private property, which a subclass cannot set otherwise.
    private func read(_ array: NSArray) {
        let offset = 24
        guard ClassLayout(NSOrderedSet.self).instanceSize == 32, ClassLayout(NSMutableOrderedSet.self).instanceSize == 48 else {
            programmerError("ordered sets of this Foundation are laid out in another way than is known")
        }
        // Right: of the two references of an ordered set, the second is that of its array, which a mutable set holds
        // again after them; a write to the first releases the old array, and retains ours.
        let object = unsafe Unmanaged.passUnretained(self).toOpaque()
        let order = unsafe (object + offset).assumingMemoryBound(to: NSArray.self)
        let same = unsafe (object + offset + 16).assumingMemoryBound(to: NSArray.self)
        guard unsafe order.pointee === same.pointee, unsafe type(of: order.pointee) == NSMutableArray.self else {
            programmerError("ordered sets of this Foundation hold their objects in another way than is known")
        }
        unsafe order.pointee = array
    }

    private var all: [ManagedObject] { members.map { Array($0) } ?? [] }

    override var count: Int { members?.count ?? 0 }

    override func object(at index: Int) -> Any {
        guard let members else { programmerError("\(index) is beyond the bounds of an empty ordered set") }
        return members[index]
    }

    override func index(of object: Any) -> Int { (object as? ManagedObject).flatMap { members?.firstIndex(of: $0) } ?? NSNotFound }
    override func contains(_ object: Any) -> Bool { (object as? ManagedObject).flatMap { members?.contains($0) } ?? false }
    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: all) }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: all) }

    // MARK: - Changing

    override func add(_ object: Any) {
        if let object = object as? ManagedObject, !contains(object) { members?.append(object) }
    }

    override func insert(_ object: Any, at index: Int) {
        if let object = object as? ManagedObject, !contains(object) { members?.insert(object, at: index) }
    }

    override func remove(_ object: Any) { if let object = object as? ManagedObject { members?.remove(object) } }
    override func removeObject(at index: Int) { members?.remove(at: index) }
    override func replaceObject(at index: Int, with object: Any) { if let object = object as? ManagedObject { members?[index] = object } }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        addObjects(from: unsafe Array(UnsafeBufferPointer(start: objects, count: count)))
    }

    override func addObjects(from array: [Any]) {
        members?.append(contentsOf: array.compactMap { $0 as? ManagedObject }.filter { !contains($0) })
    }

    override func removeAllObjects() { members?.removeAll() }

    /// Replaces the destinations by the result of Foundation's mutation.
    private func change(_ body: (NSMutableOrderedSet) -> Void) {
        let changed = NSMutableOrderedSet(array: all)
        body(changed)
        members?.replaceAll(with: changed.array.compactMap { $0 as? ManagedObject })
    }

    override func exchangeObject(at first: Int, withObjectAt second: Int) { members?.swapAt(first, second) }
    override func moveObjects(at indexes: IndexSet, to index: Int) { change { $0.moveObjects(at: indexes, to: index) } }
    override func intersect(_ other: NSOrderedSet) { members?.replaceAll(with: all.filter { other.contains($0) }) }

    override func sortRange(_ range: NSRange, options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult) {
        change { $0.sortRange(range, options: options, usingComparator: comparator) }
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) { change { $0.sort(using: sortDescriptors) } }
}

/// The current destinations of an ordered relationship as an array.
private final class LiveMembers: NSArray {
    private let members: MutableOrderedObjectSet<ManagedObject>?

    init(_ members: MutableOrderedObjectSet<ManagedObject>) {
        self.members = members
        super.init()
    }

    required init(objects: UnsafePointer<AnyObject>?, count: Int) {
        members = nil
        unsafe super.init(objects: objects, count: count)
    }

    required convenience init?(coder aDecoder: NSCoder) { return nil }

    required convenience init(arrayLiteral elements: Any...) { unsafe self.init(objects: nil, count: 0) }

    override var count: Int { members?.count ?? 0 }

    override func object(at index: Int) -> Any {
        guard let members else { programmerError("\(index) is beyond the bounds of an empty array") }
        return members[index]
    }

    /// A snapshot of the destinations: an enumeration does not change with the object.
    private var moment: NSArray { NSArray(array: members.map { Array($0) } ?? []) }

    override func objectEnumerator() -> NSEnumerator { moment.objectEnumerator() }
    override func reverseObjectEnumerator() -> NSEnumerator { moment.reverseObjectEnumerator() }
}
