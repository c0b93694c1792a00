import Foundation
import StrataEngine
import StrataModel
import StrataStore

/// Reads the nodes of an atomic store as tables, with relationships that either side has.
struct CacheNodeReader {
    private struct Key: Hashable {
        let root: EntityIndex
        let reference: Int64

        init(_ id: ObjectID) { (root, reference) = (id.entity.root, id.reference) }
    }

    private let nodes: [NSAtomicStoreCacheNode]
    private let model: ManagedObjectModel
    private var destinations: [Key: [Int: RecordPacker.Destination]] = [:]
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
            destinations[Key(id), default: [:]][relationship.index] = .init(reference: other)
        }
    }

    private mutating func readToMany(_ node: NSAtomicStoreCacheNode) {
        let id = node.objectID.id
        for relationship in id.entity.relationships where relationship.isToMany {
            for (index, other) in GivenDestinations.ids(node.value(forKey: relationship.name)).enumerated() {
                let order = relationship.isOrdered ? OrderKey(at: index) : nil
                switch relationship.storage {
                case .inverse(let property):
                    var destination = destinations[Key(other)]?[property] ?? .init(reference: id)
                    if destination.reference == id { destination.order = order }
                    destinations[Key(other), default: [:]][property] = destination
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
            let found = destinations[Key(id)]
            let row = try packer.row(
                id.entity, reference: id.reference, version: 1, value: node.value(forKey:), destination: { found?[$0.index] })
            contents.rows[id.entity.root, default: []].append(row)
        }
        for (root, rows) in contents.rows { contents.rows[root] = rows.sorted { $0.reference < $1.reference } }
        for (table, found) in links { contents.links[table] = Array(found.values) }
        return contents
    }
}
