import FoundationEssentials
import StrataModel
import StrataStore

/// Packs the current values of objects into rows.
struct RowPacker {
    private var writer = RowWriter()

    /// The row of an object as it is now.
    ///
    /// - Parameters:
    ///   - version: The version of the row.
    ///   - storeID: The ID of the store that the object is in or goes to.
    ///   - orders: The place of the object in each ordered relationship that leads to it, by slot, where it changes.
    /// - Throws: `StoreError` with `crossStore` where the object is related to one of another store, `tooLarge` where its values do not fit
    ///   a row.
    mutating func pack(
        _ object: ManagedObject, version: UInt32, storeID: StoreID, orders: [Slot: OrderKey] = [:], in context: ManagedObjectContext
    ) throws -> Row {
        let entity = object.entity
        let base = object.row
        let extra = object.extra
        writer.begin(entity, reference: object.objectID.reference, version: version)
        var size = 0
        for property in entity.properties {
            let place = entity.places[property.index]
            guard let slot = place.slot else { continue }
            switch property {
            case .attribute:
                if let value = extra?.value(place.property) {
                    size += value.variableSize
                    guard size < Int(Int32.max) else {
                        throw StoreError(
                            .tooLarge, .save, "the values of \(object.objectID) exceed 2 GiB", entity: entity.name, key: property.name)
                    }
                    writer.set(value, at: slot, place.kind)
                } else if let base {
                    writer.copy(slot, place.kind, from: base)
                }
            case .relationship(let relationship):
                guard case .toOne(_, let entitySlot, let orderSlot) = relationship.storage else { continue }
                if let value = extra?.value(place.property) {
                    guard case .objectID(let id) = value else { continue }
                    let destination = try self.destination(id, of: object, relationship, storeID, context)
                    writer.set(integer: destination.objectID.reference, at: slot)
                    if let entitySlot { writer.set(integer: Int64(destination.entity.index.rawValue), at: entitySlot) }
                } else if let base {
                    writer.copy(slot, .reference, from: base)
                    if let entitySlot { writer.copy(entitySlot, .entity, from: base) }
                }
                if let orderSlot {
                    if let order = orders[orderSlot] {
                        writer.set(order: order, at: orderSlot)
                    } else if let base, extra?.value(place.property) == nil {
                        writer.copy(orderSlot, .order, from: base)
                    }
                }
            }
        }
        return writer.finish()
    }

    private func destination(
        _ id: ObjectID, of object: ManagedObject, _ relationship: RelationshipDescription, _ storeID: StoreID,
        _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let destination = context.object(with: id)
        // One that no save has named yet, and that this one does not insert, may be unknown to the coordinator.
        if destination.objectID.isTemporary && !destination.isInserted, try context.loader.savedRow(of: destination.objectID) == nil {
            throw StoreError(
                .notFound, .save, "\(object.objectID) is related to \(destination.objectID), a new object that is not saved with it",
                entity: object.entity.name, key: relationship.name)
        }
        let other = try context.targetStoreID(of: destination)
        guard other == storeID else {
            throw StoreError(
                .crossStore, .save, "\(object.objectID) is related to \(destination.objectID) in another store",
                entity: object.entity.name, key: relationship.name)
        }
        return destination
    }
}
