import StrataEngine
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
        case let collection?: (Operand.members(of: collection) ?? []).flatMap { ids($0) }
        }
    }
}

/// Reads the nodes of an atomic store as tables, with relationships that either side has.
struct CacheNodeReader {
    private let nodes: [NSAtomicStoreCacheNode]
    private let model: ManagedObjectModel
    private var destinations: [RowKey: [Int: RecordPacker.Destination]] = [:]
    /// The links of each table, by themselves without order keys.
    private var links: [Int: [Link: Link]] = [:]

    init(_ nodes: Set<NSAtomicStoreCacheNode>, _ model: ManagedObjectModel) {
        self.nodes = nodes.sorted { $0.objectID.precedes($1.objectID) }
        self.model = model
        for node in self.nodes { readToOne(node) }
        for node in self.nodes { readToMany(node) }
    }

    private mutating func readToOne(_ node: NSAtomicStoreCacheNode) {
        let id = node.objectID.id
        for relationship in id.entity.relationships {
            guard case .toOne = relationship.storage, let other = GivenDestinations.ids(node.value(forKey: relationship.name)).first
            else { continue }
            destinations[RowKey(id), default: [:]][relationship.index] = .init(reference: other)
        }
    }

    private mutating func readToMany(_ node: NSAtomicStoreCacheNode) {
        let id = node.objectID.id
        for relationship in id.entity.relationships where relationship.isToMany {
            for (index, other) in GivenDestinations.ids(node.value(forKey: relationship.name)).enumerated() {
                let order = relationship.isOrdered ? OrderKey(at: index) : nil
                switch relationship.storage {
                case .inverse(let property):
                    var destination = destinations[RowKey(other)]?[property] ?? .init(reference: id)
                    if destination.reference == id { destination.order = order }
                    destinations[RowKey(other), default: [:]][property] = destination
                case .links(let table, let side): link(id.reference, other.reference, table, side, order)
                case .toOne, .none: break
                }
            }
        }
    }

    private mutating func link(_ owner: Int64, _ other: Int64, _ table: Int, _ side: LinkSide, _ order: OrderKey?) {
        let pair = side == .first ? Link(first: owner, second: other) : Link(first: other, second: owner)
        var link = links[table]?[pair] ?? pair
        if side == .first { link.orderInFirst = order } else { link.orderInSecond = order }
        links[table, default: [:]][pair] = link
    }

    /// Returns all contents for the table engine; throws `wrongValue` for a value that an attribute does not hold.
    func contents(_ metadata: StoreMetadata) throws -> TableContents {
        var contents = TableContents(metadata: metadata)
        var packer = RecordPacker()
        for node in nodes {
            let id = node.objectID.id
            let found = destinations[RowKey(id)]
            let row = try packer.row(
                id.entity, reference: id.reference, version: 1, value: node.value(forKey:), destination: { found?[$0.index] })
            contents.rows[id.entity.root, default: []].append(row)
        }
        for (root, rows) in contents.rows { contents.rows[root] = rows.sorted { $0.reference < $1.reference } }
        for (table, found) in links { contents.links[table] = Array(found.values) }
        return contents
    }
}
