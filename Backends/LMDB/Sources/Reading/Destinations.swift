import CStrataLMDB
import StrataEngine

/// Reads the destinations of to-many relationships.
struct Destinations {
    let snapshot: Snapshot

    private var model: ManagedObjectModel { snapshot.schema.model }

    /// Returns the destinations of a to-many relationship of an object.
    func of(_ relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        let destination = model.entities[relationship.destination]
        switch relationship.storage {
        case .inverse(let property):
            guard let inverse = destination.properties[property].relationship, case .toOne(let slot, _, let order) = inverse.storage else {
                return []
            }
            let index = snapshot.schema.indexes.first {
                $0.isInverse && $0.elements.first?.slot == slot && $0.entities.lowerBound == inverse.declaringEntity
            }
            guard let index else { return [] }
            return try ordered(
                try snapshot.references(index.database, of: owner), destination, orderSlot: relationship.isOrdered ? order : nil)
        case .links(let table, let side):
            guard let links = snapshot.schema.links[table] else { return [] }
            let isOrdered = links.table.end(side).isOrdered
            var found = try unsafe LinkEntry.entries(snapshot.transaction, links.database(side), of: owner)
            if isOrdered { found.sort { ($0.order ?? .min, $0.other) < ($1.order ?? .min, $1.other) } }
            return try entities(found.map(\.other), destination)
        case .toOne, .none: return []
        }
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard let databases = snapshot.schema.links[table.index] else { return [] }
        var links: [Link] = []
        try unsafe LinkEntry.each(snapshot.transaction, databases.first) { first, entry in
            links.append(Link(first: first, second: entry.other, orderInFirst: entry.order))
        }
        guard table.second.isOrdered else { return links }
        var orders: [Link: OrderKey] = [:]
        try unsafe LinkEntry.each(snapshot.transaction, databases.second) { second, entry in
            orders[Link(first: entry.other, second: second)] = entry.order
        }
        for index in links.indices {
            links[index].orderInSecond = orders[Link(first: links[index].first, second: links[index].second)]
        }
        return links
    }

    func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link] {
        guard let links = snapshot.schema.links[table.index] else { return [] }
        let cursors = try unsafe (
            Cursor(snapshot.transaction, links.first), Cursor(snapshot.transaction, links.second)
        )
        // Each database has the order keys among the destinations of its own side.
        func find(_ first: Int64, _ second: Int64) throws -> Link? {
            guard let entry = try LinkEntry.find(first, second, isOrdered: table.first.isOrdered, cursors.0) else { return nil }
            let far = table.second.isOrdered ? try LinkEntry.find(second, first, isOrdered: true, cursors.1) : nil
            return Link(first: first, second: second, orderInFirst: entry.order, orderInSecond: far?.order)
        }
        switch selection {
        case .pairs(let pairs): return try pairs.compactMap { try find($0.first, $0.second) }
        case .owners(let side, let owners):
            return try owners.flatMap { owner in
                try unsafe LinkEntry.entries(snapshot.transaction, links.database(side), of: owner).compactMap { entry in
                    try side == .first ? find(owner, entry.other) : find(entry.other, owner)
                }
            }
        }
    }

    private func ordered(_ references: [Int64], _ destination: EntityDescription, orderSlot: Slot?) throws -> [ObjectReference] {
        guard let orderSlot else { return try entities(references, destination) }
        let hierarchy = try snapshot.hierarchy(destination.root)
        var found: [(order: OrderKey, object: ObjectReference)] = []
        for reference in references {
            guard let row = try snapshot.stored(reference, in: hierarchy)?.row else { continue }
            found.append((row.order(orderSlot) ?? .min, ObjectReference(entity: row.entityIndex, reference: reference)))
        }
        return found.sorted { ($0.order, $0.object.reference) < ($1.order, $1.object.reference) }.map(\.object)
    }

    /// Returns the objects with their own entities, which are read from the rows if there are several.
    private func entities(_ references: [Int64], _ destination: EntityDescription) throws -> [ObjectReference] {
        if destination.hierarchy.count == 1 { return references.map { ObjectReference(entity: destination.index, reference: $0) } }
        let hierarchy = try snapshot.hierarchy(destination.root)
        return try references.compactMap { reference in
            try snapshot.stored(reference, in: hierarchy).map { ObjectReference(entity: $0.row.entityIndex, reference: reference) }
        }
    }
}
