import StrataPlatform

/// The destinations that an object retains after reading them, until it becomes a fault or leaves its context.
///
/// Core Data's objects do so, and code for them relies on it: what `employee.department` fired is no fault the next
/// time, and state of a class beside the model's properties stays. Objects that retain each other end with their
/// context.
final class RetainedDestinations {
    private struct List {
        let property: Int
        var objects: [ManagedObject]
        /// The index of each object, once one was removed.
        var indices: [ObjectIdentifier: Int] = [:]

        mutating func add(_ object: ManagedObject) {
            if !indices.isEmpty { indices[ObjectIdentifier(object)] = objects.count }
            objects.append(object)
        }

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

    func add(_ object: ManagedObject, to property: Int) {
        guard let index = index(of: property) else { return keep([object], of: property) }
        lists[index].add(object)
    }

    func remove(_ object: ManagedObject, from property: Int) { if let index = index(of: property) { lists[index].remove(object) } }

    func drop(_ property: Int) { if let index = index(of: property) { LeavingList.releaseAll(lists.remove(at: index).objects) } }

    fileprivate func take() -> [ManagedObject] {
        defer { lists = [] }
        return lists.flatMap(\.objects)
    }

    deinit { LeavingList.releaseAll(take()) }
}

extension ManagedObject {
    /// The destinations that the object retains, by the context's semantics.
    final var kept: RetainedDestinations? {
        get { unsafe keptReference?.takeUnretainedValue() }
        set {
            let old = keptReference
            unsafe keptReference = newValue.map { unsafe Unmanaged.passRetained($0) }
            unsafe old?.release()
        }
    }
}

/// The objects that a thread is about to release.
///
/// Each may release others in its `deinit`: a long chain of these would overflow the stack.
final class LeavingList {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    private var objects: [ManagedObject]

    private init(_ objects: consuming [ManagedObject]) { self.objects = objects }

    /// Releases objects, which are consumed, as another reference to the list would retain them.
    static func releaseAll(_ objects: consuming [ManagedObject]) {
        if objects.isEmpty { return }
        // The release that runs on this thread continues with these.
        if let working = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<LeavingList>.fromOpaque(working).takeUnretainedValue().objects += consume objects
        }
        let list = LeavingList(consume objects)
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(list).toOpaque())
        defer { pthread_setspecific(key, nil) }
        // An object ends while the list is not being changed, as it may add to it.
        while let leaving = list.objects.popLast() { withExtendedLifetime(leaving) {} }
    }
}

extension ManagedObjectContext {
    /// Breaks cycles of objects as the context is deallocated, on its executor, where they may be in use.
    static func release(_ objects: [ManagedObject], on executor: ContextExecutor) {
        if objects.isEmpty { return }
        let leaving = LeavingObjects(objects: objects)
        if executor.isCurrent || !executor.schedule({ leaving.releaseAll() }) { leaving.releaseAll() }
    }
}

// Unchecked: they are only used on the context's executor.
private struct LeavingObjects: @unchecked Sendable {
    let objects: [ManagedObject]

    func releaseAll() { for object in objects { object.kept = nil } }
}
