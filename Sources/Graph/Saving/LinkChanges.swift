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

    private(set) var changes: [LinkChange] = []
    private var places: [LinkID: Int] = [:]

    /// Adds what one end says of a link; what the other end said of its own order before holds.
    ///
    /// - Parameter order: The place of the other object in the order of this end, `nil` where it has none.
    mutating func add(_ kind: LinkChange.Kind, _ end: End, to other: Int64, order: OrderKey? = nil) {
        let id = LinkID(table: end.table, end.side, from: end.object.objectID.reference, to: other)
        let place = places[id]
        var link = place.map { changes[$0].link } ?? Link(first: id.first, second: id.second)
        switch end.side {
        case .first: link.orderInFirst = order ?? link.orderInFirst
        case .second: link.orderInSecond = order ?? link.orderInSecond
        }
        let change = LinkChange(table: end.table, kind: kind, link: link)
        if let place {
            changes[place] = change
        } else {
            places[id] = changes.count
            changes.append(change)
        }
    }
}
