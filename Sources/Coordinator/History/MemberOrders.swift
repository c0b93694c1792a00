import StrataModel
import StrataStore

/// The owners whose ordered members change in a store that does not keep order keys, such as an XML file.
///
/// There the keys of a before-image are comparable only with those of the same opening: the history gets the order of all members of such an
/// owner, not only of those that change.
struct MemberOrders {
    /// The members' relationship to their owner, by the hierarchy of the members.
    private struct Membership: Hashable, Comparable {
        let entity: EntityIndex
        let property: Int

        static func < (lhs: Membership, rhs: Membership) -> Bool { (lhs.entity, lhs.property) < (rhs.entity, rhs.property) }
    }

    private let model: ManagedObjectModel
    private var owners: [Membership: Set<Int64>] = [:]

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Notes the owners that a row leaves, or at which it moves.
    ///
    /// - Parameter new: The row after the change; `nil` where it is deleted.
    mutating func add(_ row: Row, replacedBy new: Row?) {
        // The inverse of an ordered relationship without one is hidden.
        for relationship in model.entities[row.entityIndex].properties.lazy.compactMap(\.relationship) {
            guard case .toOne(let reference, let entity, let order?) = relationship.storage, let owner = row.integer(reference) else {
                continue
            }
            if let new {
                let kinds: [(Slot, SlotKind)] = [(reference, .reference), (order, .order)] + (entity.map { [($0, .entity)] } ?? [])
                if kinds.allSatisfy({ row.slot($0.0, $0.1, equals: new) }) { continue }
            }
            owners[Membership(entity: relationship.declaringEntity, property: relationship.index), default: []].insert(owner)
        }
    }

    /// Returns the rows of all members of the owners, with the slots of their order keys.
    func members(_ reader: any StoreReader) throws -> [(row: Row, slot: Slot)] {
        var members: [(Row, Slot)] = []
        for (membership, owners) in owners.sortedByKey() {
            guard let relationship = model.entities[membership.entity].properties[membership.property].relationship,
                case .toOne(_, _, let order?) = relationship.storage, let inverse = model.inverse(of: relationship)
            else { continue }
            let root = model.entities[membership.entity].root
            let rows = try reader.destinationsWithRows(of: inverse, root: root, owners: owners.sorted()).rows
            members += try model.checked(rows, .save).map { ($0, order) }
        }
        return members
    }
}

/// The owners whose ordered links change, as ``MemberOrders``.
struct LinkOrders {
    private let table: LinkTable
    private var owners: [LinkSide: Set<Int64>] = [:]

    init(_ table: LinkTable) { self.table = table }

    /// Notes the owners of a link that existed.
    mutating func add(_ link: Link) {
        // The links of a relationship that is its own inverse have the order of their first object.
        let sides: [LinkSide] = table.isReflexive ? [.first] : [.first, .second]
        for side in sides where table.end(side).isOrdered { owners[side, default: []].insert(link.reference(side)) }
    }

    /// Returns all links of the owners, each with the order key on the owner's side alone: the other side's owner may be unchanged.
    func links(_ reader: any StoreReader) throws -> [Link] {
        var links: [Link] = []
        for side in [LinkSide.first, .second] {
            guard let owners = owners[side] else { continue }
            links += try reader.links(of: table, .owners(side, owners.sorted())).map { link in
                var link = link
                if side == .first { link.orderInSecond = nil } else { link.orderInFirst = nil }
                return link
            }
        }
        return links
    }
}
