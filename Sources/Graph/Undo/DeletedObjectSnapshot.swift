import StrataCoordinator
import StrataModel

/// The values and relationships of a deleted object as it left its context: enough to insert it again.
struct DeletedObjectSnapshot {
    private var values: [(attribute: AttributeDescription, value: Value)]
    private var destinations: [(relationship: RelationshipDescription, objects: [ManagedObject])]
    private let storeID: StoreID?

    /// Creates the snapshot of an object, without to-many relationships that are not loaded.
    init(of object: ManagedObject, in context: ManagedObjectContext) {
        var values: [(AttributeDescription, Value)] = []
        var destinations: [(RelationshipDescription, [ManagedObject])] = []
        for property in object.entity.properties {
            switch property {
            case .attribute(let attribute) where attribute.isDerived: continue
            case .attribute(let attribute):
                let value = object.currentValue(property)
                if value != attribute.defaultValue { values.append((attribute, value)) }
            case .relationship(let relationship) where relationship.isToMany:
                guard let state = object.extra?.toMany(relationship.index), state.isLoaded else { continue }
                let ids = relationship.isOrdered ? state.order : state.members
                if !ids.isEmpty { destinations.append((relationship, ids.map { context.fault(with: $0) })) }
            case .relationship(let relationship):
                if let id = object.currentDestination(relationship) { destinations.append((relationship, [context.fault(with: id)])) }
            }
        }
        self.values = values
        self.destinations = destinations
        let assigned = object.objectID.storeID ?? context.tracker.assignedStoreID(of: object)
        storeID = assigned ?? (object.isNew ? nil : try? context.source.storeID(of: object.objectID))
    }

    /// Reverts changes that were made when the object was deleted already.
    mutating func goBack(_ record: ChangeGroup.Record) {
        for property in record.object.entity.properties {
            switch property {
            case .attribute(let attribute):
                guard let value = record.values[property.index]?.content else { continue }
                values.removeAll { $0.attribute.index == attribute.index }
                if value != attribute.defaultValue { values.append((attribute, value)) }
            case .relationship(let relationship):
                var objects = destinations.first { $0.relationship.index == relationship.index }?.objects ?? []
                if let before = record.destinations[property.index] { objects = before.content.map { [$0] } ?? [] }
                if let members = record.members[property.index] {
                    objects.removeAll { members.added.contains($0) }
                    objects += members.removed.subtracting(objects)
                }
                if let order = record.orders[property.index]?.members {
                    let (present, ordered) = (Set(objects), Set(order))
                    objects = order.filter(present.contains) + objects.filter { !ordered.contains($0) }
                }
                destinations.removeAll { $0.relationship.index == relationship.index }
                if !objects.isEmpty { destinations.append((relationship, objects)) }
            }
        }
    }

    /// Sets the values and the store of an object that was inserted again.
    func fill(_ object: ManagedObject, _ context: ManagedObjectContext) {
        if let storeID { context.tracker.assign(object, to: storeID) }
        for (attribute, value) in values { object.setAttribute(value, object.entity.propertySlots[attribute.index]) }
    }

    /// Relates an object that was inserted again to its existing destinations.
    ///
    /// - Parameter record: The changes since the moment to restore: only they know of what came before the object left.
    /// - Throws: The error of reading a row that the change needs.
    func relate(_ object: ManagedObject, _ context: ManagedObjectContext, without record: ChangeGroup.Record) throws {
        for (relationship, objects) in destinations where record.destinations[relationship.index] == nil {
            let added = record.members[relationship.index]?.added ?? []
            let present = objects.filter { !added.contains($0) }.map(\.standing).filter {
                $0.managedObjectContext === context && !$0.isInaccessible
            }
            guard relationship.isToMany else {
                try object.set(present.first, relationship)
                continue
            }
            for other in present { try object.addMember(other, relationship) }
            if relationship.isOrdered {
                let state = object.state(relationship)
                context.tracker.reorder(state.order(beginningWith: present.map(\.objectID)), of: relationship, state, of: object)
            }
        }
    }
}
