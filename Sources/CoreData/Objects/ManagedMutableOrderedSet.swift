import Foundation
import StrataGraph

/// The destinations of an ordered relationship as an ordered set that writes through.
///
/// Foundation's class reads its own storage in members that cannot be overridden, such as `firstObject` and the enumerators. So it holds the
/// destinations too, as they were when the set was made or last changed.
final class ManagedMutableOrderedSet: NSMutableOrderedSet {
    private let members: MutableOrderedObjectSet<ManagedObject>?
    /// Whether Foundation's storage is being changed, which is what its own methods have to see then.
    private var isChanging = false

    init(_ members: MutableOrderedObjectSet<ManagedObject>) {
        self.members = members
        super.init(capacity: 0)
        read()
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

    private var live: MutableOrderedObjectSet<ManagedObject>? { isChanging ? nil : members }

    override var count: Int { live?.count ?? super.count }

    override func object(at index: Int) -> Any {
        if let live { return live[index] }
        return super.object(at: index)
    }

    override func index(of object: Any) -> Int {
        guard let live else { return super.index(of: object) }
        return (object as? ManagedObject).flatMap { live.firstIndex(of: $0) } ?? NSNotFound
    }

    override func contains(_ object: Any) -> Bool {
        guard let live else { return super.contains(object) }
        return (object as? ManagedObject).map { live.contains($0) } ?? false
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: members.map { Array($0) } ?? []) }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: members.map { Array($0) } ?? []) }

    // MARK: - Changing

    /// Has Foundation's storage hold what the object has.
    private func read() {
        isChanging = true
        super.removeAllObjects()
        super.addObjects(from: members.map { Array($0) } ?? [])
        isChanging = false
    }

    /// Changes Foundation's storage, and then the object.
    private func change(_ apply: () -> Void, _ write: (MutableOrderedObjectSet<ManagedObject>) -> Void) {
        guard let live else { return apply() }
        if super.count != live.count { read() }
        isChanging = true
        apply()
        isChanging = false
        write(live)
    }

    /// Changes Foundation's storage, and has the object's destinations be what it holds then.
    private func changeAll(_ apply: () -> Void) {
        if !isChanging { read() }
        change(apply) { $0.replaceSubrange(0..<$0.count, with: array.compactMap { $0 as? ManagedObject }) }
    }

    override func add(_ object: Any) {
        guard let object = object as? ManagedObject, !contains(object) else { return }
        change({ super.add(object) }, { $0.append(object) })
    }

    override func insert(_ object: Any, at index: Int) {
        guard let object = object as? ManagedObject, !contains(object) else { return }
        change({ super.insert(object, at: index) }, { $0.insert(object, at: index) })
    }

    override func remove(_ object: Any) {
        guard let object = object as? ManagedObject else { return }
        change({ super.remove(object) }, { $0.remove(object) })
    }

    override func removeObject(at index: Int) { change({ super.removeObject(at: index) }, { _ = $0.remove(at: index) }) }

    override func replaceObject(at index: Int, with object: Any) {
        guard let object = object as? ManagedObject else { return }
        change({ super.replaceObject(at: index, with: object) }, { $0[index] = object })
    }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        addObjects(from: unsafe Array(UnsafeBufferPointer(start: objects, count: count)))
    }

    override func addObjects(from array: [Any]) {
        let added = array.compactMap { $0 as? ManagedObject }.filter { !contains($0) }
        change({ super.addObjects(from: added) }, { $0.append(contentsOf: added) })
    }

    override func removeAllObjects() { change({ super.removeAllObjects() }, { $0.removeAll() }) }
    override func exchangeObject(at first: Int, withObjectAt second: Int) {
        changeAll { super.exchangeObject(at: first, withObjectAt: second) }
    }
    override func moveObjects(at indexes: IndexSet, to index: Int) { changeAll { super.moveObjects(at: indexes, to: index) } }
    override func intersect(_ other: NSOrderedSet) { changeAll { super.intersect(other) } }

    override func sortRange(_ range: NSRange, options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult) {
        changeAll { super.sortRange(range, options: options, usingComparator: comparator) }
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) { changeAll { super.sort(using: sortDescriptors) } }
}
