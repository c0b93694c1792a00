import StrataCoordinator
import StrataModel
import StrataStore

/// The links of one store that a save makes and removes, each once although both of its ends know of it.
struct LinkChanges {
    /// One end of changed links: an object with its many-to-many relationship, and where its links are kept.
    struct End {
        let object: ManagedObject
        let relationship: RelationshipDescription
        /// The store that the object is in or goes to.
        let storeID: StoreID
        let table: Int
        let side: LinkSide

        /// - Returns: `nil` where the relationship is not kept as links.
        init?(_ object: ManagedObject, property: Int, storeID: @autoclosure () throws -> StoreID) rethrows {
            guard let relationship = object.entity.properties[property].relationship,
                case .links(let table, let side) = relationship.storage
            else { return nil }
            self.init(object, relationship, try storeID(), table, side)
        }

        private init(_ object: ManagedObject, _ relationship: RelationshipDescription, _ storeID: StoreID, _ table: Int, _ side: LinkSide) {
            self.object = object
            self.relationship = relationship
            self.storeID = storeID
            self.table = table
            self.side = side
        }

        /// The end of another object whose relationship is its own inverse.
        func opposite(_ other: ManagedObject) -> End { End(other, relationship, storeID, table, side) }
    }

    /// What the ends say, one after the other.
    private var said: [LinkChange] = []

    /// Adds what one end says of a link; what the other end said of its own order before holds.
    ///
    /// - Parameter order: The place of the other object in the order of this end, `nil` where it has none.
    mutating func add(_ kind: LinkChange.Kind, _ end: End, to other: Int64, order: OrderKey? = nil) {
        let own = end.object.objectID.reference
        let link =
            switch end.side {
            case .first: Link(first: own, second: other, orderInFirst: order)
            case .second: Link(first: other, second: own, orderInSecond: order)
            }
        said.append(LinkChange(table: end.table, kind: kind, link: link))
    }

    /// The changes, in the order of the links: sorting what the ends say finds out who speaks of the same one, without hashing each.
    var changes: [LinkChange] {
        let ranks = said.enumerated().map { Rank(table: $1.table, first: $1.link.first, second: $1.link.second, place: $0) }.sorted()
        var changes: [LinkChange] = []
        changes.reserveCapacity(ranks.count)
        var last: Rank?
        for rank in ranks {
            let change = said[rank.place]
            if let last, last.isOfSameLink(as: rank) {
                var link = change.link
                link.orderInFirst = link.orderInFirst ?? changes[changes.count - 1].link.orderInFirst
                link.orderInSecond = link.orderInSecond ?? changes[changes.count - 1].link.orderInSecond
                // One end may only order what the other makes or removes.
                let kind = change.kind == .order ? changes[changes.count - 1].kind : change.kind
                changes[changes.count - 1] = LinkChange(table: change.table, kind: kind, link: link)
            } else {
                changes.append(change)
            }
            last = rank
        }
        return changes
    }

    /// A link by its table and ends, and the place of what was said of it.
    private struct Rank: Comparable {
        let table: Int
        let first: Int64
        let second: Int64
        let place: Int

        func isOfSameLink(as other: Rank) -> Bool { first == other.first && second == other.second && table == other.table }

        static func < (a: Rank, b: Rank) -> Bool {
            if a.table != b.table { return a.table < b.table }
            if a.first != b.first { return a.first < b.first }
            return a.second != b.second ? a.second < b.second : a.place < b.place
        }
    }
}
