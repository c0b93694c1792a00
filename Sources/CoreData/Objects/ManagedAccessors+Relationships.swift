import StrataGraph
import StrataModel
import StrataQuery
import Synchronization

// Called by `@NSManaged` accessors of relationships.

/// Returns the destination of a to-one relationship.
public func _managedOptionalObject<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> D? {
    key.isNarrowed(to: D.self, of: object)
        ? object[ToOne<NSManagedObject>(key.name, key.key.keySlot)] as? D : object[ToOne<D>(key.name, key.key.keySlot)]
}

/// Returns the destination of a to-one relationship that has to have one.
///
/// - Precondition: There is one.
public func _managedObject<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> D {
    _managedRequired(_managedOptionalObject(key, of: object), key, of: object)
}

/// Sets the destination of a to-one relationship; the inverse is maintained.
public func _setManagedOptionalObject<D: NSManagedObject>(_ value: D?, _ key: ManagedKey, of object: NSManagedObject) {
    if key.isNarrowed(to: D.self, of: object) {
        object[ToOne<NSManagedObject>(key.name, key.key.keySlot)] = value
    } else {
        object[ToOne<D>(key.name, key.key.keySlot)] = value
    }
}

/// Sets the destination of a to-one relationship; the inverse is maintained.
public func _setManagedObject<D: NSManagedObject>(_ value: D, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedOptionalObject(value, key, of: object)
}

/// Returns the destinations of a to-many relationship.
public func _managedSet<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> Set<D> {
    guard key.isNarrowed(to: D.self, of: object) else { return object[ToMany<D>(key.name, key.key.keySlot)] }
    return Set(object[ToMany<NSManagedObject>(key.name, key.key.keySlot)].compactMap { $0 as? D })
}

/// Returns the destinations of a to-many relationship; never nil but for the key path of the property that a query reads.
public func _managedOptionalSet<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> Set<D>? {
    if let sample = object.sampleObject(key.name, { NSSet() }), sample == nil { return nil }
    return _managedSet(key, of: object)
}

/// Sets the destinations of a to-many relationship; the inverses are maintained.
public func _setManagedSet<D: NSManagedObject>(_ value: Set<D>?, _ key: ManagedKey, of object: NSManagedObject) {
    if key.isNarrowed(to: D.self, of: object) {
        object[ToMany<NSManagedObject>(key.name, key.key.keySlot)] = value ?? []
    } else {
        object[ToMany<D>(key.name, key.key.keySlot)] = value ?? []
    }
}

/// Returns the destinations of a to-many relationship, `nil` only if a transformable attribute holds no set.
public func _managedOptionalNSSet(_ key: ManagedKey, of object: NSManagedObject) -> NSSet? {
    if let sample = object.sampleObject(key.name, { NSSet() }) { return sample }
    guard key.isRelationship(in: object) else { return _managedOptionalAny(key, of: object) }
    let members: Set<NSManagedObject> = _managedSet(key, of: object)
    return NSSet(array: Array(members))
}

/// Returns the destinations of a to-many relationship.
public func _managedNSSet(_ key: ManagedKey, of object: NSManagedObject) -> NSSet { _managedOptionalNSSet(key, of: object) ?? NSSet() }

/// Returns the destinations of a to-many relationship, to be changed one by one.
public func _managedNSMutableSet(_ key: ManagedKey, of object: NSManagedObject) -> NSMutableSet {
    if let sample = object.sampleObject(key.name, { NSMutableSet() }) { return sample ?? NSMutableSet() }
    guard key.isRelationship(in: object) else { return _managedOptionalAny(key, of: object) ?? NSMutableSet() }
    return object.mutableSetValue(forKey: key.name)
}

/// Sets the destinations of a to-many relationship; the inverses are maintained.
public func _setManagedNSSet(_ value: NSSet?, _ key: ManagedKey, of object: NSManagedObject) {
    guard key.isRelationship(in: object) else { return _setManagedOptionalAny(value, key, of: object) }
    let members: Set<NSManagedObject> = Set((value?.allObjects ?? []).compactMap { $0 as? NSManagedObject })
    _setManagedSet(members, key, of: object)
}

/// Returns the destinations of an ordered relationship, `nil` only if a transformable attribute holds no set.
public func _managedOptionalNSOrderedSet(_ key: ManagedKey, of object: NSManagedObject) -> NSOrderedSet? {
    if let sample = object.sampleObject(key.name, { NSOrderedSet() }) { return sample }
    guard key.isRelationship(in: object) else { return _managedOptionalAny(key, of: object) }
    return NSOrderedSet(array: object[ToManyOrdered<NSManagedObject>(key.name, key.key.keySlot)])
}

/// Returns the destinations of an ordered relationship.
public func _managedNSOrderedSet(_ key: ManagedKey, of object: NSManagedObject) -> NSOrderedSet {
    _managedOptionalNSOrderedSet(key, of: object) ?? NSOrderedSet()
}

/// Returns the destinations of an ordered relationship, as a proxy that changes them by their indexes.
public func _managedNSMutableOrderedSet(_ key: ManagedKey, of object: NSManagedObject) -> NSMutableOrderedSet {
    if let sample = object.sampleObject(key.name, { NSMutableOrderedSet() }) { return sample ?? NSMutableOrderedSet() }
    guard key.isRelationship(in: object) else { return _managedOptionalAny(key, of: object) ?? NSMutableOrderedSet() }
    return object.mutableOrderedSetValue(forKey: key.name)
}

/// Sets the destinations of an ordered relationship; the inverses are maintained.
public func _setManagedNSOrderedSet(_ value: NSOrderedSet?, _ key: ManagedKey, of object: NSManagedObject) {
    guard key.isRelationship(in: object) else { return _setManagedOptionalAny(value, key, of: object) }
    object[ToManyOrdered<NSManagedObject>(key.name, key.key.keySlot)] = (value?.array ?? []).compactMap { $0 as? NSManagedObject }
}

extension ManagedKey {
    /// Returns whether only some destinations are of a property's class: that of a subentity, which Objective-C does not check.
    fileprivate func isNarrowed<D: NSManagedObject>(to type: D.Type, of object: NSManagedObject) -> Bool {
        if let known = Narrowing(rawValue: narrowing.load(ordering: .relaxed)) { return known == .some }
        guard let model = object.managedObjectContext?.madeGraph?.model,
            let relationship = (object as ManagedObject).entity.relationship(named: name)
        else { return false }
        let destinations = model.destination(of: relationship).hierarchy.map { model.entities[$0] }.filter { !$0.isAbstract }
        let fitting = destinations.filter { $0.objectClass is D.Type }
        let found = fitting.isEmpty || fitting.count == destinations.count ? Narrowing.all : .some
        narrowing.store(found.rawValue, ordering: .relaxed)
        return found == .some
    }

    /// The destinations of a relationship that are of the property's class.
    private enum Narrowing: UInt8 {
        case all = 1, some
    }

    fileprivate func isRelationship(in object: NSManagedObject) -> Bool {
        (object as ManagedObject).entity.relationship(named: name) != nil
    }

    fileprivate func isOrdered(in object: NSManagedObject) -> Bool {
        (object as ManagedObject).entity.relationship(named: name)?.isOrdered ?? false
    }
}

// Called by `@NSManaged` accessors with a class of Foundation's that is a type of attributes.

/// Returns the number of an attribute of any numeric type.
public func _managedNSNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSNumber? { value(key, of: object) { NSNumber(value: 1) } }

/// Returns the decimal number of an attribute.
public func _managedNSDecimalNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSDecimalNumber? {
    if let sample = object.sampleObject(key.name, { NSDecimalNumber(value: 1) }) { return sample }
    return switch object.value(forKey: key.name) {
    case let number as NSDecimalNumber: number
    case let number as NSNumber: NSDecimalNumber(decimal: number.decimalValue)
    default: nil
    }
}

/// Returns the text of an attribute.
public func _managedNSString(_ key: ManagedKey, of object: NSManagedObject) -> NSString? { value(key, of: object) { NSString() } }

/// Returns the date of an attribute.
public func _managedNSDate(_ key: ManagedKey, of object: NSManagedObject) -> NSDate? {
    value(key, of: object) { NSDate(timeIntervalSinceReferenceDate: 0) }
}

/// Returns the bytes of an attribute.
public func _managedNSData(_ key: ManagedKey, of object: NSManagedObject) -> NSData? { value(key, of: object) { NSData() } }

/// Returns the URL of an attribute.
public func _managedNSURL(_ key: ManagedKey, of object: NSManagedObject) -> NSURL? {
    value(key, of: object) { NSURL(fileURLWithPath: "/") }
}

/// Returns the UUID of an attribute.
public func _managedNSUUID(_ key: ManagedKey, of object: NSManagedObject) -> NSUUID? { value(key, of: object) { NSUUID() } }

/// Returns the object of an attribute, or a sample of it for a key path.
private func value<T: AnyObject>(_ key: ManagedKey, of object: NSManagedObject, _ sample: () -> T) -> T? {
    if let sample = object.sampleObject(key.name, sample) { return sample }
    return object.value(forKey: key.name) as? T
}

// Called by the functions that Core Data generates for to-many relationships: `addToPets`.

/// Adds a destination to a to-many relationship, at the end where it is ordered.
public func _addManagedMember(_ key: ManagedKey, _ member: NSManagedObject?, of object: NSManagedObject) {
    _addManagedMembers(key, member.map { [$0] }, of: object)
}

/// Removes a destination from a to-many relationship.
public func _removeManagedMember(_ key: ManagedKey, _ member: NSManagedObject?, of object: NSManagedObject) {
    _removeManagedMembers(key, member.map { [$0] }, of: object)
}

/// Adds destinations to a to-many relationship.
public func _addManagedMembers(_ key: ManagedKey, _ members: (some Sequence)?, of object: NSManagedObject) {
    let objects = managedObjects(members)
    if key.isOrdered(in: object) {
        let ordered = object.mutableOrderedSetValue(forKey: key.name)
        for member in objects { ordered.add(member) }
    } else {
        for member in objects { object.add(member, to: ToMany<NSManagedObject>(key.name, key.key.keySlot)) }
    }
}

/// Removes destinations from a to-many relationship.
public func _removeManagedMembers(_ key: ManagedKey, _ members: (some Sequence)?, of object: NSManagedObject) {
    let objects = managedObjects(members)
    if key.isOrdered(in: object) {
        for member in objects { object.remove(member, from: ToManyOrdered<NSManagedObject>(key.name, key.key.keySlot)) }
    } else {
        for member in objects { object.remove(member, from: ToMany<NSManagedObject>(key.name, key.key.keySlot)) }
    }
}

/// Inserts a destination into an ordered relationship at an index.
public func _insertManagedMember(_ key: ManagedKey, _ member: NSManagedObject, at index: Int, of object: NSManagedObject) {
    object.mutableOrderedSetValue(forKey: key.name).insert(member, at: index)
}

/// Removes the destination of an ordered relationship at an index.
public func _removeManagedMember(_ key: ManagedKey, at index: Int, of object: NSManagedObject) {
    object.mutableOrderedSetValue(forKey: key.name).removeObject(at: index)
}

/// Inserts destinations into an ordered relationship, each at its index.
public func _insertManagedMembers(
    _ key: ManagedKey, _ members: (some Sequence)?, at indexes: some Sequence<Int>, of object: NSManagedObject
) {
    let ordered = object.mutableOrderedSetValue(forKey: key.name)
    for (member, index) in zip(managedObjects(members), indexes) { ordered.insert(member, at: index) }
}

/// Removes the destinations of an ordered relationship at some indexes.
public func _removeManagedMembers(_ key: ManagedKey, at indexes: some Sequence<Int>, of object: NSManagedObject) {
    let ordered = object.mutableOrderedSetValue(forKey: key.name)
    for index in Array(indexes).reversed() { ordered.removeObject(at: index) }
}

/// Replaces the destination of an ordered relationship at an index.
public func _replaceManagedMember(_ key: ManagedKey, at index: Int, with member: NSManagedObject, of object: NSManagedObject) {
    object.mutableOrderedSetValue(forKey: key.name).replaceObject(at: index, with: member)
}

/// Replaces the destinations of an ordered relationship at some indexes.
public func _replaceManagedMembers(
    _ key: ManagedKey, at indexes: some Sequence<Int>, with members: (some Sequence)?, of object: NSManagedObject
) {
    let ordered = object.mutableOrderedSetValue(forKey: key.name)
    for (index, member) in zip(indexes, managedObjects(members)) { ordered.replaceObject(at: index, with: member) }
}

private func managedObjects(_ members: (some Sequence)?) -> [NSManagedObject] {
    members.map { $0.compactMap { $0 as? NSManagedObject } } ?? []
}
