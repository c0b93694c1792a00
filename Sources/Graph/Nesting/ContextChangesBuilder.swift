import StrataModel

/// The conversion of a child context's changes to a request to its parent.
struct ContextChangesBuilder {
    private let context: ManagedObjectContext
    private let targets: TargetStores
    private var packer: RowPacker
    private let changedPartners: ChangedPartners
    private let transientAttributes: [[Int]]
    private(set) var changes = ContextChanges()
    private(set) var inserted: [ManagedObject] = []
    private(set) var updated: [ManagedObject] = []

    init(_ context: ManagedObjectContext) {
        self.context = context
        targets = TargetStores(context)
        changedPartners = ChangedPartners(context)
        transientAttributes = context.model.entities.map { $0.attributes.filter(\.isTransient).map(\.index) }
        packer = RowPacker(context, targets, .parent)
    }

    /// Adds all changed objects; throws `StoreError` with `crossStore`, `noStore`, `tooLarge`; the parent's read error.
    mutating func build() throws {
        let changed = context.tracker.changed
        for (index, object) in changed.enumerated() {
            if object.isDeleted {
                if !object.isNew { try delete(object) }
                continue
            }
            if object.isNew {
                if inserted.isEmpty { reserveInsertions(changed.count - index) }
                try insert(object)
            } else if object.flags.contains(.updated) {
                if updated.isEmpty { reserveUpdates(changed.count - index) }
                try update(object)
            }
            if object.extra?.hasToManyStates == true { try addMembers(of: object) }
        }
        changes.cascades = context.tracker.deletions.cascades.filter { $0.owner.isDeleted && $0.member.isDeleted }.map {
            ($0.owner.objectID, $0.relationship.index, $0.member.objectID)
        }
        changes.watched = context.tracker.watched.objects.compactMap { object in object.row.map { (object.objectID, $0) } }
    }

    private mutating func reserveInsertions(_ count: Int) {
        changes.inserted.reserveCapacity(count)
        changes.given.reserveCapacity(count)
        inserted.reserveCapacity(count)
    }

    private mutating func reserveUpdates(_ count: Int) {
        changes.updated.reserveCapacity(count)
        updated.reserveCapacity(count)
    }

    private mutating func insert(_ object: ManagedObject) throws {
        let ownStoreID = try targets.storeID(of: object)
        let row = try packer.pack(object, storeID: ownStoreID)
        if !object.objectID.isTemporary || context.tracker.hasAssignedStores,
            let storeID = object.objectID.storeID ?? context.tracker.assignedStoreID(of: object)
        {
            changes.stores[changes.inserted.count] = storeID
        }
        changes.inserted.append(row)
        changes.given.append(ContextChanges.Given(properties: object.extra?.given ?? PropertySet(), transients: transients(of: object)))
        inserted.append(object)
    }

    private mutating func update(_ object: ManagedObject) throws {
        guard object.extra?.hasValues == true else { return }
        try context.loader.requireRow(of: object)
        guard let base = object.row else { return }
        let ownStoreID = try targets.storeID(of: object)
        let row = try packer.pack(object, storeID: ownStoreID)
        var changed = PropertySet()
        for propertySlot in object.entity.propertySlots {
            guard let slot = propertySlot.slot, object.isPending(propertySlot.property) else { continue }
            if !row.slot(slot, propertySlot.kind, equals: base)
                || (propertySlot.kind == .reference && hasChangedPartner(object, propertySlot))
            {
                changed.insert(propertySlot.property)
            }
        }
        let transients = transients(of: object)
        guard !changed.isEmpty || !transients.isEmpty else { return }
        // A composite attribute is one value, which is passed as a whole.
        for attribute in object.entity.compositeAttributes.flatMap(\.attributes) where attribute.slot != nil {
            let isPart = object.entity.attributes(with: attribute).contains { changed.contains($0.index) }
            if isPart { changed.insert(attribute.index) }
        }
        changes.updated.append(
            ContextChanges.Update(id: object.objectID, base: base, row: row, properties: changed, transients: transients))
        updated.append(object)
    }

    private func transients(of object: ManagedObject) -> [ContextChanges.Transient] {
        transientAttributes[object.entityIndex.rawValue].compactMap { property in
            object.pendingValue(property).map { (property, $0) }
        }
    }

    /// Returns whether the other end of an unchanged reference changes.
    private func hasChangedPartner(_ object: ManagedObject, _ propertySlot: PropertySlot) -> Bool {
        context.model.oneToOneRelationships[object.entityIndex].contains {
            $0.index == propertySlot.property && changedPartners.contains(object, $0)
        }
    }

    private mutating func delete(_ object: ManagedObject) throws {
        try context.loader.requireRow(of: object)
        guard let row = object.row else { return }
        var cleared = PropertySet()
        for relationship in object.entity.relationships where !relationship.isToMany && object.isPending(relationship.index) {
            guard let destination = object.destinationID(relationship, in: row) else { continue }
            if object.currentDestination(relationship) != destination { cleared.insert(relationship.index) }
        }
        let members = object.toManyStates.compactMap { property, state -> ContextChanges.Members? in
            guard let relationship = object.entity.properties[property].relationship, !state.removed.isEmpty,
                context.model.inverse(of: relationship)?.isToMany != false
            else { return nil }
            return ContextChanges.Members(id: object.objectID, property: property, removed: state.removed, blind: Set(state.blindChanges))
        }
        changes.deleted.append(ContextChanges.Deletion(id: object.objectID, base: row, cleared: cleared, members: members))
    }

    private mutating func addMembers(of object: ManagedObject) throws {
        for (property, state) in object.toManyStates where state.hasChanges {
            guard let relationship = object.entity.properties[property].relationship, !relationship.isTransient else { continue }
            var members = ContextChanges.Members(id: object.objectID, property: property)
            if context.model.inverse(of: relationship)?.isToMany != false {
                members.added = state.added
                members.removed = state.removed
                members.blind = Set(state.blindChanges)
            }
            if state.isOrdered && (state.changesOrder || !members.removed.isEmpty) {
                if state.changesOrder && state.unsavedOrder == nil { _ = try object.loadedState(relationship) }
                members.order = state.unsavedOrder
            }
            if !members.added.isEmpty || !members.removed.isEmpty || members.order != nil {
                changes.members.append(members)
            } else if !object.isNew {
                changes.relationships.append((object.objectID, property))
            }
        }
    }
}
