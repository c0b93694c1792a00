import FoundationEssentials
import StrataModel
import StrataStore

/// Packs the current values of objects into rows.
struct RowPacker {
    /// What the rows are for.
    enum Purpose {
        case store
        /// A request to look at: as for the store, but whoever looks may keep the rows.
        case display
        case parent
        /// A condition, or a child: what a row leads to need not be there.
        case reading
    }

    private let context: ManagedObjectContext
    private let targets: TargetStores
    private var writer = RowWriter()
    private let purpose: Purpose
    private let referenceSlots: [[ReferenceSlot]]
    /// Whether the rows are those of the next version.
    private var advancesVersions: Bool { purpose == .store || purpose == .display }

    init(_ context: ManagedObjectContext, _ targets: TargetStores, _ purpose: Purpose) {
        self.context = context
        self.targets = targets
        self.purpose = purpose
        referenceSlots = context.model.referenceSlots
    }

    /// Whether the rows may lead to objects that were never saved, and are deleted.
    private var readsForgotten: Bool { purpose == .reading && context.tracker.hasForgotten }

    /// Returns the row of an object as it is now.
    ///
    /// - Parameters:
    ///   - storeID: The ID of the store that the object is in or goes to.
    ///   - takesAllNew: Whether all new objects go to that store.
    ///   - orders: The place of the object in each ordered relationship that leads to it, by slot, where it changes.
    /// - Throws: `StoreError` with `crossStore` where the object is related to one of another store, `tooLarge` where
    ///   its values do not fit a row.
    mutating func pack(
        _ object: ManagedObject, storeID: StoreID, takesAllNew: Bool = false, orders: [Slot: OrderKey] = [:]
    ) throws -> Row {
        let areNamedSo = try checkDestinations(of: object, storeID, takesAllNew)
        // What a child gets says that it is not saved: by its temporary reference, or by the store's word.
        let saysSo = advancesVersions || object.objectID.isTemporary
        if object.row == nil && orders.isEmpty && areNamedSo && saysSo,
            let row = context.tracker.takeRow(of: object, exclusively: purpose == .store)
        {
            return row
        }
        if orders.isEmpty, let base = object.row, let row = patch(base, object) { return row }
        return try copy(object, orders)
    }

    /// Copies the saved row with what is pending in it; `nil` where something is pending that is not of a fixed size,
    /// or has a place among others.
    private mutating func patch(_ base: Row, _ object: ManagedObject) -> Row? {
        guard let extra = object.extra else { return nil }
        let entity = object.entity
        let properties = extra.pendingProperties
        for propertySlot in entity.propertySlots where propertySlot.slot != nil && properties.contains(propertySlot.property) {
            if propertySlot.kind.isVariable || propertySlot.kind == .reference { return nil }
        }
        writer.begin(
            copying: base, reference: object.objectID.reference,
            version: advancesVersions || object.isNew ? base.version &+ 1 : base.version)
        if !advancesVersions { writer.set(storeWord: OwnVersions.unsavedRow) }
        for propertySlot in entity.propertySlots where properties.contains(propertySlot.property) {
            guard let slot = propertySlot.slot, !object.keepsNumber(propertySlot) else { continue }
            writer.clear(slot)
            writer.set(object.pendingValue(propertySlot.property) ?? .null, at: slot, propertySlot.kind)
        }
        return writer.finish()
    }

    /// Packs what is pending together with the rest of the saved row.
    private mutating func copy(_ object: ManagedObject, _ orders: [Slot: OrderKey]) throws -> Row {
        let entity = object.entity
        let base = object.row
        // An object that someone else deleted, and which is made anew, has a version that no one has seen.
        writer.begin(
            entity, reference: object.objectID.reference,
            version: base.map { advancesVersions || object.isNew ? $0.version &+ 1 : $0.version } ?? 1)
        if !advancesVersions { writer.set(storeWord: OwnVersions.unsavedRow) }
        var size = 0
        for propertySlot in entity.propertySlots {
            guard let slot = propertySlot.slot else { continue }
            if propertySlot.kind == .reference {
                packDestination(of: object, propertySlot, slot, orders)
            } else if object.isPending(propertySlot.property), !object.keepsNumber(propertySlot) {
                let value = object.pendingValue(propertySlot.property) ?? .null
                size += value.variableSize
                guard size < Int(Int32.max) else {
                    throw StoreError(
                        .tooLarge, .save, "the values of \(object.objectID) exceed 2 GiB", entity: entity.name,
                        key: entity.properties[propertySlot.property].name)
                }
                writer.set(value, at: slot, propertySlot.kind)
            } else if let base {
                writer.copy(slot, propertySlot.kind, from: base)
            }
        }
        return writer.finish()
    }

    /// Packs what a to-one relationship of an object leads to, and the object's place there.
    private mutating func packDestination(of object: ManagedObject, _ propertySlot: PropertySlot, _ slot: Slot, _ orders: [Slot: OrderKey])
    {
        guard case .relationship(let relationship) = object.entity.properties[propertySlot.property],
            case .toOne(_, let entitySlot, let orderSlot) = relationship.storage
        else { return }
        let pending = object.pendingValue(propertySlot.property)
        if let pending {
            guard case .objectID(let id) = pending else { return }
            let destination = context.fault(with: id)
            if readsForgotten && destination.isForgotten { return }
            writer.set(integer: destination.objectID.reference, at: slot)
            if let entitySlot { writer.set(integer: Int64(destination.entity.index.rawValue), at: entitySlot) }
        } else if let base = object.row {
            writer.copy(slot, .reference, from: base)
            if let entitySlot { writer.copy(entitySlot, .entity, from: base) }
        }
        guard let orderSlot else { return }
        if let order = orders[orderSlot] {
            writer.set(order: order, at: orderSlot)
        } else if let base = object.row, object.keepsDestination(relationship) {
            writer.copy(orderSlot, .order, from: base)
        }
    }

    // MARK: - Destinations

    /// Checks that the pending destinations of an object's to-one relationships can be saved with it.
    ///
    /// - Returns: Whether the pending values name them by the IDs that they have now.
    private func checkDestinations(of object: ManagedObject, _ storeID: StoreID, _ takesAllNew: Bool) throws -> Bool {
        guard let extra = object.extra else { return true }
        let references = referenceSlots[object.entity.index]
        var areNamedSo = true
        for index in references.indices {
            let slot = references[index].slot
            guard extra.mayLeadSomewhere(slot) else { continue }
            // A new one is saved with it, and in the same store.
            if extra.leadsToNew(slot), takesAllNew, !readsForgotten { continue }
            let relationship = references[index].relationship
            guard case .objectID(let id)? = object.pendingValue(relationship.index) else { continue }
            // What leads to an object that comes to nothing is cleared by the save, and may be read before.
            if readsForgotten, context.fault(with: id).isForgotten {
                areNamedSo = false
                continue
            }
            let destination = try destination(id, of: object, relationship, storeID).objectID
            if destination.reference != id.reference || destination.scope !== id.scope { areNamedSo = false }
        }
        return areNamedSo
    }

    private func destination(
        _ id: ObjectID, of object: ManagedObject, _ relationship: RelationshipDescription, _ storeID: StoreID
    ) throws -> ManagedObject {
        let destination = context.fault(with: id)
        // One that no save has named yet, and that this one does not insert, may be unknown to the coordinator.
        if destination.objectID.isTemporary, !destination.isInserted, destination.row == nil {
            // That it is gone is for the parent to find.
            if purpose == .reading || (purpose == .parent && destination.isGone) { return destination }
            guard try context.loader.savedRow(of: destination.objectID) != nil else {
                throw StoreError(
                    .notFound, .save, "\(object.objectID) is related to \(destination.objectID), a new object that is not saved with it",
                    entity: object.entity.name, key: relationship.name)
            }
        }
        let other = try targets.storeID(of: destination)
        guard other == storeID else {
            throw StoreError(
                .crossStore, .save, "\(object.objectID) is related to \(destination.objectID) in another store",
                entity: object.entity.name, key: relationship.name)
        }
        return destination
    }
}

extension ManagedObject {
    /// Returns whether a pending number is the stored one.
    ///
    /// Equal numbers may have different bytes, as 0.0 and -0.0 have: the row keeps the stored ones, as an equal value is no change.
    fileprivate final func keepsNumber(_ propertySlot: PropertySlot) -> Bool {
        switch propertySlot.kind {
        case .double, .float, .date, .decimal: keepsValue(propertySlot)
        default: false
        }
    }
}
