import Foundation
import StrataGraph
import StrataModel
import StrataQuery

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

extension ManagedKey {
    fileprivate func isOrdered(in object: NSManagedObject) -> Bool {
        (object as ManagedObject).entity.relationship(named: name)?.isOrdered ?? false
    }
}
