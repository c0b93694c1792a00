import StrataCoordinator
import StrataModel
import StrataStore

/// The links of one store that a save adds and removes, each once although both of its ends record it.
struct LinkChanges {
    /// One end of changed links: an object with its many-to-many relationship and link table.
    struct End {
        let object: ManagedObject
        let relationship: RelationshipDescription
        let storeID: StoreID
        let table: Int
        let side: LinkSide

        /// Returns the end of another object whose relationship is its own inverse.
        func opposite(_ other: ManagedObject) -> End {
            End(object: other, relationship: relationship, storeID: storeID, table: table, side: side)
        }
    }

    /// The changes of the ends, in order of addition.
    private var recorded: [LinkChange] = []

    /// Adds the change of one end; the other end's own order is kept.
    ///
    /// - Parameter order: The position of the other object in the order of this end; `nil` without one.
    mutating func add(_ kind: LinkChange.Kind, _ end: End, to other: Int64, order: OrderKey? = nil) {
        let own = end.object.objectID.reference
        let link =
            switch end.side {
            case .first: Link(first: own, second: other, orderInFirst: order)
            case .second: Link(first: other, second: own, orderInSecond: order)
            }
        recorded.append(LinkChange(table: end.table, kind: kind, link: link))
    }

    /// Takes the changes in the order of the links: sorting unites the two ends of a link without hashing.
    mutating func take() -> [LinkChange] {
        // Stable: the later change of a link comes later.
        recorded.sort { LinkChanges.isOrdered($0, before: $1) }
        var count = 0
        for index in recorded.indices {
            let change = recorded[index]
            if count > 0, !LinkChanges.isOrdered(recorded[count - 1], before: change) {
                recorded[count - 1] = LinkChanges.union(recorded[count - 1], change)
            } else {
                recorded[count] = change
                count += 1
            }
        }
        recorded.removeSubrange(count...)
        defer { recorded = [] }
        return recorded
    }

    private static func union(_ first: LinkChange, _ second: LinkChange) -> LinkChange {
        var link = second.link
        link.orderInFirst = link.orderInFirst ?? first.link.orderInFirst
        link.orderInSecond = link.orderInSecond ?? first.link.orderInSecond
        // One end may only order what the other adds or removes.
        return LinkChange(table: second.table, kind: second.kind == .order ? first.kind : second.kind, link: link)
    }

    private static func isOrdered(_ a: LinkChange, before b: LinkChange) -> Bool {
        if a.table != b.table { return a.table < b.table }
        return a.link.first != b.link.first ? a.link.first < b.link.first : a.link.second < b.link.second
    }
}

extension LinkChanges.End {
    /// Fails where the relationship is not stored as links.
    init?(_ object: ManagedObject, property: Int, storeID: @autoclosure () throws -> StoreID) rethrows {
        guard let relationship = object.entity.properties[property].relationship, case .links(let table, let side) = relationship.storage
        else { return nil }
        self.init(object: object, relationship: relationship, storeID: try storeID(), table: table, side: side)
    }
}
