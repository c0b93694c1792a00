import FoundationEssentials
import StrataModel
import StrataStore

struct RowPacker {
    enum Purpose {
        case store
        /// A request for inspection: as for the store, but the caller may keep the rows.
        case display
        case parent
        /// A condition, or a child: destinations need not exist.
        case reading
    }

    private let context: ManagedObjectContext
    private let targets: TargetStores
    private var writer = RowWriter()
    private let purpose: Purpose
    /// The slots of the object's destinations in other stores, which conditions read as objects without a row.
    private var elsewhere: [Slot] = []
    /// The slots of references of the last entity, a bit for each.
    private var referenceSlots: (entity: EntityIndex, slots: UInt64)?
    private var advancesVersions: Bool { purpose == .store || purpose == .display }

    init(_ context: ManagedObjectContext, _ targets: TargetStores, _ purpose: Purpose) {
        self.context = context
        self.targets = targets
        self.purpose = purpose
    }

    /// Whether the rows may reference objects that were never saved, and are deleted.
    private var readsForgotten: Bool { purpose == .reading && context.tracker.hasForgotten }

    /// Returns the number of destinations of a new object without a row; `nil` where any is saved already, or
    /// ``pack(_:storeID:orders:)`` has to look at the object otherwise.
    mutating func newDestinationCount(of object: ManagedObject) -> Int? {
        guard purpose == .store, object.row == nil else { return nil }
        if referenceSlots?.entity != object.entityIndex {
            let slots = context.model.referenceSlots[object.entityIndex].map(\.slot.rawValue)
            guard slots.allSatisfy({ $0 < UInt64.bitWidth }) else { return nil }
            referenceSlots = (object.entityIndex, slots.reduce(0) { $0 | 1 << UInt64($1) })
        }
        return referenceSlots.flatMap { known in object.withExtra { $0.pending.newReferenceCount(slots: known.slots) } ?? nil }
    }

    /// Returns the pending row of a new object whose destinations are new, too, and saved to the same store.
    mutating func packPlainly(_ object: ManagedObject) -> Row? {
        if !elsewhere.isEmpty { elsewhere = [] }
        return context.tracker.takeRow(of: object, exclusively: true)
    }

    /// Returns the current row of an object.
    ///
    /// - Parameters:
    ///   - storeID: The ID of the object's store.
    ///   - orders: The object's changed positions in ordered relationships that reference it, by slot.
    /// - Throws: `StoreError` with `crossStore` where the object to be saved is related to one of another store,
    ///   `tooLarge` where its values do not fit a row.
    mutating func pack(_ object: ManagedObject, storeID: StoreID, orders: [Slot: OrderKey] = [:]) throws -> Row {
        let areNamedSo = try checkDestinations(of: object, storeID)
        // A child's row is marked as unsaved by its temporary reference, or by the store word.
        let isMarkedUnsaved = advancesVersions || object.objectID.isTemporary
        if object.row == nil && orders.isEmpty && areNamedSo && isMarkedUnsaved,
            let row = context.tracker.takeRow(of: object, exclusively: purpose == .store)
        {
            return row
        }
        if orders.isEmpty, let base = object.row, let row = patch(base, object) { return row }
        return try copy(object, orders)
    }

    /// Copies the saved row with pending values of fixed size; `nil` where others are pending, or destinations that have
    /// an order.
    private mutating func patch(_ base: Row, _ object: ManagedObject) -> Row? {
        guard let extra = object.extra else { return nil }
        let entity = object.entity
        let properties = extra.pending.properties
        for propertySlot in entity.propertySlots where propertySlot.slot != nil && properties.contains(propertySlot.property) {
            if propertySlot.kind.isVariable { return nil }
            if propertySlot.kind == .reference {
                guard case .toOne(_, entity: nil, order: nil)? = entity.properties[propertySlot.property].relationship?.storage
                else { return nil }
            }
        }
        writer.begin(
            copying: base, reference: object.objectID.reference,
            version: advancesVersions || object.isNew ? base.version &+ 1 : base.version)
        if !advancesVersions { writer.set(storeWord: OwnVersions.unsavedRow) }
        for propertySlot in entity.propertySlots where properties.contains(propertySlot.property) {
            guard let slot = propertySlot.slot, !object.keepsNumber(propertySlot) else { continue }
            writer.clear(slot)
            if propertySlot.kind == .reference {
                packDestination(of: object, propertySlot, slot, [:])
                continue
            }
            writer.set(object.pendingValue(propertySlot.property) ?? .null, at: slot, propertySlot.kind)
        }
        return writer.finish()
    }

    /// Packs the pending values together with the rest of the saved row.
    private mutating func copy(_ object: ManagedObject, _ orders: [Slot: OrderKey]) throws -> Row {
        let entity = object.entity
        let base = object.row
        // An object that others deleted, and that is inserted again, has a new version.
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
                        .tooLarge, .save, "the values of one object exceed 2 GiB", entity: entity.name,
                        key: entity.properties[propertySlot.property].name)
                }
                writer.set(value, at: slot, propertySlot.kind)
            } else if let base {
                writer.copy(slot, propertySlot.kind, from: base)
            }
        }
        return writer.finish()
    }

    /// Packs the destination of a to-one relationship, and the object's position there.
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
            if elsewhere.contains(slot) { return writer.set(integer: .min, at: slot) }
            writer.set(integer: destination.objectID.reference, at: slot)
            if let entitySlot { writer.set(integer: Int64(destination.entityIndex.rawValue), at: entitySlot) }
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

    /// Checks that the pending destinations can be saved with an object; returns whether the IDs are current.
    private mutating func checkDestinations(of object: ManagedObject, _ storeID: StoreID) throws -> Bool {
        if !elsewhere.isEmpty { elsewhere = [] }
        let references = context.model.referenceSlots[object.entityIndex]
        var areNamedSo = true
        for index in references.indices {
            let slot = references[index].slot
            guard object.withExtra({ $0.pending.mayReferenceAny(slot) }) == true else { continue }
            // A new one is saved with it, and in the same store.
            if purpose != .reading, object.withExtra({ $0.pending.referencesNew(slot) }) == true, targets.areAllNew(in: storeID) {
                continue
            }
            let relationship = references[index].relationship
            guard case .objectID(let id)? = object.pendingValue(relationship.index) else { continue }
            // The save clears references to objects that were deleted unsaved; conditions may read them before.
            if readsForgotten, context.fault(with: id).isForgotten {
                areNamedSo = false
                continue
            }
            if purpose == .reading, try isElsewhere(id, storeID) {
                areNamedSo = false
                elsewhere.append(slot)
                continue
            }
            let destination = try destination(id, of: object, relationship, storeID).objectID
            if destination.reference != id.reference || destination.scope != id.scope { areNamedSo = false }
        }
        return areNamedSo
    }

    /// Returns whether a destination that is known is of another store than its owner.
    private func isElsewhere(_ id: ObjectID, _ storeID: StoreID) throws -> Bool {
        let destination = context.fault(with: id)
        if destination.objectID.isTemporary, !destination.isInserted, destination.row == nil { return false }
        return try targets.storeID(of: destination) != storeID
    }

    private func destination(
        _ id: ObjectID, of object: ManagedObject, _ relationship: RelationshipDescription, _ storeID: StoreID
    ) throws -> ManagedObject {
        let destination = context.fault(with: id)
        // The coordinator may not know an unsaved object that this save does not insert.
        if destination.objectID.isTemporary, !destination.isInserted, destination.row == nil {
            // The parent detects that it is deleted.
            if purpose == .reading || (purpose == .parent && destination.isInaccessible) { return destination }
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
    /// Equal numbers may have different bytes, as 0.0 and -0.0: the row keeps the stored ones, as nothing is changed.
    fileprivate final func keepsNumber(_ propertySlot: PropertySlot) -> Bool {
        switch propertySlot.kind {
        case .double, .float, .date, .decimal: keepsValue(propertySlot)
        default: false
        }
    }
}
