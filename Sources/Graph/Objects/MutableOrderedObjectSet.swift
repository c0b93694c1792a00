import StrataModel

/// The destinations of an ordered relationship of one object, read and changed by their indexes.
///
/// It has no storage of its own: it changes the object, with the inverses, and always shows the object's current
/// destinations. Each destination occurs once.
///
/// ```swift
/// let tracks = album.mutableOrderedSet(Album.tracks)
/// tracks.insert(intro, at: 0)
/// tracks.move(from: 3, to: 1)
/// tracks.sort { $0.length < $1.length }
/// ```
/// An index out of bounds is a programming error, which ends the program and names the relationship. What cannot be
/// read, or is refused, is reported as by accessors: ``ManagedObjectContext/lastFaultError``, and
/// ``ManagedObjectContext/save()`` throws it.
public struct MutableOrderedObjectSet<Element: ManagedObject>: RandomAccessCollection {
    fileprivate let object: ManagedObject
    fileprivate let declared: RelationshipDescription

    /// The relationship in the object's current entity, which changes with the insertion into a context.
    private var relationship: RelationshipDescription { object.current(declared) }

    /// The index of the first destination, 0.
    public var startIndex: Int { 0 }
    /// The number of destinations, without making objects.
    public var endIndex: Int { object.memberCount(relationship) }

    /// The destination at an index; setting it replaces the destination.
    ///
    /// A new value that is at another index already is moved.
    public subscript(position: Int) -> Element {
        get {
            check(position, in: 0..<count)
            guard let element = object.member(at: position, relationship) as? Element
            else { programmerError("\(name)[\(position)] is no \(Element.self)") }
            return element
        }
        nonmutating set {
            check(position, in: 0..<count)
            if object.member(at: position, relationship) !== newValue.standing {
                replaceSubrange(position..<position + 1, with: [newValue])
            }
        }
    }

    /// Returns the index of an object; `nil` where it is not among the destinations.
    ///
    /// - Complexity: O(n), amortized O(sqrt n) where many are searched.
    public func firstIndex(of member: Element) -> Int? { object.index(ofMember: member.standing, relationship) }

    /// Returns whether an object is among the destinations.
    ///
    /// - Complexity: O(1) once the relationship is loaded.
    public func contains(_ member: Element) -> Bool { object.hasMember(member.standing, relationship) }

    /// Inserts a destination before the one at an index, or at the end; one that is a destination already is moved.
    ///
    /// The index is that before the insertion.
    ///
    /// - Complexity: Amortized O(sqrt n) once the relationship is loaded; O(1) at the end.
    public func insert(_ member: Element, at position: Int) {
        let member = member.standing
        check(position, in: 0..<count + 1)
        guard let relationship = object.takes(member, relationship) else { return }
        object.attempt(relationship) { try object.insertMember(member, at: position, relationship) }
    }

    /// Inserts destinations before the one at an index, or at the end, in their order; those that are destinations
    /// already are moved.
    public func insert(contentsOf members: some Sequence<Element>, at position: Int) {
        check(position, in: 0..<count + 1)
        replaceSubrange(position..<position, with: members)
    }

    /// Adds a destination behind all; one that is there already is moved there.
    public func append(_ member: Element) { insert(member, at: count) }
    /// Adds destinations behind all.
    public func append(contentsOf members: some Sequence<Element>) { insert(contentsOf: members, at: count) }

    /// Removes the destination at an index, and returns it.
    ///
    /// - Complexity: Amortized O(sqrt n) once the relationship is loaded.
    @discardableResult
    public func remove(at position: Int) -> Element {
        let element = self[position]
        object.attempt(relationship) { try object.dropMember(element, at: position, relationship) }
        return element
    }

    /// Removes a destination, where it is one.
    public func remove(_ member: Element) { object.attempt(relationship) { try object.removeMember(member.standing, relationship) } }

    /// Removes the destinations in a range of indexes.
    public func removeSubrange(_ positions: Range<Int>) { replaceSubrange(positions, with: EmptyCollection()) }

    /// Removes all destinations.
    public func removeAll() { object.setAll([], relationship) }

    /// Replaces the destinations in a range of indexes.
    ///
    /// - Complexity: Amortized O(sqrt n) for each of a few destinations, once the relationship is loaded; else O(n).
    public func replaceSubrange(_ positions: Range<Int>, with members: some Sequence<Element>) {
        check(positions)
        let members = members.map { $0.standing }
        let steps = positions.count + members.count
        if steps * steps <= count {
            guard let relationship = object.takesAll(members, relationship) else { return }
            return object.attempt(relationship) { try object.replaceMembers(in: positions, with: members, relationship) }
        }
        change(adding: members) { order in
            let new = Set(members.map { ObjectIdentifier($0) })
            order =
                order[..<positions.lowerBound].filter { !new.contains(ObjectIdentifier($0)) } + members
                + order[positions.upperBound...].filter { !new.contains(ObjectIdentifier($0)) }
        }
    }

    /// Makes some objects the destinations of the relationship, in their order.
    public func replaceAll(with members: some Sequence<Element>) { object.setAll(Array(members), relationship) }

    /// Moves the destination at an index to another index, which is that after the move.
    ///
    /// - Complexity: Amortized O(sqrt n) once the relationship is loaded.
    public func move(from position: Int, to destination: Int) {
        check(position, in: 0..<count)
        check(destination, in: 0..<count)
        object.attempt(relationship) { try object.moveMember(at: position, to: destination, relationship) }
    }

    /// Swaps two destinations.
    ///
    /// - Complexity: Amortized O(sqrt n) once the relationship is loaded.
    public func swapAt(_ first: Int, _ second: Int) {
        check(first, in: 0..<count)
        check(second, in: 0..<count)
        if first == second { return }
        let (first, second) = (Swift.min(first, second), Swift.max(first, second))
        object.attempt(relationship) {
            try object.moveMember(at: second, to: first, relationship)
            try object.moveMember(at: first + 1, to: second, relationship)
        }
    }

    /// Sorts the destinations by a comparison; equal ones keep their order.
    ///
    /// - Throws: What the comparison throws; nothing is changed then.
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        let sorted = try self.sorted(by: areInIncreasingOrder)
        change { $0 = sorted }
    }

    /// Reverses the destinations.
    public func reverse() { change { $0.reverse() } }

    private var name: String { "\(object.entity.name).\(relationship.name)" }

    private func check(_ position: Int, in bounds: Range<Int>) {
        if !bounds.contains(position) { programmerError("\(name): the index \(position) is out of bounds, which are \(bounds)") }
    }

    private func check(_ positions: Range<Int>) {
        let bounds = 0..<count
        if positions.lowerBound < 0 || positions.upperBound > bounds.upperBound {
            programmerError("\(name): the range \(positions) is out of bounds, which are \(bounds)")
        }
    }

    private func change(adding members: [ManagedObject] = [], _ body: (inout [ManagedObject]) -> Void) {
        guard let relationship = object.takesAll(members, relationship) else { return }
        object.attempt(relationship) {
            var order = try object.readMembers(relationship)
            body(&order)
            try object.set(order, relationship)
        }
    }
}

extension ManagedObject {
    /// Returns the destinations of an ordered relationship, to be changed by their indexes.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class.
    public final func mutableOrderedSet<D: ManagedObject>(_ key: ToManyOrdered<D>) -> MutableOrderedObjectSet<D> {
        MutableOrderedObjectSet(object: self, declared: toMany(key.path, key.slot, D.self))
    }

    final func member(at position: Int, _ relationship: RelationshipDescription) -> ManagedObject? {
        if isDetached { return members(relationship)[position] }
        guard let id = knownState(relationship)?.member(at: position) else { return nil }
        return managedObjectContext?.fault(with: id)
    }

    final func index(ofMember member: ManagedObject, _ relationship: RelationshipDescription) -> Int? {
        if isDetached || hasLostContext { return members(relationship).firstIndex { $0 === member } }
        return knownState(relationship)?.index(of: member.objectID)
    }
}

extension ManagedObjectMembers where Self: ManagedObject {
    /// Returns the destinations of an ordered relationship by its name, to be changed by their indexes.
    ///
    /// - Throws: `StoreError` with `unknownKey` where the entity has no such ordered relationship.
    @_disfavoredOverload
    public func mutableOrderedSetValue(forKey key: String) throws -> MutableOrderedObjectSet<ManagedObject> {
        let relationship = try toMany(key)
        guard relationship.isOrdered else { throw unknownKey(key, "is no ordered relationship") }
        return MutableOrderedObjectSet(object: self, declared: relationship)
    }
}
