import StrataPlatform

/// The destinations that an object's relationships gave, which it keeps from going: until it becomes a fault, or leaves its context.
///
/// Core Data's objects do that, and code that was written for them counts on it: what `employee.department` fired is no fault the next time, and what
/// a class keeps beside the model's properties stays. Objects that keep each other go with their context.
final class KeptDestinations {
    private struct List {
        let property: Int
        var objects: [ManagedObject]
        /// Where each object stands, once one was taken out.
        var indices: [ObjectIdentifier: Int] = [:]

        mutating func remove(_ object: ManagedObject) {
            if indices.count != objects.count {
                indices = Dictionary(objects.indices.map { (ObjectIdentifier(objects[$0]), $0) }) { first, _ in first }
            }
            guard let index = indices.removeValue(forKey: ObjectIdentifier(object)) else { return }
            let last = objects.removeLast()
            if index == objects.count { return }
            objects[index] = last
            indices[ObjectIdentifier(last)] = index
        }
    }

    private var lists: [List] = []

    private func index(of property: Int) -> Int? { lists.firstIndex { $0.property == property } }

    func keep(_ objects: [ManagedObject], of property: Int) {
        guard let index = index(of: property) else { return lists.append(List(property: property, objects: objects)) }
        lists[index] = List(property: property, objects: objects)
    }

    func keep(_ object: ManagedObject, of property: Int) {
        if let index = index(of: property), lists[index].objects.first === object { return }
        keep([object], of: property)
    }

    /// Keeps one more of the members of a to-many relationship.
    func add(_ object: ManagedObject, to property: Int) {
        guard let index = index(of: property) else { return keep([object], of: property) }
        lists[index].objects.append(object)
    }

    /// Lets go of one of the members of a to-many relationship.
    func remove(_ object: ManagedObject, from property: Int) {
        if let index = index(of: property) { lists[index].remove(object) }
    }

    /// Lets go of what a property gave.
    func drop(_ property: Int) {
        if let index = index(of: property) { ManagedObject.letGo(lists.remove(at: index).objects) }
    }

    fileprivate func take() -> [ManagedObject] {
        defer { lists = [] }
        return lists.flatMap(\.objects)
    }

    deinit { ManagedObject.letGo(take()) }
}

extension ManagedObject {
    /// Lets go of objects that one kept or held.
    static func letGo(_ objects: consuming [ManagedObject]) {
        // Given away, for who else had the list would keep the objects.
        if !objects.isEmpty { LeavingList.letGo(consume objects) }
    }
}

/// The objects that a thread is about to let go of.
///
/// Each may let go of others as it ends: a long chain of them, each within the other's end, would overflow the stack. What others still refer to is
/// not touched, for it may be in use on another thread.
private final class LeavingList {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    private var objects: [ManagedObject]

    private init(_ objects: consuming [ManagedObject]) { self.objects = objects }

    static func letGo(_ objects: consuming [ManagedObject]) {
        // One that is at work on this thread goes on with these.
        if let working = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<LeavingList>.fromOpaque(working).takeUnretainedValue().objects += consume objects
        }
        let list = LeavingList(consume objects)
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(list).toOpaque())
        defer { pthread_setspecific(key, nil) }
        // An object ends when the list is not being changed: it may add to it.
        while let leaving = list.objects.popLast() { withExtendedLifetime(leaving) {} }
    }
}

extension ManagedObjectContext {
    /// Breaks the cycles of objects that retain each other, as the context is deallocated: on its executor where it has one, where they may be
    /// in use.
    static func release(_ objects: [ManagedObject], on executor: ContextExecutor) {
        if objects.isEmpty { return }
        let leaving = LeavingObjects(objects: objects)
        if executor.isCurrent || !executor.schedule({ leaving.letGo() }) { leaving.letGo() }
    }
}

/// Objects whose context is gone.
// Unchecked: they are touched where the context's work was done.
private struct LeavingObjects: @unchecked Sendable {
    let objects: [ManagedObject]

    func letGo() { for object in objects { object.kept = nil } }
}
