import StrataCoordinator
import StrataModel
import StrataStore

/// The conversion of a context's changes to a save request.
// Safe: `stores` retains what is unmanaged.
@safe struct SaveChangesRequestBuilder {
    private let context: ManagedObjectContext
    private let purpose: RowPacker.Purpose
    private var packer: RowPacker
    /// The changed positions of each object in ordered relationships that reference it, by slot.
    private var orders: [ObjectIdentifier: [Slot: OrderKey]] = [:]
    /// Objects of which only such a position changes.
    private var reordered: [ManagedObject] = []
    private(set) var stores: [StoreChanges] = []
    /// The temporary references of the new objects.
    private(set) var extent = TemporaryTable.Extent()
    private let targets: TargetStores
    private lazy var changedPartners = ChangedPartners(context)
    /// The changes of the store for new objects of the entity that was looked up last.
    // Unmanaged, as each object would count references: `stores` retains it.
    @safe private var lastNew: (entity: EntityIndex, store: Unmanaged<StoreChanges>)?

    /// The changes of one store, with the objects of its rows in order.
    // A class, as a copy of a structure would count references to all of its parts.
    final class StoreChanges {
        // Exclusivity is not checked at run time: no access spans another.
        @safe @exclusivity(unchecked) var part: SaveChangesRequest.Part
        /// The scopes of the store's objects, looked up before the save: the store may be removed meanwhile.
        let scopes: ObjectIDScopes
        @safe @exclusivity(unchecked) var links = LinkChanges()
        @safe @exclusivity(unchecked) var inserted = InsertedObjects()
        @safe @exclusivity(unchecked) var updated: [ManagedObject] = []

        /// Whether all new objects are saved to this store, once that was looked up.
        @safe @exclusivity(unchecked) private var hasAllNew: Bool?

        init(_ storeID: StoreID, _ scopes: ObjectIDScopes) {
            part = SaveChangesRequest.Part(storeID: storeID)
            self.scopes = scopes
        }

        func hasAllNew(_ targets: TargetStores) -> Bool {
            if let hasAllNew { return hasAllNew }
            let found = targets.areAllNew(in: storeID)
            hasAllNew = found
            return found
        }

        var storeID: StoreID { part.storeID }
    }

    /// - Parameter purpose: Whether the request is executed, or inspected.
    init(_ context: ManagedObjectContext, _ purpose: RowPacker.Purpose = .store) {
        self.context = context
        self.purpose = purpose
        targets = TargetStores(context)
        packer = RowPacker(context, targets, purpose)
    }

    var request: SaveChangesRequest {
        var request = SaveChangesRequest(context.origin)
        request.origin.sender = context.remoteChanges.sender
        request.parts = stores.map(\.part)
        for object in context.tracker.watched.objects { addUnchanged(object, to: &request) }
        for object in unitedObjects { addUnchanged(object, to: &request) }
        // The end of an undo group reads the objects while the save has their rows.
        if purpose == .store && context.tracker.journal == nil { request.exclusive = ExclusiveRows() }
        return request
    }

    private func addUnchanged(_ object: ManagedObject, to request: inout SaveChangesRequest) {
        guard let row = object.row, let storeID = object.objectID.storeID, !object.isDeleted, !updates(object) else { return }
        if !request.parts.contains(where: { $0.storeID == storeID }) { request.parts.append(SaveChangesRequest.Part(storeID: storeID)) }
        for index in request.parts.indices where request.parts[index].storeID == storeID {
            request.parts[index].unchanged.append(RowVersion(entity: row.entityIndex, reference: row.reference, version: row.version))
        }
    }

    /// Objects that took the values of new ones, even if equal to their rows: other contexts may have saved others.
    private var unitedObjects: [ManagedObject] {
        if context.saveState.unitedProperties.isEmpty { return [] }
        return context.tracker.changed.filter { context.saveState.unitedProperties[ObjectIdentifier($0)] != nil }
    }

    private func updates(_ object: ManagedObject) -> Bool { stores.contains { $0.updated.contains { $0 === object } } }

    /// Returns the index of a store in ``stores``, which is extended as needed.
    private mutating func index(of storeID: StoreID) throws -> Int {
        if let index = stores.firstIndex(where: { $0.storeID == storeID }) { return index }
        stores.append(StoreChanges(storeID, try context.loader.scopes(ofStore: storeID)))
        return stores.count - 1
    }

    /// Builds the request of all changed objects; throws `StoreError` with `crossStore`, `noStore`, `tooLarge`,
    /// `wrongValue`; what a store throws while rows and orders are read.
    mutating func build() throws {
        let changed = context.tracker.changed
        if context.model.hasOrderedRelationships {
            for object in changed where !object.isDeleted { try assignOrders(object) }
        }
        try changed.forEachUncounted { object in
            if object.isDeleted {
                if !object.isNew { try delete(object) }
            } else if object.isNew {
                try insert(object)
            } else if object.flags.contains(.updated) {
                try update(object)
            }
        }
        for object in reordered where !object.hasChanges { try update(object) }
        if !context.model.linkTables.isEmpty { try addLinks(changed) }
        changed.forEachUncounted { if !$0.isDeleted && !$0.isNew { noteRelationships(of: $0) } }
    }

    /// - Throws: `StoreError` with `wrongValue`, for an object that was not validated before.
    private func requireFit(_ object: ManagedObject) throws {
        guard let property = object.withExtra(\.firstUnfit) ?? nil, let attribute = object.entity.properties[property].attribute,
            let value = object.pendingValue(property)
        else { return }
        throw object.wrongValue(attribute.name, attribute.type.misfit(of: value).message)
    }

    private mutating func insert(_ object: ManagedObject) throws {
        try requireFit(object)
        let own = orders.isEmpty ? [:] : orders[ObjectIdentifier(object)] ?? [:]
        try unsafe storeForNew(object)._withUnsafeGuaranteedRef { store in
            let destinations = own.isEmpty ? packer.newDestinationCount(of: object) : nil
            let isPlain = destinations == 0 || (destinations != nil && store.hasAllNew(targets))
            let row = try (isPlain ? packer.packPlainly(object) : nil) ?? packer.pack(object, storeID: store.storeID, orders: own)
            if store.part.changes.inserted.isEmpty { reserveInsertions(in: store) }
            store.part.changes.inserted.append(row)
            store.inserted.append(object)
        }
        extent.add(object.objectID.reference)
    }

    /// Returns the changes of the store for a new object: mostly those of its entity.
    private mutating func storeForNew(_ object: ManagedObject) throws -> Unmanaged<StoreChanges> {
        let isStoredWithItsEntity = targets.isStoredWithItsEntity(object)
        if isStoredWithItsEntity, let last = lastNew, unsafe last.entity == object.entityIndex { return unsafe last.store }
        let store = unsafe Unmanaged.passUnretained(stores[try index(of: try targets.storeID(of: object))])
        if isStoredWithItsEntity { lastNew = unsafe (object.entityIndex, store) }
        return unsafe store
    }

    private func reserveInsertions(in store: StoreChanges) {
        let count = context.tracker.changed.count(where: \.isInserted)
        store.part.changes.inserted.reserveCapacity(count)
        store.inserted.reserveCapacity(count)
    }

    private mutating func update(_ object: ManagedObject) throws {
        try context.loader.requireRow(of: object)
        guard let base = object.row else { return }
        let own = orders.isEmpty ? [:] : orders[ObjectIdentifier(object)] ?? [:]
        guard object.withExtra(\.hasValues) == true || !own.isEmpty else { return }
        try requireFit(object)
        let storeID = try targets.storeID(of: object)
        let row = try packer.pack(object, storeID: storeID, orders: own)
        let slots = object.entity.layout.slots
        var changedSlots = slots.typedIndices(Slot.self).filter { !row.slot($0, slots[$0].kind, equals: base) }
        if changedSlots.isEmpty { changedSlots = pairedSlots(object) }
        guard !changedSlots.isEmpty else { return }
        let index = try index(of: storeID)
        stores[index].part.changes.updated.append(RowUpdate(row: row, changedSlots: changedSlots))
        stores[index].updated.append(object)
    }

    /// Returns the slots of unchanged one-to-one relationships whose other end changes.
    private mutating func pairedSlots(_ object: ManagedObject) -> [Slot] {
        let relationships = context.model.oneToOneRelationships[object.entityIndex]
        if relationships.isEmpty { return [] }
        let changedPartners = changedPartners
        return relationships.compactMap { relationship in
            guard case .toOne(let slot, _, _) = relationship.storage, object.isPending(relationship.index),
                changedPartners.contains(object, relationship)
            else { return nil }
            return slot
        }
    }

    private mutating func delete(_ object: ManagedObject) throws {
        try context.loader.requireRow(of: object)
        guard let row = object.row else { return }
        let deletion = RowDeletion(row, of: context.model.entities[row.entityIndex])
        stores[try index(of: try targets.storeID(of: object))].part.changes.deleted.append(deletion)
    }

    // MARK: - Orders

    /// Numbers the members of an object's changed ordered relationships that are stored in the members' rows.
    private mutating func assignOrders(_ object: ManagedObject) throws {
        guard object.withExtra(\.hasToManyStates) == true, let extra = object.extra else { return }
        for (property, state) in extra.toManyStates where state.isOrdered && state.changesOrder {
            guard let relationship = object.entity.properties[property].relationship, case .inverse(let inverse) = relationship.storage,
                case .toOne(_, _, let orderSlot?) = context.model.destination(of: relationship).properties[inverse].relationship?.storage
            else { continue }
            _ = try object.loadedState(relationship)
            func numbered(from first: Int) throws -> (members: [ManagedObject], current: [OrderKey?], keys: [OrderKey]) {
                let ids = first == 0 ? state.order : (first..<state.count).compactMap { state.member(at: $0) }
                let members = ids.map { context.fault(with: $0) }
                let current = try positions(of: members, inverse, orderSlot)
                return (members, current, OrderKey.assign(current, references: members.map(\.objectID.reference)))
            }
            // Appended members follow the last other one, where its position is valid.
            let first = max((state.firstAppended ?? 0) - 1, 0)
            var (members, current, keys) = try numbered(from: first)
            if first > 0, keys.first != (current.first ?? nil) { (members, current, keys) = try numbered(from: 0) }
            for (member, (key, old)) in zip(members, zip(keys, current)) where key != old {
                orders[ObjectIdentifier(member), default: [:]][orderSlot] = key
                if !member.hasChanges { reordered.append(member) }
            }
        }
    }

    /// Returns the positions of members in the rows; `nil` for those that came from another owner.
    private func positions(of members: [ManagedObject], _ inverse: Int, _ orderSlot: Slot) throws -> [OrderKey?] {
        try context.loader.loadRows(of: members)
        return try members.map { member in
            try context.loader.requireRow(of: member)
            guard let membership = member.entity.properties[inverse].relationship, member.keepsDestination(membership) else { return nil }
            return member.row?.order(orderSlot)
        }
    }

    // MARK: - Links

    private mutating func addLinks(_ changed: [ManagedObject]) throws {
        for object in changed where object.isDeleted && !object.isNew && object.withExtra(\.hasToManyStates) == true {
            // Those that it lost before, where its rule would be applied to the other objects.
            for (property, state) in object.toManyStates where !state.removed.isEmpty {
                guard let end = try LinkChanges.End(object, property: property, storeID: targets.storeID(of: object)),
                    end.relationship.deleteRule == .deny || end.relationship.deleteRule == .cascade
                else { continue }
                let index = try index(of: end.storeID)
                for id in state.removed { try add(.remove, end, to: id, in: index) }
            }
        }
        for object in changed where !object.isDeleted && object.withExtra(\.hasToManyStates) == true {
            for (property, state) in object.toManyStates where state.hasChanges {
                guard let end = try LinkChanges.End(object, property: property, storeID: targets.storeID(of: object)) else { continue }
                let index = try index(of: end.storeID)
                // An order that is loaded for the save may turn out to be the saved one.
                if state.isOrdered && state.changesOrder { _ = try object.loadedState(end.relationship) }
                if state.isOrdered && state.changesOrder {
                    // Links that others removed stay removed.
                    for (id, key) in state.orderedLinks {
                        try add(state.isAdded(id) ? .put : .order, end, to: id, in: index, order: key)
                    }
                } else {
                    for id in state.added { try add(.put, end, to: id, in: index) }
                }
                for id in state.removed { try add(.remove, end, to: id, in: index) }
            }
        }
        for index in stores.indices { stores[index].part.changes.links = stores[index].links.take() }
    }

    /// Records the relationships of a saved object that others' rows, links, or deletions alter.
    private mutating func noteRelationships(of object: ManagedObject) {
        guard object.withExtra(\.hasToManyStates) == true, let extra = object.extra,
            let index = stores.firstIndex(where: { $0.storeID == object.objectID.storeID })
        else { return }
        for (property, state) in extra.toManyStates where state.hasChanges {
            guard object.entity.properties[property].relationship?.isTransient == false else { continue }
            stores[index].part.relationships.append(
                RelationshipID(entity: object.entityIndex, reference: object.objectID.reference, property: property))
        }
    }

    private mutating func add(
        _ kind: LinkChange.Kind, _ end: LinkChanges.End, to id: ObjectID, in index: Int, order: OrderKey? = nil
    ) throws {
        let isReflexive = context.model.linkTables[end.table].isReflexive
        // All new objects are saved with this one, and in the same store.
        if id.isTemporary && !isReflexive && context.identity.permanentIDs.isEmpty && targets.areAllNew(in: stores[index].storeID) {
            return stores[index].links.add(kind, end, to: id.reference, order: order)
        }
        let other = context.fault(with: id)
        // Deleting an object removes its links. The store detects deletions by others.
        if other.isDeleted && !(other.isInaccessible && kind == .put) { return }
        guard try targets.storeID(of: other) == end.storeID else {
            throw StoreError(
                .crossStore, .save, "\(end.object.objectID) is related to \(other.objectID) in another store",
                entity: end.object.entity.name, key: end.relationship.name)
        }
        stores[index].links.add(kind, end, to: other.objectID.reference, order: order)
        // Of a reflexive relationship the other end is a link of its own, which its object may not have recorded.
        if isReflexive { stores[index].links.add(kind, end.opposite(other), to: end.object.objectID.reference) }
    }
}
