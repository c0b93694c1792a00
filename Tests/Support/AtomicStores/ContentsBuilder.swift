package import StrataEngine
package import StrataModel
package import StrataStore
import Testing

/// Fills contents with rows, by names.
package struct ContentsBuilder {
    package let model: ManagedObjectModel
    package var contents: TableContents
    private let referenceScope: StoreCapabilities.ReferenceScope
    private var writer = RowWriter()

    /// Empty contents of a type of store.
    package init(_ model: ManagedObjectModel, type: StoreType, referenceScope: StoreCapabilities.ReferenceScope) {
        self.model = model
        self.referenceScope = referenceScope
        contents = TableContents(
            metadata: StoreMetadata(
                type: type,
                storeID: "0F17B8B9-EEB0-4A30-98EC-425208280CBC",
                versionHashes: model.entityVersionHashesByName,
                versionIdentifiers: ["one"],
                userInfo: [StoreMetadata.writerKey: .string("2")]
            )
        )
        for entity in model.entities where entity.superentity == nil { contents.lastReference[entity.index] = 0 }
    }

    /// Adds a row; references are added in ascending order.
    ///
    /// A to-one value is the destination's entity, its reference, and the order.
    package mutating func add(
        _ entityName: String,
        _ reference: Int64,
        version: UInt32 = 1,
        _ values: [String: Value] = [:],
        toOne: [String: (entity: String, reference: Int64, order: OrderKey)] = [:]
    ) throws {
        let entity = try #require(model.entity(named: entityName))
        writer.begin(entity, reference: reference, version: version)
        for (name, value) in values {
            let attribute = try #require(entity.attribute(named: name))
            writer.set(value, at: try #require(attribute.slot), attribute.slotKind)
        }
        for (name, destination) in toOne {
            guard case .toOne(let slot, let entitySlot, let orderSlot) = try #require(entity.relationship(named: name)).storage else {
                throw CancellationError()
            }
            writer.set(integer: destination.reference, at: slot)
            if let entitySlot {
                writer.set(integer: Int64(try #require(model.entity(named: destination.entity)).index.rawValue), at: entitySlot)
            }
            if let orderSlot { writer.set(order: destination.order, at: orderSlot) }
        }
        contents.rows[entity.root, default: []].append(writer.finish())
        for root in contents.lastReference.keys where root == entity.root || referenceScope == .store {
            contents.lastReference[root] = max(contents.lastReference[root] ?? 0, reference)
        }
    }
}
