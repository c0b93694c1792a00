import FoundationEssentials
import StrataModel
import StrataStore

/// Packs the current values of objects into rows.
struct RowPacker {
    private let context: ManagedObjectContext
    private let targets: TargetStores
    private var writer = RowWriter()

    init(_ context: ManagedObjectContext, _ targets: TargetStores) {
        self.context = context
        self.targets = targets
    }

    /// The row of an object as it is now.
    ///
    /// - Parameters:
    ///   - version: The version of the row.
    ///   - storeID: The ID of the store that the object is in or goes to.
    ///   - orders: The place of the object in each ordered relationship that leads to it, by slot, where it changes.
    /// - Throws: `StoreError` with `crossStore` where the object is related to one of another store, `tooLarge` where its values do not fit
    ///   a row.
    mutating func pack(
        _ object: ManagedObject, version: UInt32, storeID: StoreID, orders: [Slot: OrderKey] = [:]
    ) throws -> Row {
        let entity = object.entity
        let base = object.row
        let extra = object.extra
        writer.begin(entity, reference: object.objectID.reference, version: version)
        var size = 0
        for place in entity.places {
            guard let slot = place.slot else { continue }
            if place.kind == .reference {
                try packDestination(of: object, place, slot, storeID, orders)
            } else if let value = extra?.value(place.property) {
                size += value.variableSize
                guard size < Int(Int32.max) else {
                    throw StoreError(
                        .tooLarge, .save, "the values of \(object.objectID) exceed 2 GiB", entity: entity.name,
                        key: entity.properties[place.property].name)
                }
                writer.set(value, at: slot, place.kind)
            } else if let base {
                writer.copy(slot, place.kind, from: base)
            }
        }
        return writer.finish()
    }

    /// Packs what a to-one relationship of an object leads to, and the object's place there.
    private mutating func packDestination(
        of object: ManagedObject, _ place: PropertyPlace, _ slot: Slot, _ storeID: StoreID, _ orders: [Slot: OrderKey]
    ) throws {
        guard case .relationship(let relationship) = object.entity.properties[place.property],
            case .toOne(_, let entitySlot, let orderSlot) = relationship.storage
        else { return }
        let pending = object.extra?.value(place.property)
        if let pending {
            guard case .objectID(let id) = pending else { return }
            let destination = try destination(id, of: object, relationship, storeID)
            writer.set(integer: destination.objectID.reference, at: slot)
            if let entitySlot { writer.set(integer: Int64(destination.entity.index.rawValue), at: entitySlot) }
        } else if let base = object.row {
            writer.copy(slot, .reference, from: base)
            if let entitySlot { writer.copy(entitySlot, .entity, from: base) }
        }
        guard let orderSlot else { return }
        if let order = orders[orderSlot] {
            writer.set(order: order, at: orderSlot)
        } else if let base = object.row, pending == nil {
            writer.copy(orderSlot, .order, from: base)
        }
    }

    private func destination(
        _ id: ObjectID, of object: ManagedObject, _ relationship: RelationshipDescription, _ storeID: StoreID
    ) throws -> ManagedObject {
        let destination = context.object(with: id)
        // One that no save has named yet, and that this one does not insert, may be unknown to the coordinator.
        if destination.objectID.isTemporary && !destination.isInserted, try context.loader.savedRow(of: destination.objectID) == nil {
            throw StoreError(
                .notFound, .save, "\(object.objectID) is related to \(destination.objectID), a new object that is not saved with it",
                entity: object.entity.name, key: relationship.name)
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
