import StrataModel

/// The destinations of a to-many relationship of one object, to be looked at and changed one by one.
///
/// It holds none of them: what is done to it is done to the object, with the inverses, and what it shows is what the
/// object has just now.
///
/// ```swift
/// let pets = person.mutableSet(Person.pets)
/// pets.insert(rex)
/// pets.formUnion(strays)
/// ```
/// What cannot be read, or is refused, is reported as by accessors: ``ManagedObjectContext/lastFaultError``, and
/// ``ManagedObjectContext/save()`` throws it.
public struct MutableObjectSet<Element: ManagedObject>: Sequence {
    fileprivate let object: ManagedObject
    fileprivate let declared: RelationshipDescription

    /// The relationship in the object's current entity, which changes with the insertion into a context.
    private var relationship: RelationshipDescription { object.current(declared) }

    /// The number of destinations, without making objects.
    ///
    /// - Complexity: O(1) once the relationship is loaded.
    public var count: Int { object.memberCount(relationship) }
    /// Whether there is no destination.
    public var isEmpty: Bool { count == 0 }

    /// Returns whether an object is among the destinations.
    ///
    /// - Complexity: O(1) once the relationship is loaded.
    public func contains(_ member: Element) -> Bool { object.hasMember(member.standing, relationship) }

    /// Returns the destinations as they are now: what is changed meanwhile is not seen.
    public func makeIterator() -> IndexingIterator<[Element]> { all.makeIterator() }

    private var all: [Element] { object.members(relationship).compactMap { $0 as? Element } }

    /// Adds a destination, without loading the others.
    public func insert(_ member: Element) {
        let member = member.standing
        if let relationship = object.takes(member, relationship) {
            object.attempt(relationship) { try object.addMember(member, relationship) }
        }
    }

    /// Removes a destination, without loading the others.
    public func remove(_ member: Element) { object.attempt(relationship) { try object.removeMember(member.standing, relationship) } }

    /// Adds some destinations.
    public func formUnion(_ members: some Sequence<Element>) { for member in Array(members) { insert(member) } }
    /// Removes some destinations.
    public func subtract(_ members: some Sequence<Element>) { for member in Array(members) { remove(member) } }
    /// Removes all destinations that are not among some.
    public func formIntersection(_ members: some Sequence<Element>) {
        let kept = Set(members.map { $0.standing })
        for member in all where !kept.contains(member) { remove(member) }
    }
    /// Removes all destinations.
    public func removeAll() { object.setAll([], relationship) }
    /// Makes some objects the destinations of the relationship.
    public func replaceAll(with members: some Sequence<Element>) { object.setAll(Array(members), relationship) }
}

extension ManagedObject {
    /// Returns the destinations of a to-many relationship without order, to be changed one by one.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class.
    public final func mutableSet<D: ManagedObject>(_ key: ToMany<D>) -> MutableObjectSet<D> {
        MutableObjectSet(object: self, declared: toMany(key.path, key.slot, D.self))
    }

    final func toMany(_ key: String) throws -> RelationshipDescription {
        guard case .relationship(let relationship) = try property(key), relationship.isToMany
        else { throw unknownKey(key, "is no to-many relationship") }
        return relationship
    }

    final func memberCount(_ relationship: RelationshipDescription) -> Int {
        if let state = lostState(relationship) { return state.count }
        return isDetached ? members(relationship).count : knownState(relationship)?.count ?? 0
    }

    final func hasMember(_ member: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        if let state = lostState(relationship) { return state.contains(member.objectID) }
        return isDetached ? members(relationship).contains(member) : knownState(relationship)?.contains(member.objectID) ?? false
    }

    /// Returns the state of a loaded relationship; `nil` where it cannot be loaded.
    final func knownState(_ relationship: RelationshipDescription) -> ToManyState? {
        if flags.contains(.observed) { noteAccess(relationship.index) }
        return recording(relationship.name) {
            let state = try loadedState(relationship)
            if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didRead(self, relationship.name) }
            return state
        }
    }
}

extension ManagedObjectMembers where Self: ManagedObject {
    /// Returns the destinations of a to-many relationship, by its name, to be changed one by one.
    ///
    /// - Throws: `StoreError` with `unknownKey` where the entity has no such to-many relationship.
    @_disfavoredOverload
    public func mutableSetValue(forKey key: String) throws -> MutableObjectSet<ManagedObject> {
        MutableObjectSet(object: self, declared: try toMany(key))
    }
}
