import StrataModel

/// What changed objects were before a step: all that is needed to go back.
final class ChangeGroup {
    /// One changed object, as it was.
    final class Record {
        let object: ManagedObject
        /// Whether it was there before; `nil` where that did not change.
        var existed: Bool?
        /// Whether it was here before, be it deleted: it had values then.
        var hadValues = true
        /// What is left of it where it leaves the context; of all that come or go.
        var life: Life?
        var values: [Int: Value] = [:]
        var destinations: [Int: ManagedObject?] = [:]
        var members: [Int: Members] = [:]
        /// The orders of ordered relationships.
        var orders: [Int: [ManagedObject]] = [:]

        init(_ object: ManagedObject) { self.object = object }

        /// Forgets what is in a context as it was before.
        ///
        /// - Returns: Whether anything is left.
        fileprivate func dropUnchanged(in context: ManagedObjectContext) -> Bool {
            let isPresent = object.managedObjectContext === context && !object.isGone
            if existed == (isPresent && !object.isDeleted) {
                if existed == false && !(hadValues && isPresent) { return false }
                existed = nil
            }
            guard isPresent else { return true }
            // A fault gains and loses members all the same.
            let hasValues = object.isNew || object.row != nil
            for property in object.entity.properties {
                let index = property.index
                switch property {
                case .attribute where !hasValues: continue
                case .attribute: if let value = values[index], value == object.currentValue(property) { values[index] = nil }
                case .relationship(let relationship) where relationship.isToMany:
                    if members[index]?.isEmpty == true { members[index] = nil }
                    let state = orders[index] == nil ? nil : object.extra?.toMany(index)
                    if let state, orders[index]?.map(\.objectID) == state.order { orders[index] = nil }
                case .relationship where !hasValues: continue
                case .relationship(let relationship):
                    if let destination = destinations[index], destination?.objectID == object.currentDestination(relationship) {
                        destinations[index] = nil
                    }
                }
            }
            return existed != nil || !values.isEmpty || !destinations.isEmpty || !members.isEmpty || !orders.isEmpty
        }
    }

    /// What came to a to-many relationship and left it since.
    struct Members {
        private(set) var added: Set<ManagedObject> = []
        private(set) var removed: Set<ManagedObject> = []

        var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        mutating func add(_ object: ManagedObject) { if removed.remove(object) == nil { added.insert(object) } }
        mutating func remove(_ object: ManagedObject) { if added.remove(object) == nil { removed.insert(object) } }
    }

    /// The changed objects, in the order of their first change.
    private(set) var records: [Record] = []
    private var places: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { records.isEmpty }

    /// Forgets what is in a context as it was before.
    func dropUnchanged(in context: ManagedObjectContext) {
        records.removeAll { !$0.dropUnchanged(in: context) }
        places = [:]
    }

    /// What is known of an object, begun where there is nothing yet.
    func record(of object: ManagedObject) -> Record {
        if let place = places[ObjectIdentifier(object)] { return records[place] }
        let record = Record(object)
        places[ObjectIdentifier(object)] = records.count
        records.append(record)
        return record
    }
}

/// An object that comes or goes, for as long as there is a step in which it does.
final class Life {
    let object: ManagedObject
    /// What it held when it left its context.
    var remains: Remains?
    /// The references of others that a save cleared because of its deletion.
    var referrers: [(object: ManagedObject, relationship: RelationshipDescription)] = []

    init(_ object: ManagedObject) { self.object = object }
}
