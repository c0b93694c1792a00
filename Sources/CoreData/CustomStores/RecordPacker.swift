import Foundation
import StrataModel
import StrataStore

/// Packs the values of an object of a custom store into a row.
struct RecordPacker {
    /// The destination of a to-one relationship, and the object's order key where the inverse is ordered.
    struct Destination {
        var reference: ObjectID
        var order: OrderKey?
    }

    private var writer = RowWriter()

    /// Returns the row of an object.
    ///
    /// - Parameters:
    ///   - value: The value of a property.
    ///   - destination: The destination of a to-one relationship.
    /// - Throws: `StoreError` with `wrongValue` for a value that an attribute does not hold; errors of `destination`.
    mutating func row(
        _ entity: EntityDescription, reference: Int64, version: UInt32, value: (String) -> Any?,
        destination: (RelationshipDescription) throws -> Destination?
    ) throws -> Row {
        writer.begin(entity, reference: reference, version: version)
        for attribute in entity.attributes {
            guard let slot = attribute.slot, let object = RecordPacker.value(of: attribute, value), !(object is NSNull) else { continue }
            guard let found = DefaultValue.value(object, of: attribute.declaration) else {
                throw StoreError(
                    .wrongValue, .fetch, "the store gave a value of type \(type(of: object)), which the attribute does not hold",
                    entity: entity.name, key: attribute.name)
            }
            writer.set(found, at: slot, attribute.slotKind)
        }
        for property in entity.properties {
            guard let relationship = property.relationship,
                case .toOne(let slot, let entitySlot, let orderSlot) = relationship.storage,
                let found = try destination(relationship)
            else { continue }
            writer.set(integer: found.reference.reference, at: slot)
            if let entitySlot { writer.set(integer: Int64(found.reference.entity.index.rawValue), at: entitySlot) }
            if let orderSlot, let order = found.order { writer.set(order: order, at: orderSlot) }
        }
        return writer.finish()
    }

    /// Returns the value of an attribute, which is in a dictionary if it is an element of a composite one.
    private static func value(of attribute: AttributeDescription, _ value: (String) -> Any?) -> Any? {
        guard attribute.compositeName != nil else { return value(attribute.name) }
        let names = attribute.name.split(separator: ".").map(String.init)
        return names.dropFirst().reduce(value(names[0])) { found, name in
            (found as? [String: Any])?[name] ?? (found as? NSDictionary)?[name]
        }
    }
}

/// The destinations of a relationship as custom stores return them: IDs, objects, nodes.
enum GivenDestinations {
    /// Returns the IDs in a value, in its order if it has one.
    static func ids(_ value: Any?) -> [ObjectID] {
        switch value {
        case nil, is NSNull: []
        case let id as NSManagedObjectID: [id.id]
        case let node as NSAtomicStoreCacheNode: [node.objectID.id]
        case let object as NSManagedObject: [object.objectID.id]
        case let collection?: (Operand.elements(of: collection) ?? []).flatMap { ids($0) }
        }
    }
}
