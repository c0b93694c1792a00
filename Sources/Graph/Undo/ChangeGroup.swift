import StrataModel

/// What changed objects were before a step: all that is needed to go back.
final class ChangeGroup {
    /// One changed object, as it was.
    final class Record {
        let object: ManagedObject
        /// The group that the record is part of.
        private(set) weak var group: ChangeGroup?
        /// Whether it was there before; `nil` where that did not change.
        var existed: Bool?
        /// Whether it was here before, be it deleted: it had values then.
        var hadValues = true
        /// What is left of it where it leaves the context; of all that come or go.
        var life: Life?
        var values: [Int: Before<Value>] = [:]
        var destinations: [Int: Before<ManagedObject?>] = [:]
        var members: [Int: Members] = [:]
        /// The orders of ordered relationships.
        var orders: [Int: Order] = [:]

        init(_ object: ManagedObject, in group: ChangeGroup) {
            self.object = object
            self.group = group
        }

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
                case .attribute(let attribute):
                    let whole = object.entity.attributes(with: attribute)
                    let isUnchanged = whole.allSatisfy { element in
                        value(element.index).map { $0 == object.currentValue(.attribute(element)) } ?? true
                    }
                    if isUnchanged { values[index] = nil }
                case .relationship(let relationship) where relationship.isToMany:
                    if members[index]?.isEmpty == true { members[index] = nil }
                    let state = orders[index] == nil ? nil : object.extra?.toMany(index)
                    if let state, orders[index]?.members.map(\.objectID) == state.order { orders[index] = nil }
                case .relationship where !hasValues: continue
                case .relationship(let relationship):
                    let destination = destination(relationship, in: context)
                    if let destination, destination?.objectID == object.currentDestination(relationship) { destinations[index] = nil }
                }
            }
            return existed != nil || !values.isEmpty || !destinations.isEmpty || !members.isEmpty || !orders.isEmpty
        }
    }

    /// What a property was before.
    struct Before<Content> {
        var content: Content
        /// Whether that was what is saved: where another context saves something else meanwhile, it is that which is gone back to.
        var isSaved: Bool
    }

    /// What came to a to-many relationship and left it since.
    struct Members {
        private(set) var added: Set<ManagedObject> = []
        private(set) var removed: Set<ManagedObject> = []
        /// Those that were saved ones when they were removed, or no saved ones when they were added.
        private(set) var asSaved: Set<ManagedObject> = []

        var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        mutating func add(_ object: ManagedObject, asSaved isSaved: Bool) {
            let isBack = removed.remove(object) != nil && !isSavedByOthers(object, isSaved)
            if !isBack { added.insert(object) }
            note(object, asSaved: isSaved && !isBack)
        }

        mutating func remove(_ object: ManagedObject, asSaved isSaved: Bool) {
            let isBack = added.remove(object) != nil && !isSavedByOthers(object, isSaved)
            if !isBack { removed.insert(object) }
            note(object, asSaved: isSaved && !isBack)
        }

        /// Returns whether another context saved an earlier change of this step, too, before the opposite change is
        /// made.
        ///
        /// Both are changes of what was saved at their time. Only the later one is left to be undone.
        private func isSavedByOthers(_ object: ManagedObject, _ isSaved: Bool) -> Bool { isSaved && asSaved.contains(object) }

        private mutating func note(_ object: ManagedObject, asSaved isSaved: Bool) {
            if isSaved { asSaved.insert(object) } else { asSaved.remove(object) }
        }

        /// Forgets changes that another context saved, too, and that others were made upon what is saved.
        mutating func settle(_ savedByOthers: Set<ManagedObject>) {
            added.subtract(savedByOthers)
            removed.subtract(savedByOthers)
            asSaved = []
        }
    }

    /// The order of an ordered relationship before.
    struct Order {
        var members: [ManagedObject]
        /// The saved order then; `nil` once the context saved another one.
        var saved: [ManagedObject]?
    }

    /// The changed objects, in the order of their first change.
    private(set) var records: [Record] = []
    private var indexByObject: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { records.isEmpty }

    /// Forgets what is in a context as it was before.
    func dropUnchanged(in context: ManagedObjectContext) {
        records.removeAll { !$0.dropUnchanged(in: context) }
        indexByObject = Dictionary(uniqueKeysWithValues: records.indices.map { (ObjectIdentifier(records[$0].object), $0) })
    }

    /// What is known of an object; `nil` where there is nothing yet.
    func record(of object: ManagedObject) -> Record? { indexByObject[ObjectIdentifier(object)].map { records[$0] } }

    /// Begins the record of an object that has none.
    func addRecord(of object: ManagedObject) -> Record {
        let record = Record(object, in: self)
        indexByObject[ObjectIdentifier(object)] = records.count
        records.append(record)
        return record
    }
}

/// An object that comes or goes, for as long as there is a step in which it does.
final class Life {
    let object: ManagedObject
    /// What it held when it left its context.
    var snapshot: DeletedObjectSnapshot?
    /// The references of others that a save cleared because of its deletion.
    var referrers: [(object: ManagedObject, relationship: RelationshipDescription)] = []

    init(_ object: ManagedObject) { self.object = object }
}
