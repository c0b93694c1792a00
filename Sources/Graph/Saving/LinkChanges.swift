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

        /// Returns the end of another object whose relationship is its own inverse.
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

    /// Takes the changes out, in the order of the links: sorting what the ends say finds out who speaks of the same one, without hashing each.
    mutating func take() -> [LinkChange] {
        // Stable: of what is said of a link, the later comes later.
        said.sort { LinkChanges.isOrdered($0, before: $1) }
        var count = 0
        for index in said.indices {
            let change = said[index]
            if count > 0, !LinkChanges.isOrdered(said[count - 1], before: change) {
                said[count - 1] = LinkChanges.union(said[count - 1], change)
            } else {
                said[count] = change
                count += 1
            }
        }
        said.removeSubrange(count...)
        defer { said = [] }
        return said
    }

    /// What two ends say of one link.
    private static func union(_ first: LinkChange, _ second: LinkChange) -> LinkChange {
        var link = second.link
        link.orderInFirst = link.orderInFirst ?? first.link.orderInFirst
        link.orderInSecond = link.orderInSecond ?? first.link.orderInSecond
        // One end may only order what the other makes or removes.
        return LinkChange(table: second.table, kind: second.kind == .order ? first.kind : second.kind, link: link)
    }

    /// Returns whether a change is of a link that comes before another one's, by its table and ends.
    private static func isOrdered(_ a: LinkChange, before b: LinkChange) -> Bool {
        if a.table != b.table { return a.table < b.table }
        return a.link.first != b.link.first ? a.link.first < b.link.first : a.link.second < b.link.second
    }
}
