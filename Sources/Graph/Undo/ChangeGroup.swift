import StrataModel

/// The states of changed objects before an undo group.
final class ChangeGroup {
    final class Record {
        let object: ManagedObject
        private(set) weak var group: ChangeGroup?
        /// Whether it existed before; `nil` where that did not change.
        var existed: Bool?
        /// Whether it was registered before, possibly deleted, and had values.
        var hadValues = true
        /// The snapshot of a removed object; of all that are inserted or removed.
        var life: Life?
        var values: [Int: Before<Value>] = [:]
        var destinations: [Int: Before<ManagedObject?>] = [:]
        var members: [Int: Members] = [:]
        var orders: [Int: Order] = [:]

        init(_ object: ManagedObject, in group: ChangeGroup) {
            self.object = object
            self.group = group
        }

        /// Discards what equals the context's state; returns whether anything is left.
        fileprivate func dropUnchanged(in context: ManagedObjectContext) -> Bool {
            let isPresent = object.managedObjectContext === context && !object.isInaccessible
            if existed == (isPresent && !object.isDeleted) {
                if existed == false && !(hadValues && isPresent) { return false }
                existed = nil
            }
            guard isPresent else { return true }
            // Also a fault gains and loses members.
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

    /// The former state of a property.
    struct Before<Content> {
        var content: Content
        /// Whether that was the saved state: then undo restores the current saved state.
        var isSaved: Bool
    }

    /// The members that a to-many relationship gained and lost.
    struct Members {
        private(set) var added: Set<ManagedObject> = []
        private(set) var removed: Set<ManagedObject> = []
        /// The members that were saved when removed, or unsaved when added.
        private(set) var asSaved: Set<ManagedObject> = []

        var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        mutating func add(_ object: ManagedObject, asSaved isSaved: Bool) {
            Members.move(object, from: &removed, to: &added, &asSaved, isSaved)
        }

        mutating func remove(_ object: ManagedObject, asSaved isSaved: Bool) {
            Members.move(object, from: &added, to: &removed, &asSaved, isSaved)
        }

        private static func move(
            _ object: ManagedObject, from old: inout Set<ManagedObject>, to new: inout Set<ManagedObject>,
            _ asSaved: inout Set<ManagedObject>, _ isSaved: Bool
        ) {
            // Where others saved an earlier change of this group, both are changes of the saved state at their time: only the
            // later one is left to be undone.
            let isBack = old.remove(object) != nil && !(isSaved && asSaved.contains(object))
            if !isBack { new.insert(object) }
            if isSaved && !isBack { asSaved.insert(object) } else { asSaved.remove(object) }
        }

        /// Discards changes that another context saved, too, and bases the others on the saved state.
        mutating func settle(_ savedByOthers: Set<ManagedObject>) {
            added.subtract(savedByOthers)
            removed.subtract(savedByOthers)
            asSaved = []
        }
    }

    struct Order {
        var members: [ManagedObject]
        /// The saved order then; `nil` once the context saved another one.
        var saved: [ManagedObject]?
    }

    private(set) var records: [Record] = []
    private var indexByObject: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { records.isEmpty }

    func dropUnchanged(in context: ManagedObjectContext) {
        records.removeAll { !$0.dropUnchanged(in: context) }
        indexByObject = Dictionary(uniqueKeysWithValues: records.indices.map { (ObjectIdentifier(records[$0].object), $0) })
    }

    func record(of object: ManagedObject) -> Record? { indexByObject[ObjectIdentifier(object)].map { records[$0] } }

    func addRecord(of object: ManagedObject) -> Record {
        let record = Record(object, in: self)
        indexByObject[ObjectIdentifier(object)] = records.count
        records.append(record)
        return record
    }
}

/// The existence of an object that is inserted or removed, shared by its groups.
final class Life {
    /// The object's values when it left its context.
    var snapshot: DeletedObjectSnapshot?
    /// The references of others that a save cleared because of its deletion.
    var referrers: [(object: ManagedObject, relationship: RelationshipDescription)] = []
}
