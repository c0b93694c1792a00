/// The destinations that an object's relationships gave, which it keeps from going: until it becomes a fault, or leaves its context.
///
/// Core Data's objects do that, and code that was written for them counts on it: what `employee.department` fired is no fault the next time, and what
/// a class keeps beside the model's properties stays. Objects that keep each other go with their context.
final class KeptDestinations {
    private var lists: [(property: Int, objects: [ManagedObject])] = []

    func keep(_ objects: [ManagedObject], of property: Int) {
        guard let place = lists.firstIndex(where: { $0.property == property }) else { return lists.append((property, objects)) }
        lists[place].objects = objects
    }

    func keep(_ object: ManagedObject, of property: Int) {
        if let known = lists.first(where: { $0.property == property }), known.objects.first === object { return }
        keep([object], of: property)
    }

    fileprivate func take() -> [ManagedObject] {
        defer { lists = [] }
        return lists.flatMap(\.objects)
    }

    deinit { ManagedObject.letGo(take()) }
}

extension ManagedObject {
    /// Lets go of objects that one kept or held.
    ///
    /// Each lets go of the next: a long chain of them, each within the other's end, would overflow the stack. The list is given away, for who else
    /// had it would keep the objects.
    static func letGo(_ objects: consuming [ManagedObject]) {
        var waiting = consume objects
        while var object = waiting.popLast() {
            if isKnownUniquelyReferenced(&object) { waiting += (object.kept?.take() ?? []) + (object.extra?.takeHeld() ?? []) }
        }
    }
}

extension ManagedObjectContext {
    /// Has the objects that keep each other let go, as the context goes: on its own thread where it has one, for they may be used there.
    static func release(_ objects: [ManagedObject], at home: ContextHome) {
        if objects.isEmpty { return }
        let leaving = LeavingObjects(objects: objects)
        if home.isHere || !home.schedule({ leaving.letGo() }) { leaving.letGo() }
    }
}

/// Objects whose context is gone.
// Unchecked: they are touched where the context's work was done.
private struct LeavingObjects: @unchecked Sendable {
    let objects: [ManagedObject]

    func letGo() { for object in objects { object.kept = nil } }
}
